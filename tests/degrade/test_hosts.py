"""Hosts that are odd but have all that pinfold needs: a run that holds every guarantee, or a refusal."""
import itertools
import os
import signal

import pytest

import receipts
from harness import users
from hosts import COMMAND, MARKER, State, assert_ran, assert_refused, difference, in_box, namespace, nothing_ran

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="setting up this host needs root")


def read_only_root(lab):
    return f"mount --bind {lab.ws} {lab.ws}; mount -o remount,bind,ro /"


MOUNTS = {
    "read-only-root": read_only_root,
    "hidepid": lambda lab: "mount -t proc -o hidepid=2 none /proc",
    "hidepid-invisible": lambda lab: "mount -t proc -o hidepid=invisible none /proc",
    "hidepid-ptraceable": lambda lab: "mount -t proc -o hidepid=ptraceable none /proc",
    "no-sys": lambda lab: "mount -t tmpfs none /sys",
    "noexec-tmp": lambda lab: "mount -t tmpfs -o noexec,nosuid,nodev none /tmp",
    "read-only-tmp": lambda lab: "mount -t tmpfs -o ro none /tmp",
    "no-dev-but-null": lambda lab: "touch /tmp/null; mount --bind /dev/null /tmp/null; mount -t tmpfs none /dev; "
                                   "touch /dev/null; mount --bind /tmp/null /dev/null",
    "shared-mounts": lambda lab: "mount --make-rshared /",
    "workspace-mount": lambda lab: f"mount --bind {lab.ws} {lab.ws}",
    "unbindable-root": lambda lab: "mount --make-runbindable /",
}


@only_root
@pytest.mark.parametrize("mounts", MOUNTS)
def test_mounts_of_the_host(lab, mounts):
    result = in_box(lab, outer=namespace(MOUNTS[mounts](lab)))
    if result.code == 0:
        assert_ran(lab, result)
    else:
        assert_refused(lab, result)


@only_root
@pytest.mark.parametrize("mounts", ["read-only-root", "hidepid", "noexec-tmp", "shared-mounts"])
def test_the_box_is_the_same_on_such_a_host(lab, mounts):
    """The reference is a run in a mount namespace with the workspace's own mount, as read-only-root needs it."""
    state = State(lab)
    reference = state.run(outer=namespace(f"mount --bind {lab.ws} {lab.ws}"))
    (lab.ws / MARKER).unlink()
    state.receipt.unlink()
    writable = f"mount --bind {lab.scratch.path} {lab.scratch.path}; "   # for the receipt
    script = writable + f"mount --bind {lab.ws} {lab.ws}; " + MOUNTS[mounts](lab)
    result = state.run(outer=namespace(script))
    assert result.out == reference.out, difference(reference.out, result.out)
    assert result.code == reference.code and result.err == "", result
    receipt, states = state.guarantees()
    assert receipt["confined"] == "full" and set(states.values()) == {"held"}, receipt


@only_root
def test_workspace_on_a_full_disk(lab):
    full = f"mount -t tmpfs -o size=64k,mode=777 none {lab.ws}; dd if=/dev/zero of={lab.ws}/fill bs=4k || true"
    script = "echo ran; dd if=/dev/zero of=more bs=4k count=1 2>&1 | grep -c 'No space left'"
    result = in_box(lab, outer=namespace(full), command=["sh", "-c", script])
    assert result.code == 0 and result.out == "ran\n1\n" and result.err == "", result


@only_root
@pytest.mark.parametrize("size", ["4k", "64k"])
def test_receipt_on_a_full_disk(lab, size):
    """What was run is told even so: a status and a line that say that the receipt could not be written."""
    place = lab.outside
    full = f"mount -t tmpfs -o size={size},mode=777 none {place}; dd if=/dev/zero of={place}/fill bs=4k || true"
    result = in_box(lab, "--receipt", place / "receipt.json", outer=namespace(full))
    if nothing_ran(lab, result):
        assert result.code in (125, 126) and result.err.startswith("pinfold: "), result
    else:
        assert "pinfold: the receipt could not be written: No space left on device" in result.err, result


COMBINATIONS = [c for n in (1, 2, 3) for c in itertools.combinations((0, 1, 2), n)]
DESCRIBE = f": >{MARKER}; all=$(for n in 0 1 2 4 5 6 7 8 9; do echo $n $(readlink /proc/$$/fd/$n); done); " \
           "echo \"$all\" >described; echo ran; echo ran >&2"   # 3 is the shell's own, for $()


@pytest.mark.parametrize("closed", COMBINATIONS, ids=lambda c: "-".join(map(str, c)))
def test_closed_descriptors(lab, closed):
    """Nothing of pinfold's or the receipt's may end up as the command's standard input or output."""
    receipt = lab.scratch.path / "receipt.json"
    inner = ["sh", "-c", 'exec "$@" ' + " ".join(f"{n}{'<' if n == 0 else '>'}&-" for n in closed), "sh"]
    result = in_box(lab, "--receipt", receipt, inner=inner, command=["sh", "-c", DESCRIBE])
    if result.code == 126 and not (lab.ws / MARKER).exists():
        return
    rows = [line.split(" ", 1) for line in (lab.ws / "described").read_text().splitlines()]
    opened = {int(n): target.split(":")[0] for n, target in (row for row in rows if len(row) == 2) if target}
    assert set(opened) <= {0, 1, 2}, f"descriptors that are not granted: {opened}"
    for number, target in opened.items():
        allowed = {"/dev/null"} if number in closed else {"/dev/null", "pipe"}
        assert target in allowed, (number, target)
    assert result.out == ("" if 1 in closed else "ran\n"), result
    assert result.err == ("" if 2 in closed else "ran\n") or 1 in closed, result
    assert receipts.read(receipt)["confined"] == "full"


LIMITS = ["nofile=16", "nproc=1", "nproc=2", "nproc=3", "nproc=5", "fsize=0", "fsize=100", f"as={16 << 20}",
          f"as={1 << 30}", f"stack={64 << 10}", f"data={1 << 20}", "memlock=0", "cpu=1", "sigpending=0", "msgqueue=0"]


def limited_by(limit):
    """Hard and soft. prlimit sets its own and becomes pinfold."""
    name, value = limit.split("=")
    return ["prlimit", f"--{name}={value}:{value}"]


def held_or_refused(lab, result, receipt):
    if nothing_ran(lab, result):
        assert_refused(lab, result)
        return
    assert_ran(lab, result)
    told = receipts.read(receipt)
    assert told["confined"] == "full" and {one["state"] for one in told["guarantees"].values()} == {"held"}, told


@pytest.mark.parametrize("limit", LIMITS)
def test_small_limits(lab, limit):
    """The receipt may be lost to a limit of file size; the command's own needs are small."""
    if limit.startswith("fsize"):
        result = in_box(lab, inner=limited_by(limit))
        assert_refused(lab, result) if nothing_ran(lab, result) else assert_ran(lab, result)
        return
    receipt = lab.scratch.path / "receipt.json"
    held_or_refused(lab, in_box(lab, "--receipt", receipt, inner=limited_by(limit)), receipt)


@pytest.mark.parametrize("some", [3, pytest.param(1, marks=pytest.mark.slow)], ids=["third", "every"])
def test_every_small_number_of_open_files(lab, some):
    """Each for one of the users, or each for all of them."""
    problems = []
    receipt = lab.scratch.path / "receipt.json"
    first = [user.uid for user in users()].index(lab.user.uid) if len(users()) == some else 0
    for count in range(4 + first, 48, some if len(users()) == some else 1):
        receipt.unlink(missing_ok=True)
        result = in_box(lab, "--receipt", receipt, inner=limited_by(f"nofile={count}"))
        try:
            if result.code == 125:   # the receipt can't be opened
                assert nothing_ran(lab, result) and result.err.startswith("pinfold: ")
            else:
                held_or_refused(lab, result, receipt)
        except (AssertionError, OSError) as problem:
            problems.append(f"{count} open files: {problem}")
            (lab.ws / MARKER).unlink(missing_ok=True)
    assert not problems, "\n".join(problems)


CATCHABLE = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
SIGNALS = {
    "ignored": lambda: [signal.signal(number, signal.SIG_IGN) for number in CATCHABLE],
    "child-ignored": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    "blocked": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()),
}


@pytest.mark.parametrize("signals", SIGNALS)
def test_inherited_signal_settings(lab, signals):
    receipt = lab.scratch.path / "receipt.json"
    held_or_refused(lab, in_box(lab, "--receipt", receipt, preexec_fn=SIGNALS[signals]), receipt)
    result = in_box(lab, command=["sh", "-c", "kill -9 $$"], preexec_fn=SIGNALS[signals])
    assert result.code == 128 + signal.SIGKILL, result


@pytest.mark.parametrize("umask", [0, 0o777])
def test_inherited_umask(lab, umask):
    script = f"{COMMAND[2]}; umask; ls /tmp /dev/pts $HOME >/dev/null && cat /etc/passwd >/dev/null && echo fine"
    result = in_box(lab, command=["sh", "-c", script], preexec_fn=lambda: os.umask(umask))
    assert result.out == f"ran\n{umask:04o}\nfine\n", result


def test_state_is_told_the_same_twice(lab):
    """The comparison that the tests here rest on is stable."""
    state = State(lab)
    assert state.undisturbed().out == state.undisturbed().out
