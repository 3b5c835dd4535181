"""A network outside the box that belongs to one test: a namespace with addresses, and servers that count callers.

A test enters it as if it were the host's network, so no packet of a test can reach a real one. Run as a program, this
file is the server: it sets the addresses up (it has the capabilities for that in its namespace), then answers on one
port, TCP and UDP.
"""
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

import batch
import harness

PORT = 5300
LIFETIME = 180
# Documentation addresses (RFC 5737, RFC 3849) and one of each special kind, all local to the namespace.
ADDRESSES = ["198.51.100.1/24", "192.168.77.1/24", "169.254.169.254/32", "2001:db8::1/64", "fd00:ec2::254/128",
             "fe80::1/64", "2002:c633:6401::1/128", "64:ff9b::c633:6401/128"]
GROUPS = ["224.0.0.251", "224.0.0.252"]


class NetUser(harness.User):
    """The test's user, with the network of this process."""

    def __init__(self, user, pid):
        super().__init__(user.uid)
        self.pid = pid

    def argv(self, argv):
        words = super().argv(argv)
        if os.geteuid() == 0:
            return ["nsenter", f"--net=/proc/{self.pid}/ns/net", "--", *words]
        return ["nsenter", "-t", str(self.pid), "-U", "-n", "--preserve-credentials", "--", *words]


class OutsideNet:
    """Starts the namespace and its servers; `enter` gives the lab this network."""

    port = str(PORT)

    def __init__(self, lab):
        self.log = lab.scratch.path / "callers"
        self.log.touch()
        front = ["unshare", "-n"] if os.geteuid() == 0 else [
            "unshare", "-Un", f"--map-user={os.getuid()}", f"--map-group={os.getgid()}", "--keep-caps"]
        self.process = subprocess.Popen([*front, "/usr/bin/python3", __file__, self.log],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONPATH": os.fspath(Path(__file__).parent)})
        assert self.process.stdout.readline() == "ready\n", "the outside network can't be set up"
        lab.user = NetUser(lab.user, self.process.pid)

    def seen(self):
        """Who called until now, one line each. A caller is logged before it is answered."""
        time.sleep(0.05)
        return self.log.read_text().splitlines()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def strike(lab, net, attacks, denied):
    """The legs of attacks that must find nobody. Every one of the controls is seen by the server, and none of the
    box's, also without Landlock and without the filter."""
    before = len(net.seen())
    batch.expect(batch.outside(lab, attacks), {"ok"}, attacks, "control leg")
    callers = net.seen()
    assert len(callers) - before == len(attacks), f"the controls that reached the server: {callers[before:]}"
    for layer in None, "landlock", "seccomp":
        batch.expect(batch.inside(lab, attacks, layer=layer), denied, attacks, f"in the box, without {layer}")
        assert net.seen() == callers


def set_up():
    steps = ["link set lo up", "route add default dev lo", "route add 224.0.0.0/4 dev lo", "route add ::/0 dev lo"]
    steps += [f"addr add {address} dev lo" + (" nodad" if ":" in address else "") for address in ADDRESSES]
    subprocess.run(["ip", "-batch", "-"], input="\n".join(steps), text=True, check=True)
    own = f"{os.getgid()} {os.getgid()}"
    groups = int(Path("/proc/self/gid_map").read_text(encoding="ascii").split()[2])   # one, where a user made this
    Path("/proc/sys/net/ipv4/ping_group_range").write_text(own if groups == 1 else "0 65534", encoding="ascii")


def serve(log):
    tcp = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    for server in (tcp, udp):
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        server.bind(("::", PORT))
    tcp.listen(16)
    lo = socket.if_nametoindex("lo")
    for group in GROUPS:
        udp.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                       socket.inet_aton(group) + socket.inet_aton("0.0.0.0") + lo.to_bytes(4, sys.byteorder))
    print("ready", flush=True)
    end = time.monotonic() + LIFETIME
    while time.monotonic() < end:
        ready = select.select([tcp, udp, sys.stdin], [], [], end - time.monotonic())[0]
        if sys.stdin in ready:
            return
        with open(log, "a", encoding="utf-8") as lines:
            if tcp in ready:
                call, peer = tcp.accept()
                print("tcp", peer[0], file=lines)
                call.close()
            if udp in ready:
                data, peer = udp.recvfrom(64)
                print("udp", peer[0], file=lines, flush=True)
                udp.sendto(data, peer)


if __name__ == "__main__":
    set_up()
    serve(sys.argv[1])
