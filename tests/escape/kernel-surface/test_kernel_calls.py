"""Closed system calls by number, unknown numbers and foreign entries: 122 to 133, 136 to 138. S: the seccomp filter.

Two kinds of control. Where the act itself is harmless, it is done (`perf_event`, `clone_flags`). Else the call is made
with arguments that the kernel finds wrong, and the control must get past every permission check (`reach`): a bad
pointer then gives EFAULT and not EPERM. What only root may try has its control as root, or in a user namespace.
"""
import os
import platform

import pytest

UNSHARE = ["/usr/bin/unshare", "-Ur", "--keep-caps"]
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")


def rooted(lab, words, expect, **more):
    """The legs of a call that only root may make: the control runs as root on the host."""
    full = [lab.attacker, *words]
    if os.geteuid() != 0:
        lab.legs(words, expect, control_argv=[*UNSHARE, *full], **more)
        return
    user, lab.user = lab.user, type(lab.user)(0)
    control = lab.plain(full)
    lab.user = user
    assert control.verdict == "ok", f"control leg as root: {control}"
    lab.legs(words, expect, control=False, **more)


# Done for good in the control, as the user.
DONE = {
    "e123-perf_event_open": ["perf_event"],
    "e124-userfaultfd": ["call", "323", "1"],
    "e126-io_uring_setup": ["uring_setup"],
    "e136-personality-read-implies-exec": ["call", "135", "0x400000"],
    "e136-personality-high-bits": ["call", "135", "0x100400000"],
    "e136-modify_ldt-read": ["call", "154", "0", "@", "64"],
    "e137-fanotify_init": ["call", "300", "0x200", "0"],
}

# Got past the permission checks in the control, as the user: the arguments are wrong.
REACHED = {
    "e125-add_key": ["reach", "248", "0", "0", "0", "0", "0"],
    "e125-request_key": ["reach", "249", "0", "0", "0", "0"],
    "e125-keyctl": ["reach", "250", "9999"],
    "e126-io_uring_enter": ["reach", "426", "-1", "0", "0", "0"],
    "e126-io_uring_register": ["reach", "427", "-1", "0", "0", "0"],
    "e127-unshare-everything": ["reach", "272", "0x7e020000", "0"],
    "e129-setns": ["reach", "308", "-1", "0"],
    "e137-kcmp": ["reach", "312", "0", "0", "99", "0", "0"],
    "e138-clock_settime": ["reach", "227", "0", "0"],
    "e138-settimeofday": ["reach", "164", "1", "0"],
    "e130-quotactl": ["reach", "179", "0xffffffff", "0", "0", "0"],
}

# The same as root.
ROOT = {
    "e122-bpf": ["bpf_map"],
    "e130-reboot": ["reach", "169", "0", "0", "0", "0"],
    "e130-swapon": ["reach", "167", "0", "0"],
    "e130-swapoff": ["reach", "168", "0"],
    "e130-acct": ["reach", "163", "1"],
    "e130-syslog": ["reach", "103", "99", "0", "0"],
    "e130-quotactl_fd": ["reach", "443", "-1", "0", "0", "0"],
    "e138-sethostname": ["reach", "170", "1", "3"],
    "e138-setdomainname": ["reach", "171", "1", "3"],
    "e27-open_by_handle_at": ["reach", "304", "-1", "0", "0"],
    "e23-mount": ["reach", "165", "1", "1", "1", "0", "0"],
    "e23-umount2": ["reach", "166", "1", "0"],
    "e23-pivot_root": ["reach", "155", "1", "1"],
    "e24-open_tree": ["reach", "428", "-1", "1", "1"],
    "e24-move_mount": ["reach", "429", "-1", "1", "-1", "1", "0"],
    "e24-fsopen": ["reach", "430", "1", "0"],
    "e24-fsconfig": ["reach", "431", "-1", "0", "0", "0", "0"],
    "e24-fsmount": ["reach", "432", "-1", "0", "0"],
    "e24-fspick": ["reach", "433", "-1", "1", "0"],
    "e24-mount_setattr": ["reach", "442", "-1", "1", "0", "1", "32"],
    "e24-open_tree_attr": ["reach", "467", "-1", "1", "1", "1", "32"],
    "e26-chroot": ["call", "161", "=/"],
}

# Not in this kernel, or not in any of today: the control sees ENOSYS, and the box must not depend on that.
ABSENT = {
    "e130-init_module": ("175", {"EPERM"}), "e130-finit_module": ("313", {"EPERM"}),
    "e130-delete_module": ("176", {"EPERM"}), "e130-kexec_load": ("246", {"EPERM"}),
    "e130-kexec_file_load": ("320", {"EPERM"}), "e136-iopl": ("172", {"EPERM"}), "e136-ioperm": ("173", {"EPERM"}),
    "e130-create_module": ("174", {"ENOSYS"}), "e137-uselib": ("134", {"ENOSYS"}),
    "e137-nfsservctl": ("180", {"ENOSYS"}), "e137-lookup_dcookie": ("212", {"ENOSYS"}),
}


@pytest.mark.parametrize("name", DONE)
def test_e123_closed_calls_done(lab, name):
    """Calls that every user may make outside are refused inside."""
    lab.legs(DONE[name], {"EPERM"})


@pytest.mark.parametrize("name", REACHED)
def test_e125_closed_calls_reached(lab, name):
    """Calls with wrong arguments, which the kernel itself would judge outside, are refused before that inside."""
    lab.legs(REACHED[name], {"EPERM"})


@pytest.mark.parametrize("name", ROOT)
def test_e130_closed_calls_of_root(lab, name):
    """Calls that only root may make outside are refused inside, to root too. Control as root."""
    rooted(lab, ROOT[name], {"EPERM"})


@pytest.mark.parametrize("name", ABSENT)
def test_e130_closed_calls_absent_here(lab, name):
    """Calls that this kernel may lack: as root outside they either reach the kernel's checks or give ENOSYS; inside
    the filter answers."""
    number, expect = ABSENT[name]
    user, lab.user = lab.user, type(lab.user)(0) if os.geteuid() == 0 else lab.user
    control = lab.plain([lab.attacker, "reach", number, "1", "1", "0"])
    lab.user = user
    assert control.verdict in {"ok", "ENOSYS"} or os.geteuid() != 0, f"control leg as root: {control}"
    lab.legs(["reach", number, "1", "1", "0"], expect, control=False)


@pytest.mark.parametrize("words", [["reach", "136", "0", "@"], ["call", "139", "3"]], ids=["ustat", "sysfs"])
def test_e137_calls_of_old(lab, words):
    """Calls of old that every user may make outside are as on a kernel built without them."""
    lab.legs(words, {"ENOSYS"})


@pytest.mark.parametrize("name", ["bpf_map", "perf_event", "uring_setup", "key", "userfaultfd"])
def test_e122_shipped_binary_has_no_layer_switch(lab, name):
    """The variable that leaves a layer out in the tests' twin is nothing to the program that people install."""
    words = {"key": ["reach", "250", "9999"], "userfaultfd": ["call", "323", "1"]}.get(name, [name])
    for layer in "seccomp", "seccomp,capabilities,user-namespace":
        done = lab.run([lab.attacker, *words], env={"PINFOLD_WITHOUT": layer})
        assert done.verdict == "EPERM", done


NAMESPACES = {"time": 0x80, "mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000,
              "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}


@pytest.mark.parametrize("kind", NAMESPACES)
def test_e127_unshare(lab, kind):
    """No new namespace of any kind, alone or with a user namespace. The control makes it inside a user namespace."""
    flags = hex(NAMESPACES[kind])
    for words in ["call", "272", flags], ["call", "272", hex(NAMESPACES[kind] | 0x10000000)]:
        lab.legs(words, {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, *words])


@pytest.mark.parametrize("kind", [kind for kind in NAMESPACES if kind != "time"])
def test_e127_clone(lab, kind):
    """clone refuses the same flags, also with bits set above the 32 that the kernel looks at."""
    for extra in 0, 1 << 32, 0x10000000:
        words = ["clone_flags", hex(NAMESPACES[kind] | extra)]
        lab.legs(words, {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, *words])


def test_e127_seccomp_is_not_the_only_wall(lab):
    """Without the filter a user namespace may be made inside, but gives nothing over what exists: the files outside
    the workspace stay read-only."""
    lab.file(lab.outside / "f")
    mount = 'mount --bind "$0" /usr 2>/dev/null && exit 9; mount -o remount,bind,rw /usr 2>/dev/null && exit 8; ' \
            '"$1" call 161 @ >/dev/null; echo x 2>/dev/null >"$2" && exit 7; echo EROFS'
    done = lab.run(["/usr/bin/unshare", "-Urm", "/bin/sh", "-c", 'echo x 2>/dev/null >"$2" && echo ok || echo EROFS',
                    mount, lab.attacker, lab.outside / "f"], "--read", lab.outside, binary=lab.layers_off,
                   env={"PINFOLD_WITHOUT": "seccomp"})
    assert done.verdict in {"EROFS", "EPERM"} or "unshare" in done.err, done
    assert (lab.outside / "f").read_text() == "host\n"


def test_e128_clone3(lab):
    """clone3 is not there, so that the C library falls back to clone, whose flags the filter can see."""
    lab.legs(["clone3_flags", "0"], {"ENOSYS"})
    words = ["clone3_flags", "0x10000000"]
    lab.legs(words, {"ENOSYS"})


@pytest.mark.parametrize("kind", ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"])
def test_e129_setns(lab, kind):
    """No entry into a namespace by its file. Control as root, into its own; user namespaces refuse that with EINVAL
    outside, so there it must only be reached."""
    words = ["setns_own", kind]
    if kind == "user":
        control = lab.plain([lab.attacker, *words])
        assert control.verdict == "EINVAL", control
        lab.legs(words, {"EPERM"}, control=False)
    else:
        rooted(lab, words, {"EPERM"})


def test_e129_setns_by_process(lab):
    """Nor by a pidfd. Control as root."""
    rooted(lab, ["setns_pidfd", "0x4000000"], {"EPERM"})


@pytest.mark.parametrize("number", ["20", "359", "102", "11", "1", "120", "310"])
def test_e131_int80(lab, number):
    """The 32-bit entry kills, whatever the number: getpid, socket, socketcall, execve, exit, clone, unshare. Control
    with getpid; a host whose processor or hypervisor has no such entry kills with SIGSEGV, outside and inside."""
    control = lab.plain([lab.attacker, "int80", "20"]).verdict
    assert control in {"ok", "SIGSEGV"}, control
    lab.legs(["int80", number], {"SIGSYS"} if control == "ok" else {"SIGSEGV"}, control=False)


@pytest.mark.parametrize("number", ["39", "41", "59", "272", "512", "547"])
def test_e132_x32(lab, number):
    """Numbers of the x32 entry kill; a kernel without it answers ENOSYS outside, which counts as arrived."""
    words = ["x32", number]
    lab.legs(words, {"SIGSYS"}, control=number in {"39", "41"})


@pytest.mark.parametrize("number", [470, 471, 500, 511, 1000, 0x3fffffff])
def test_e133_unknown_numbers(lab, number):
    """Numbers that the filter doesn't know are answered as an older kernel would, so that programs fall back. No
    kernel of today has them, so there is no control but ENOSYS."""
    assert lab.plain([lab.attacker, "call", str(number)]).verdict in {"ENOSYS", "EINVAL", "EFAULT", "EBADF", "EPERM"}
    lab.legs(["call", str(number)], {"ENOSYS"}, control=False)


@pytest.mark.parametrize("number", [0x40000000, 0x7fffffff, 0x80000000, 0xc0000000, 0xffffffff])
def test_e133_numbers_with_high_bits(lab, number):
    """Numbers from the x32 bit upwards kill: no kernel will ever have them but for x32."""
    lab.legs(["call", str(number)], {"SIGSYS"}, control=False)


def test_e139_number_above_32_bits(lab):
    """The kernel looks at 32 bits of the number, and so does the filter: setting higher ones changes nothing."""
    lab.legs(["high_number", "272", "0x10000000"], {"EPERM"})
    lab.legs(["high_number", "39"], {"ok"})


def test_e136_personality_of_debuggers(lab):
    """Asking for the personality and switching address randomisation off (gdb does) work."""
    for value in "0xffffffff", "0x40000", "0":
        lab.legs(["call", "135", value], {"ok"})


def test_e138_clock_adjustment(lab):
    """Reading the clock's state may work, setting it doesn't. Control as root, with the value that is set already."""
    rooted(lab, ["reach", "159", "1"], {"EPERM"})
    rooted(lab, ["reach", "305", "0", "1"], {"EPERM"})
