"""Devices and terminals of the host (entries 45, 46, 48)."""
import os
import stat

import pytest

DEVICES = ["mem", "kmsg", "port", "vda", "sda", "loop0", "fuse", "kvm", "loop-control", "net/tun", "uinput",
           "hwrng", "dri/card0", "snd/seq", "vhost-net", "vhost-vsock", "vsock", "nvidia0", "nvidiactl",
           "input/event0", "console", "tty0", "tty1", "ttyS0", "vcs", "vcsa", "btrfs-control", "autofs",
           "zram0", "vga_arbiter", "cpu_dma_latency", "cpu/0/msr", "userfaultfd", "rtc0", "nvram",
           "mapper/control", "hpet", "watchdog"]


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("how", ["read", "write"])
def test_e045_device(lab, name, how):
    """A device of the host is not there. The control is root's, for those that this host has and that open for it."""
    path = f"/dev/{name}"
    usable = lab.user.uid == 0 and os.path.exists(path) and name != "watchdog" and \
        lab.plain([lab.attacker, "open", path, how]).verdict == "ok"
    lab.legs(["open", path, how], {"ENOENT"}, control=usable)


def test_e045_some_devices_have_a_control(lab):
    """At least one of those devices can be opened by root without a box, so that the test above says something."""
    if lab.user.uid == 0:
        opened = [n for n in DEVICES if lab.plain([lab.attacker, "open", f"/dev/{n}", "read"]).verdict == "ok"]
        assert len(opened) >= 3, opened
    assert lab.plain([lab.attacker, "stat", "/dev/kmsg"]).verdict == "ok"
    assert lab.run([lab.attacker, "stat", "/dev/kmsg"]).verdict == "ENOENT"


def test_e045_what_dev_holds(lab):
    """/dev holds what a program needs and nothing else."""
    held = set(lab.run(["/bin/ls", "/dev"]).out.split())
    assert held == {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "fd", "stdin", "stdout",
                    "stderr", "mqueue"}


def test_e045_device_node_in_readable_root(lab):
    """A node that lies in a readable root is no way to its device: the mount has nodev."""
    node = lab.outside / "zero"
    if os.geteuid() != 0:
        pytest.skip("making a device node needs root")
    os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    node.chmod(0o666)
    for options in (["--read", lab.outside], ["--write", lab.outside]):
        lab.legs(["open", node, "read"], {"EACCES"}, options=options, without=("landlock", "seccomp"))


@pytest.mark.parametrize("path", ["/dev/random", "/dev/urandom"])
def test_e046_random_ioctl(lab, path):
    """The devices that are there take no ioctls of their own: Landlock (ABI 5) denies them."""
    lab.legs(["random-ioctl", path], {"EACCES"}, without=("seccomp", "mounts-readonly"))


RNDADDTOENTCNT, FIFREEZE = "0x40045201", "0xc0045877"


@pytest.mark.parametrize("request_number", [RNDADDTOENTCNT, "0x5206"])
def test_e046_random_ioctl_of_root(lab, request_number):
    """Neither those that change the pool; the control is root's, with nothing added to it."""
    lab.legs(["ioctl", "/dev/random", request_number], {"EACCES"},
             control=lab.user.uid == 0 and request_number == RNDADDTOENTCNT)


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/full"])
def test_e046_ioctl_of_others(lab, path):
    """The devices without ioctls of their own say ENOTTY to everybody, in the box or not, so there is no control;
    where Landlock does not allow ioctls on them it is EACCES."""
    lab.legs(["ioctl", path, "0x1260"], {"EACCES", "ENOTTY"}, control=False)
    assert lab.plain([lab.attacker, "ioctl", path, "0x1260"]).verdict == "ENOTTY"


@pytest.fixture
def terminals(lab):
    """Terminals of the host, held open; gives the name of the last, which belongs to the test's user."""
    held = []
    while True:
        master, slave = os.openpty()
        held += [master, slave]
        name = os.ttyname(slave)
        if int(os.path.basename(name)) >= 3:
            break
    if os.geteuid() == 0:
        os.chown(name, lab.user.uid, lab.user.uid)
    yield name, master
    for fd in held:
        os.close(fd)


@pytest.mark.parametrize("how", ["read", "write", "readwrite"])
def test_e048_host_terminal(lab, terminals, how):
    """A terminal of the host is not there in the box."""
    name, _ = terminals
    lab.legs(["open", name, how], {"ENOENT"})


def test_e048_own_instance(lab, terminals):
    """/dev/ptmx makes terminals of the box's own: the first has the number 0, which on the host is taken."""
    name, _ = terminals
    assert lab.plain([lab.attacker, "ptmx", "/dev/ptmx"]).verdict == "ok"
    assert lab.plain([lab.attacker, "ptmx", "/dev/ptmx"]).out.split()[1] != "0"
    for path in ("/dev/ptmx", "/dev/pts/ptmx"):
        result = lab.run([lab.attacker, "ptmx", path])
        assert result.out.split() == ["ok", "0"], result
    assert "0" not in lab.run(["/bin/ls", "/dev/pts"]).out.split()
