"""Closed system calls by number, unknown numbers and foreign entries: 122 to 133, 136 to 139. S: the seccomp filter.

Two kinds of control. Where the act itself is harmless, it is done (`perf_event`, `clone_flags`). Else the call is made
with arguments that the kernel finds wrong, and the control must get past every permission check (`reach`): a bad
pointer then gives EFAULT and not EPERM. What only root may try has its control as root, or in a user namespace.
"""
import os
import platform

import batch
import pytest

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")

# Done for good in the control, as the user.
DONE = {
    "perf_event_open": "perf_event",
    "userfaultfd": "call 323 1",
    "io_uring_setup": "uring_setup",
    "personality, pages become executable": "call 135 0x400000",
    "the same with high bits": "call 135 0x100400000",
    "modify_ldt, read": "call 154 0 @ 64",
    "fanotify_init": "call 300 0x200 0",
}

# Got past the permission checks in the control, as the user: the arguments are wrong.
REACHED = {
    "add_key": "reach 248 0 0 0 0 0", "request_key": "reach 249 0 0 0 0", "keyctl": "reach 250 9999",
    "io_uring_enter": "reach 426 -1 0 0 0", "io_uring_register": "reach 427 -1 0 0 0",
    "unshare, unknown flags": "reach 272 0x7e020000 0", "setns": "reach 308 -1 0", "kcmp": "reach 312 0 0 99 0 0",
    "clock_settime": "reach 227 0 0", "settimeofday": "reach 164 1 0", "quotactl": "reach 179 0xffffffff 0 0 0",
}

# The same as root.
ROOT = {
    "bpf": "bpf_map", "reboot": "reach 169 0 0 0 0", "swapon": "reach 167 0 0", "swapoff": "reach 168 0",
    "acct": "reach 163 1", "syslog": "reach 103 99 0 0", "quotactl_fd": "reach 443 -1 0 0 0",
    "sethostname": "reach 170 1 3", "setdomainname": "reach 171 1 3", "adjtimex": "reach 159 1",
    "clock_adjtime": "reach 305 0 1", "open_by_handle_at": "reach 304 -1 0 0", "mount": "reach 165 1 1 1 0 0",
    "umount2": "reach 166 1 0", "pivot_root": "reach 155 1 1", "open_tree": "reach 428 -1 1 1",
    "move_mount": "reach 429 -1 1 -1 1 0", "fsopen": "reach 430 1 0", "fsconfig": "reach 431 -1 0 0 0 0",
    "fsmount": "reach 432 -1 0 0", "fspick": "reach 433 -1 1 0", "mount_setattr": "reach 442 -1 1 0 1 32",
    "open_tree_attr": "reach 467 -1 1 1 1 32", "chroot": "call 161 =/", "setns of a pidfd": "setns_pidfd 0x4000000",
    "vhangup": "reach 153", "fanotify_mark": "reach 301 -1 0 0 0 0",
    **{f"setns of {kind}": f"setns_own {kind}" for kind in ("mnt", "pid", "net", "ipc", "uts", "cgroup", "time")},
}

# Not in this kernel, or in none of today: the control may see ENOSYS, and the box must not depend on that.
ABSENT = {
    "init_module": ("175", "EPERM"), "finit_module": ("313", "EPERM"), "delete_module": ("176", "EPERM"),
    "kexec_load": ("246", "EPERM"), "kexec_file_load": ("320", "EPERM"), "iopl": ("172", "EPERM"),
    "ioperm": ("173", "EPERM"), "create_module": ("174", "ENOSYS"), "uselib": ("134", "ENOSYS"),
    "nfsservctl": ("180", "ENOSYS"), "lookup_dcookie": ("212", "ENOSYS"),
}

NAMESPACES = {"time": 0x80, "mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000,
              "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}


def words(table):
    return [line.split() for line in table.values()]


def test_e123_closed_calls_done(lab):
    """Calls that every user may make outside are refused inside: 123, 124, 126, 136, 137, 139."""
    batch.legs(lab, words(DONE), {"EPERM"})


def test_e125_closed_calls_reached(lab):
    """Calls that the kernel itself would judge outside, for every user, are refused before that: 125 to 127, 129, 137,
    138."""
    batch.legs(lab, words(REACHED), {"EPERM"})


def test_e122_closed_calls_of_root(lab):
    """Calls that only root may make outside are refused inside, to root too: 122, 129, 130, 138, and the mount calls of
    23 to 27. Control as root; where the tests aren't root's, the denied leg alone."""
    batch.legs(lab, words(ROOT), {"EPERM"}, root=True, **({"control": None} if os.geteuid() else {}))


def test_e130_closed_calls_absent_here(lab):
    """Calls that this kernel may lack: as root outside they either reach the kernel's checks or give ENOSYS; inside
    the filter answers: 130, 136, 137."""
    attacks = [["reach", number, "1", "1", "0"] for number, _ in ABSENT.values()]
    batch.legs(lab, attacks, [{errno} for _, errno in ABSENT.values()], control={"ok", "ENOSYS"}, root=True)


def test_e137_calls_of_old(lab):
    """Calls of old that every user may make outside (ustat, sysfs) are as on a kernel built without them."""
    batch.legs(lab, [["reach", "136", "0", "@"], ["call", "139", "3"]], {"ENOSYS"})


@pytest.mark.parametrize("layers", ["seccomp", "seccomp,capabilities,user-namespace"])
def test_e122_shipped_binary_has_no_layer_switch(lab, layers):
    """The variable that leaves a layer out in the tests' twin is nothing to the program that people install."""
    attacks = words(DONE)
    done = lab.run(["/bin/sh", "-c", batch.script(lab, attacks)], env={"PINFOLD_WITHOUT": layers})
    batch.expect(batch.verdicts(done, attacks), {"EPERM"}, attacks, "in the box")
    attacks = attacks[:3]
    batch.expect(batch.inside(lab, attacks, layer=layers.split(",")[0]), {"ok"}, attacks, "in the twin")


def test_e127_unshare(lab):
    """No new namespace of any kind, alone or with a user namespace. The control makes it inside a user namespace."""
    attacks = [["call", "272", hex(flag | more)] for flag in NAMESPACES.values() for more in (0, NAMESPACES["user"])]
    batch.legs(lab, attacks, {"EPERM"}, front=batch.PRIVATE)


def test_e127_clone(lab):
    """clone refuses the same flags, also with bits set above the 32 that the kernel looks at."""
    attacks = [["clone_flags", hex(flag | more)] for kind, flag in NAMESPACES.items() if kind != "time"
               for more in (0, 1 << 32, 0xffffffff << 32 & (1 << 63) - 1, NAMESPACES["user"])]
    batch.legs(lab, attacks, {"EPERM"}, front=batch.PRIVATE)
    batch.legs(lab, [["clone_flags", "0"], ["clone_flags", hex(1 << 32)]], {"ok"})


def test_e127_without_the_filter(lab):
    """Without the filter no user namespace can be made either: the box allows none below its own."""
    attacks = [["call", "272", "0x10000000"], ["clone_flags", "0x10000000"], ["clone_flags", "0x10020000"]]
    batch.expect(batch.outside(lab, attacks), {"ok"}, attacks, "control leg")
    batch.expect(batch.inside(lab, attacks, layer="seccomp"), {"ENOSPC"}, attacks, "without the filter")


def test_e128_clone3(lab):
    """clone3 is not there, so that the C library falls back to clone, whose flags the filter can see."""
    batch.legs(lab, [["clone3_flags", "0"], ["clone3_flags", "0x10000000"]], {"ENOSYS"})


def test_e129_setns_user(lab):
    """No entry into a user namespace; outside the kernel judges that (EINVAL for one's own)."""
    batch.legs(lab, [["setns_own", "user"]], {"EPERM"}, control={"EINVAL"})


def test_e131_int80(lab):
    """The 32-bit entry kills, whatever the number: getpid, socket, socketcall, execve, exit, clone, unshare. Control
    with getpid; a host whose processor or hypervisor has no such entry kills with SIGSEGV, outside and inside."""
    control = lab.plain([lab.attacker, "int80", "20"]).verdict
    assert control in {"ok", "SIGSEGV"}, control
    attacks = [["int80", number] for number in "20 359 102 11 1 120 310".split()]
    batch.legs(lab, attacks, {"SIGSYS"} if control == "ok" else {"SIGSEGV"}, control=None)


def test_e132_x32(lab):
    """Numbers of the x32 entry kill; a kernel without it answers ENOSYS outside, which counts as arrived."""
    batch.legs(lab, [["x32", "39"], ["x32", "41"]], {"SIGSYS"})
    batch.legs(lab, [["x32", number] for number in "0 56 59 272 512 547".split()], {"SIGSYS"}, control=None)


def test_e133_unknown_numbers(lab):
    """Numbers that the filter doesn't know are answered as an older kernel would, so that programs fall back. No
    kernel of today has them, so there is no control but its ENOSYS."""
    attacks = [["call", str(number)] for number in (470, 471, 500, 511, 1000, 0xffff, 0x3fffffff)]
    batch.legs(lab, attacks, {"ENOSYS"}, control={"ENOSYS", "EINVAL", "EFAULT", "EBADF", "EPERM"})


def test_e133_numbers_with_high_bits(lab):
    """Numbers from the x32 bit upwards kill: no kernel will ever have them but for x32. Only -1 passes, to which every
    kernel says ENOSYS: it is what a tracer sets to have a call skipped."""
    numbers = (0x40000000, 0x7fffffff, 0x80000000, 0xc0000000, 0xfffffffe)
    batch.legs(lab, [["call", str(number)] for number in numbers], {"SIGSYS"}, control=None)
    batch.legs(lab, [["call", str(0xffffffff)], ["call", "-1"]], {"ENOSYS"}, control={"ENOSYS"})


def test_e139_number_above_32_bits(lab):
    """The kernel looks at 32 bits of the number, and so does the filter: setting higher ones changes nothing."""
    batch.legs(lab, [["high_number", "272", "0x10000000"]], {"EPERM"})
    batch.legs(lab, [["high_number", "39"]], {"ok"})


def test_e136_personality_of_debuggers(lab):
    """Asking for the personality and switching address randomisation off (gdb does) work."""
    batch.legs(lab, [["call", "135", value] for value in ("0xffffffff", "0x40000", "0")], {"ok"})
