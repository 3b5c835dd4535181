"""What /proc and uname tell of the host (entry 62)."""
import os
import socket
import subprocess

import pytest

import harness
from places import prepare


def test_e062_hostname(lab):
    """The name of the host is not seen."""
    assert lab.plain([lab.attacker, "hostname"]).out.split() == ["ok", socket.gethostname()]
    assert lab.run([lab.attacker, "hostname"]).out.split() == ["ok", "localhost"]


@pytest.mark.parametrize("path", ["/proc/self/mountinfo", "/proc/self/mounts", "/proc/mounts"])
def test_e062_mounts(lab, path):
    """The list of mounts does not name those of the host; the control finds one that the box hasn't."""
    names = {line.split()[1] for line in open("/proc/self/mounts")}
    names -= {"/", "/proc", "/dev", "/dev/pts", "/dev/shm", "/sys"}
    foreign = sorted(n for n in names if n.startswith("/sys/fs/cgroup"))[:1] or sorted(names)[:1]
    for name in foreign:
        lab.legs(["find-text", path, f" {name} "], {"ENODATA"})


@pytest.mark.parametrize("path", ["/proc/keys", "/proc/key-users"])
def test_e062_keys(lab, path):
    """No key of the host is listed."""
    result = lab.run([lab.attacker, "find-text", path, "_ses"])
    assert result.verdict in ("ENODATA", "ENOENT", "EACCES"), result


@pytest.mark.parametrize("name", ["unix", "tcp", "udp", "dev", "route"])
def test_e062_network(lab, name):
    """/proc/net is that of the box's own network."""
    with socket.socket(socket.AF_UNIX) as host, socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        host.bind(f"\0pinfold-test-{os.getpid()}")
        host.listen()
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(("127.0.0.1", 0))
        device = next((name for _, name in socket.if_nameindex() if name != "lo"), "eth0")
        text = {"unix": f"pinfold-test-{os.getpid()}", "tcp": f":{tcp.getsockname()[1]:04X} ",
                "udp": f":{udp.getsockname()[1]:04X} ", "dev": device, "route": device}[name]
        for path in (f"/proc/net/{name}", f"/proc/self/net/{name}"):
            there = lab.plain([lab.attacker, "find-text", path, text]).verdict == "ok"
            assert there or name in ("dev", "route"), "a host may lack a network device, and nothing else"
            lab.legs(["find-text", path, text], {"ENODATA"}, control=there)


@pytest.mark.parametrize("path", ["/proc/kallsyms", "/proc/modules"])
def test_e062_kernel_addresses(lab, path):
    """Addresses of the kernel are not shown; the control is root's, where this kernel shows them to root."""
    control = lab.user.uid == 0 and lab.plain([lab.attacker, "kernel-addresses", path]).verdict == "ok"
    lab.legs(["kernel-addresses", path], {"ENODATA", "ENOENT", "EACCES"}, control=control)


def test_e062_processes(lab):
    """Only the box's own processes are listed."""
    prepare(lab)
    victim = subprocess.Popen(lab.user.argv(["/bin/sleep", "60"]), stdin=subprocess.DEVNULL)
    try:
        lab.legs(["list-name", "/proc", str(victim.pid)], {"ENOENT"})
        listed = [n for n in lab.run(["/bin/ls", "/proc"]).out.split() if n.isdigit()]
        assert len(listed) <= 3, listed
    finally:
        victim.kill()
        victim.wait()


def test_e062_machine_id(lab):
    """/etc/machine-id belongs to /etc, which is readable: SECURITY.md says so."""
    security = harness.ROOT / "SECURITY.md"
    inside = lab.run([lab.attacker, "read", "/etc/machine-id"])
    assert inside.verdict in ("ENOENT", "EACCES", "ENODATA") or "machine-id" in security.read_text()
