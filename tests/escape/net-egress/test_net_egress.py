"""No packet leaves the box: 166, 168, 170 to 172, 174. N: the net namespace is empty.

The host's network is a namespace of the test's own, in which documentation addresses answer; see net_outside.py.
"""
import batch
import pytest
from net_outside import strike

OUTSIDE = ["198.51.100.1", "192.168.77.1", "169.254.169.254"]
OUTSIDE6 = ["2001:db8::1", "fd00:ec2::254", "fe80::1%lo", "2002:c633:6401::1", "64:ff9b::c633:6401",
            "::ffff:198.51.100.1"]


def test_e166_e174_tcp(lab, net):
    """No TCP connection to a public, private, link-local, metadata, 6to4, NAT64 or v4-mapped address."""
    strike(lab, net, [["tcp_connect", address, net.port] for address in (*OUTSIDE, *OUTSIDE6)], {"ENETUNREACH"})


def test_e168_e172_udp(lab, net):
    """No datagram to them either, connected or not: this is what a resolver by address would need."""
    for attack in "udp_ask", "udp_send":
        strike(lab, net, [[attack, address, net.port] for address in (*OUTSIDE, *OUTSIDE6)], {"ENETUNREACH"})
    batch.legs(lab, [["udp_connect", address, net.port] for address in (*OUTSIDE, *OUTSIDE6)], {"ENETUNREACH"})


def test_e168_multicast_names(lab, net):
    """No question to the local network's name services."""
    strike(lab, net, [["udp_send", group, net.port] for group in ("224.0.0.251", "224.0.0.252")], {"ENETUNREACH"})


def test_e168_resolver_ports(lab, net):
    """The ports of resolvers are no exception. Connecting a datagram socket asks only for a route."""
    batch.legs(lab, [["udp_connect", "198.51.100.1", port] for port in ("53", "443", "853")], {"ENETUNREACH"})
    batch.legs(lab, [["tcp_connect", "198.51.100.1", port] for port in ("53", "443", "853")], {"ENETUNREACH"},
               control={"ECONNREFUSED"})


def test_e168_resolving_a_name(lab):
    """A name can't be resolved inside but for localhost; the program is told at once."""
    script = ("import socket, time; t = time.monotonic()\n"
              "try: print('ok', socket.getaddrinfo('pinfold-test.example.com', 80)); \n"
              "except socket.gaierror as e: print('E' + str(e.errno), time.monotonic() - t < 5)\n")
    done = lab.run(["/usr/bin/python3", "-c", script])
    assert done.out in ("E-3 True\n", "E-2 True\n"), done


def test_e170_tcp_fast_open(lab, net):
    """Data in the first packet, to an address that connect() never sees."""
    addresses = "198.51.100.1", "2001:db8::1", "::ffff:198.51.100.1"
    strike(lab, net, [["tcp_fast_open", address, net.port] for address in addresses], {"ENETUNREACH"})


@pytest.mark.parametrize("address", ["198.51.100.1", "2001:db8::1"])
def test_e171_mptcp(lab, net, address):
    """Multipath TCP: the filter refuses the protocol, and without it there is no way out."""
    lab.legs(["protocol_connect", address, net.port, "262"], {"EPROTONOSUPPORT"}, witness=net.seen,
             without={"seccomp": {"ENETUNREACH"}, "landlock": {"EPROTONOSUPPORT"}})
    assert net.seen()


def test_e166_interfaces(lab, net):
    """The box has one interface, lo, and it is up: what runs inside may use it."""
    script = ["/bin/sh", "-c", "cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '; cat /proc/net/route | wc -l"]
    assert lab.plain(["ip", "route"]).out, "control leg"
    done = lab.run(script)
    assert done.out == "lo\n1\n", done


def test_e175_proxy_variables(lab, net):
    """Pointing programs at a proxy outside is no way out either; with the variable granted it is as unreachable."""
    url = f"http://198.51.100.1:{net.port}"
    script = ("import urllib.request, sys\n"
              "try: urllib.request.urlopen('http://192.168.77.1/', timeout=5)\n"
              "except Exception as e: print(type(e).__name__, e)\n")
    outer = lab.plain(["/usr/bin/python3", "-c", script], env={"http_proxy": url})
    assert net.seen(), f"control leg: {outer}"
    before = net.seen()
    done = lab.run(["/usr/bin/python3", "-c", script], "--env", "http_proxy", env={"http_proxy": url})
    assert "unreachable" in done.out and net.seen() == before, done
