"""What pinfold needs and the host doesn't give: exit 126, one line with cause and remedy, and nothing has run.

Each test has a control leg first: the same command without the condition runs.
"""
import json
import os

import pytest

import receipts
from hosts import COMMAND, assert_ran, assert_refused, degraded, in_box, limited, namespace, nothing_ran, one_line

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="setting up this host needs root")

USERNS = "user namespace"
POWER = "(permi|AppArmor|SELinux|security module|profile|power)"
NO_NAMESPACES = [f"clone3={e},clonens={e},unsharens={e}" for e in ("EPERM", "ENOSPC", "EACCES", "EINVAL", "EUSERS")]


def refused(lab, cause, remedy, *options, **host):
    assert_ran(lab, in_box(lab, *options))
    result = in_box(lab, *options, **host)
    assert_refused(lab, result, cause, remedy)


@pytest.mark.parametrize("rules", [*NO_NAMESPACES, "clone3=ENOSYS,clonens=EPERM,unsharens=EPERM"])
def test_user_namespaces_denied(lab, rules):
    refused(lab, USERNS, "max_user_namespaces|unprivileged_userns|AppArmor", inner=degraded(rules))


@only_root
def test_user_namespaces_absent(lab):
    refused(lab, USERNS, "max_user_namespaces", outer=limited("max_user_namespaces", 0))


@only_root
def test_user_namespaces_denied_in_a_chroot(lab):
    script = "mount --rbind / /mnt; set -- chroot /mnt \"$@\""
    # The current directory is lost by chroot: it comes back by an absolute path.
    back = ["sh", "-c", 'cd "$0" && exec "$@"', lab.ws]
    assert_ran(lab, in_box(lab, inner=back, outer=namespace("mount --rbind / /mnt")))
    refused(lab, f"{USERNS}|chroot", "chroot|max_user_namespaces", inner=back, outer=namespace(script))


@only_root
@pytest.mark.parametrize("kind", ["mnt", "pid", "net", "ipc", "uts", "cgroup"])
def test_one_kind_of_namespace_absent(lab, kind):
    names = {"mnt": "mount", "net": "(net|network)"}
    limit = f"max_{kind}_namespaces"
    # the limit is set in a user namespace, where a root caller's mounts can't be mapped, which may be found first
    options = ["--waive", "privilege"] if kind == "net" and lab.user.uid == 0 else []
    refused(lab, f"{names.get(kind, kind)} namespace", limit, *options, outer=limited(limit, 0))


@pytest.mark.parametrize("error", ["EPERM", "EACCES"])
def test_user_namespaces_powerless(lab, error):
    calls = ("mount", "fsopen", "fsconfig", "fsmount", "open_tree", "move_mount", "mount_setattr")
    remedy = POWER if lab.user.uid else f"{POWER}|ordinary user"   # root's mounts are mapped first, which fails as well
    refused(lab, "mount|file system of the box", remedy, inner=degraded(",".join(f"{c}={error}" for c in calls)))


def test_namespaces_denied_to_init(lab):
    """Not for a limit: then raising one is no remedy."""
    refused(lab, "mount namespace", POWER, inner=degraded("unsharens=EPERM"))
    refused(lab, "network namespace", POWER, inner=degraded("init/unshare#2=EPERM"))


def test_an_init_that_ended_at_once_says_why(lab):
    """Its id maps can't be written any more, which is not what failed."""
    refused(lab, "close every descriptor", "close_range", inner=degraded("close_range=ENOSYS,openat=delay:20"))


def test_dumpable_can_not_be_cleared(lab):
    refused(lab, "protect itself", "profile", inner=degraded("prctl@0:4=EPERM"))


@pytest.mark.parametrize("error", ["ENOSYS", "EOPNOTSUPP"])
def test_landlock_hidden(lab, error):
    calls = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
    refused(lab, "Landlock", "lsm=|kernel", inner=degraded(f"landlock_create_ruleset={error}"))
    refused(lab, "Landlock", "lsm=|kernel", inner=degraded(",".join(f"{c}={error}" for c in calls)))


@pytest.mark.parametrize("rule", [
    "landlock_restrict_self=EPERM", "landlock_restrict_self=E2BIG", "landlock_add_rule=EINVAL",
    "landlock_add_rule=ENOMSG", "landlock_create_ruleset=EINVAL", "landlock_create_ruleset@2:0=EINVAL",
    "landlock_create_ruleset@2:0=ENOMSG", "landlock_create_ruleset@2:1=EOPNOTSUPP"])
def test_landlock_fails(lab, rule):
    """The last argument of landlock_create_ruleset is 1 when only the version is asked for."""
    refused(lab, "Landlock", ".", inner=degraded(rule))


@pytest.mark.parametrize("error,remedy", [
    ("EINVAL", "seccomp|kernel"), ("ENOSYS", "seccomp|kernel"), ("EPERM", "seccomp|kernel"),
    ("EACCES", "seccomp|kernel"), ("ENOMEM", "memory")])
def test_seccomp_refused(lab, error, remedy):
    refused(lab, "seccomp|system call filter", remedy, inner=degraded(f"seccomp-filter={error}"))


@only_root
@pytest.mark.parametrize("mask", ["mount --bind /dev/null /proc/interrupts", "mount -t tmpfs -o ro none /proc/tty",
                                  "mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys"])
def test_proc_masked(lab, mask):
    """A container's /proc: the kernel gives no new one in a user namespace then, since it would show what is masked."""
    assert_ran(lab, in_box(lab, outer=namespace("true")))
    refused(lab, "/proc", "container|systempaths|mask", outer=namespace(mask))


@pytest.mark.parametrize("error", ["EPERM", "EINVAL"])
def test_pivot_root_fails(lab, error):
    refused(lab, "root", "initramfs|chroot", inner=degraded(f"pivot_root={error}"))


def test_a_refusal_writes_a_receipt(lab):
    path = lab.scratch.path / "receipt.json"
    for rules in (NO_NAMESPACES[0], "landlock_create_ruleset=ENOSYS", "seccomp-filter=EINVAL", "pivot_root=EPERM"):
        path.unlink(missing_ok=True)
        result = in_box(lab, "--receipt", path, inner=degraded(rules))
        assert_refused(lab, result)
        receipt = receipts.read(path)
        assert receipt["outcome"] == "refused", receipt
        assert receipt.get("confined") != "full", f"a refusal that grades as confined: {receipt}"
        assert "held" not in json.dumps(receipt.get("guarantees", {})), receipt


def test_a_refusal_does_not_read_standard_input(lab):
    """Who is refused may run the next thing with the same input."""
    with open(lab.file(lab.home / "input", "first\nsecond\n")) as file:
        result = in_box(lab, inner=degraded(NO_NAMESPACES[0]), stdin=file)
        assert_refused(lab, result)
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 0


@pytest.mark.parametrize("command", [COMMAND, ["/nonexistent"], ["/etc/passwd"], ["sh", "-c", "exit 3"]])
def test_a_refusal_comes_before_the_look_for_the_command(lab, command):
    result = in_box(lab, command=command, inner=degraded("landlock_restrict_self=EPERM"))
    assert nothing_ran(lab, result) and one_line(result), result
    assert result.code == 126 or (result.code == 127 and command == ["/nonexistent"]), result
