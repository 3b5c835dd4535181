"""Files of the kernel in /proc and /sys (entries 40 to 42)."""
import os
from pathlib import Path

import pytest

from places import in_namespace

SYSCTLS = ["kernel/core_pattern", "kernel/modprobe", "kernel/hostname", "kernel/randomize_va_space", "vm/drop_caches",
           "fs/file-max", "net/ipv4/ip_forward", "vm/overcommit_memory"]


@pytest.mark.parametrize("name", SYSCTLS)
def test_e040_sysctl(lab, name):
    """A kernel setting can't be written; the control is root's, who writes back what is there.

    EACCES is the kernel's, which knows the box's users as nobody; EROFS is the mount's, for who may write otherwise.
    """
    path = Path("/proc/sys") / name
    readable = path.exists() and path.stat().st_mode & 0o444
    attack = ["rewrite", path] if readable and name != "vm/drop_caches" else ["open", path, "write"]
    lab.legs(attack, {"EACCES", "EROFS"} if path.exists() else {"ENOENT"}, control=lab.user.uid == 0 and path.exists(),
             witness=lambda: path.read_text() if readable else None, without=("landlock",))


@pytest.mark.parametrize("name", ["max_user_namespaces", "max_mnt_namespaces"])
def test_e040_namespace_sysctl(lab, name):
    """The settings that belong to a user namespace can't be written; the control is in one of its own."""
    attack = ["rewrite", f"/proc/sys/user/{name}"]
    lab.legs(attack, {"EACCES", "EROFS"}, control_argv=in_namespace(lab, attack), without=("landlock",))


def test_e040_sysctl_mount_is_read_only(lab):
    """The mount itself is read-only: that holds a setting which everybody may write on a host (mode 0666)."""
    path = "/proc/sys/kernel/ns_last_pid"
    there = os.path.exists(path)
    lab.legs(["open", path, "write"], {"EROFS"} if there else {"ENOENT"}, control=there, without=("landlock",))


@pytest.mark.parametrize("folder", ["/proc/sys", "/proc/sys/kernel", "/proc/sys/net"])
def test_e040_sysctl_folder_is_read_only(lab, folder):
    """Nor can the mode of its folders be set. There is no control, since nobody can do that on a host either; but
    the kernel then says another errno, which shows that here it is the mount."""
    lab.legs(["chmod", folder, "0555"], {"EROFS"}, control=False, without=("landlock",))
    assert lab.plain([lab.attacker, "chmod", folder, "0555"]).verdict in ("EPERM", "EACCES")


FILES = [("/proc/sysrq-trigger", "write"), ("/proc/irq/default_smp_affinity", "write"), ("/proc/timer_list", "read"),
         ("/proc/kcore", "read"), ("/proc/kmsg", "read"), ("/proc/kpagecount", "read"), ("/proc/kpageflags", "read"),
         ("/proc/sched_debug", "read"), ("/proc/mtrr", "write"), ("/proc/slabinfo", "read"), ("/proc/iomem", "write"),
         ("/proc/vmallocinfo", "read"), ("/proc/pagetypeinfo", "read")]


@pytest.mark.parametrize("path, how", FILES, ids=[path for path, how in FILES])
def test_e041_proc_file(lab, path, how):
    """What controls or shows the machine is closed; the control is root's, where this kernel has the file."""
    there = os.path.exists(path) and os.stat(path).st_mode & (0o200 if how == "write" else 0o400)
    lab.legs(["open", path, how], {"EACCES", "EROFS", "ENOENT"}, control=lab.user.uid == 0 and bool(there))


@pytest.mark.parametrize("path", ["/proc/irq", "/proc/acpi", "/proc/fs", "/proc/scsi", "/proc/bus"])
def test_e041_proc_folder(lab, path):
    """Folders of drivers are the host root's, who is not in the box (EPERM), or covered by a read-only mount (EROFS);
    the control is root setting the same mode."""
    there = os.path.isdir(path)
    lab.legs(["chmod", path, "0555"], {"EPERM", "EROFS"} if there else {"ENOENT"},
             control=there and lab.user.uid == 0, without=("landlock",))


WALK = """
import os
roots = [e.path for e in os.scandir("/proc") if not e.name.isdigit() and e.name not in ("self", "thread-self", "net")]
for path in roots + [os.path.join(base, n) for root in roots for base, _, names in os.walk(root) for n in names]:
    try:
        os.path.islink(path) or os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        continue
    os.path.islink(path) or print(path)
"""


def test_e041_no_file_of_the_machine_can_be_written(lab):
    """Of all that /proc holds beside the processes, no file opens for writing; the control is root's, for whom many
    do, where he is the host's."""
    if lab.user.uid == 0:
        assert "/proc/irq/default_smp_affinity" in lab.plain(["/usr/bin/python3", "-c", WALK]).out.splitlines()
    for layer in None, "landlock", "seccomp":
        how = {"binary": lab.layers_off, "env": {"PINFOLD_WITHOUT": layer}} if layer else {}
        result = lab.run(["/usr/bin/python3", "-c", WALK], **how)
        assert result.code == 0 and not result.out, (layer, result)


SYSFS = ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state", "/sys/kernel/uevent_helper",
         "/sys/module/printk/parameters/time", "/sys/block/vda/uevent", "/sys/kernel/profiling", "/sys/power/disk",
         "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/cpu/release_agent", "/sys/kernel/reboot/mode"]


@pytest.mark.parametrize("path", SYSFS)
def test_e042_sysfs_file(lab, path):
    """Settings in /sys are not there; the control is root's, where this kernel has the file."""
    lab.legs(["open", path, "write"], {"ENOENT"}, control=lab.user.uid == 0 and os.path.exists(path))


@pytest.mark.parametrize("path", ["/sys/kernel", "/sys/fs", "/sys/fs/cgroup", "/sys/fs/bpf", "/sys/kernel/debug",
                                  "/sys/kernel/tracing", "/sys/kernel/security", "/sys/module", "/sys/class",
                                  "/sys/firmware", "/sys/block", "/sys/bus", "/sys/dev"])
def test_e042_sysfs_folder(lab, path):
    """Of /sys only the processors are there."""
    allowed = os.path.isdir(path) and lab.plain(["/bin/ls", path]).code == 0
    lab.legs(["list", path], {"ENOENT"}, control=allowed)


CPU = "/sys/devices/system/cpu"


@pytest.mark.parametrize("name", ["cpu1/online", "smt/control", "cpu0/uevent", "uevent", "cpu0/microcode/reload"])
def test_e042_processors_are_read_only(lab, name):
    """What is there of /sys can't be written; the control is root's, where this kernel has the file.
    EACCES is the kernel's, which knows the box's users as nobody."""
    path = f"{CPU}/{name}"
    there = os.path.exists(path)
    lab.legs(["open", path, "write"], {"EACCES", "EROFS"} if there else {"ENOENT"},
             control=lab.user.uid == 0 and there)


def test_e042_processors_mount_is_read_only(lab):
    """The mount itself is read-only, which mkdir shows; without it the kernel says EPERM or EACCES."""
    lab.legs(["mkdir", f"{CPU}/x"], {"EROFS"}, control=False, without=("landlock",))
    assert lab.plain([lab.attacker, "mkdir", f"{CPU}/x"]).verdict in ("EPERM", "EACCES")
