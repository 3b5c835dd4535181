"""Families, types and protocols of sockets, decided at socket(): 134, 135, 139, 169, 171."""
import errno
import os
import socket

import pytest
from net_outside import OutsideNet

ALLOWED = {1: "unix", 2: "inet", 10: "inet6", 16: "netlink"}
PRIVATE = ["/usr/bin/unshare", "-Urn"]
STREAM, DGRAM, RAW, RDM, SEQPACKET, DCCP, PACKET = 1, 2, 3, 4, 5, 6, 10


def here(family, kind, protocol=0):
    """Whether this kernel, asked by this test run, can make such a socket at all."""
    try:
        socket.socket(family, kind, protocol).close()
        return True
    except OSError as error:
        return error.errno in (errno.EPERM, errno.EACCES)


@pytest.mark.parametrize("family", [f for f in range(0, 48) if f not in ALLOWED])
def test_e135_families(lab, family):
    """Every family but Unix, internet and netlink doesn't exist inside. The control makes a socket of each that this
    kernel has, in a user and net namespace of its own where it takes rights."""
    words = ["socket", str(family), None, "0"]
    for kind in STREAM, DGRAM, RAW, SEQPACKET:
        words[2] = str(kind)
        control = lab.plain([lab.attacker, *words])
        if control.verdict != "ok":
            control = lab.plain([*PRIVATE, lab.attacker, *words])
        assert control.verdict in {"ok", "EAFNOSUPPORT", "ESOCKTNOSUPPORT", "EPROTONOSUPPORT", "EINVAL", "ENODEV"}, control
        lab.legs(words, {"EAFNOSUPPORT"}, control=False)


def test_e135_controls_prove_something(lab):
    """Of the families above some do exist on this host, so the test above isn't about nothing."""
    made = [f for f in range(0, 48) if f not in ALLOWED and any(
        lab.plain([*PRIVATE, lab.attacker, "socket", str(f), str(k), "0"]).verdict == "ok" for k in (STREAM, DGRAM, RAW))]
    assert len(made) >= 2, made


@pytest.mark.parametrize("protocol", range(1, 24))
def test_e134_netlink_protocols(lab, protocol):
    """Of netlink only the route protocol exists inside, in all its types. The control makes those this kernel has."""
    for kind in RAW, DGRAM:
        words = ["socket", "16", str(kind), str(protocol)]
        assert lab.plain([lab.attacker, *words]).verdict in {"ok", "EPROTONOSUPPORT", "EPERM"}
        lab.legs(words, {"EPROTONOSUPPORT"}, control=False)


@pytest.mark.parametrize("protocol", [2, 4, 15, 16])
def test_e134_netlink_protocols_of_every_host(lab, protocol):
    """User sockets, socket diagnosis, kernel events and generic netlink, which every user has outside."""
    lab.legs(["socket", "16", str(RAW), str(protocol)], {"EPROTONOSUPPORT"})


def test_e134_netlink_route_shows_only_the_box(lab):
    """getifaddrs works inside and lists the loopback interface alone."""
    lab.legs(["interface_find"], {"ENODEV"})
    lab.legs(["socket", "16", str(RAW), "0"], {"ok"})


def test_e139_socket_arguments_above_32_bits(lab):
    """Bits above the 32 that the kernel looks at hide no family, type or protocol from the filter."""
    high = 1 << 32
    lab.legs(["socket", hex(high | 40), "1", "0"], {"EAFNOSUPPORT"}, control=here(40, STREAM))
    lab.legs(["socket", hex(high | 16), "3", hex(high | 4)], {"EPROTONOSUPPORT"})
    lab.legs(["socket", "16", hex(high | 3), hex(high | 16)], {"EPROTONOSUPPORT"})
    for words in ["socket", "2", hex(high | RAW), "1"], ["socket", hex(high | 17), "3", "0"]:
        expect = {"EPERM"} if words[1] == "2" else {"EAFNOSUPPORT"}
        lab.legs(words, expect, control_argv=[*PRIVATE, lab.attacker, *words])
    lab.legs(["socket", hex(high | 2), hex(high | 1), hex(high)], {"ok"})


@pytest.mark.parametrize("family", ["2", "10"])
def test_e169_raw(lab, family):
    """No raw internet sockets. The control makes them in a user and net namespace of its own."""
    for protocol in "1", "6", "255":
        for flags in 0, 0x800, 0x80000:
            words = ["socket", family, str(RAW | flags), protocol]
            lab.legs(words, {"EPERM"}, control_argv=[*PRIVATE, lab.attacker, *words])


def test_e169_packet_in_disguise(lab):
    """The old packet type of the internet family makes a packet socket outside, and nothing inside."""
    words = ["socket", "2", str(PACKET), "0x300"]
    lab.legs(words, {"EPERM", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT"}, control_argv=[*PRIVATE, lab.attacker, *words])


@pytest.mark.parametrize("family,protocol", [("2", "1"), ("10", "58")])
def test_e169_ping_sockets(lab, family, protocol):
    """No ping sockets, in a network whose ping group range admits everyone."""
    net = OutsideNet(lab)
    try:
        lab.legs(["socket", family, str(DGRAM), protocol], {"EPROTONOSUPPORT"})
    finally:
        net.close()


@pytest.mark.parametrize("family", ["2", "10"])
def test_e169_other_transports(lab, family):
    """UDP-Lite, SCTP, DCCP and the like; the control makes those that this kernel has."""
    for kind, protocol in (DGRAM, 136), (STREAM, 132), (SEQPACKET, 132), (DCCP, 33), (SEQPACKET, 0), (RDM, 0), (STREAM, 17):
        words = ["socket", family, str(kind), str(protocol)]
        lab.legs(words, {"EPROTONOSUPPORT", "ESOCKTNOSUPPORT"}, control=here(int(family), kind, protocol))


@pytest.mark.parametrize("family", ["2", "10"])
def test_e171_mptcp(lab, family):
    """No multipath TCP, which Landlock would never see."""
    lab.legs(["socket", family, str(STREAM), "262"], {"EPROTONOSUPPORT"})


def test_sockets_that_programs_need(lab):
    """TCP, UDP, Unix of every type and pairs can be made inside, with the usual flags."""
    for family in "2", "10":
        for kind, protocol in (STREAM, 0), (STREAM, 6), (DGRAM, 0), (DGRAM, 17), (STREAM | 0x80800, 0):
            lab.legs(["socket", family, str(kind), str(protocol)], {"ok"})
    for kind in STREAM, DGRAM, SEQPACKET, STREAM | 0x80000:
        lab.legs(["socket", "1", str(kind), "0"], {"ok"})
        lab.legs(["socketpair", "1", str(kind), "0"], {"ok"})


def test_e135_socketpair(lab):
    """socketpair is judged as socket is: no family but Unix makes pairs. TIPC alone does elsewhere."""
    for family in "2", "16", "30", "40":
        lab.legs(["socketpair", family, "1", "0"], {"EAFNOSUPPORT", "EOPNOTSUPP", "ESOCKTNOSUPPORT", "EPROTONOSUPPORT"},
                 control=False)
    assert os.path.exists("/proc/net/unix")
