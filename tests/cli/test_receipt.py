"""The receipt: where it may be written, when it is written, and that it tells the truth."""
import json
import os
import stat

import pytest

import receipts
from workbench import PATH, PYTHON, raw

NAMES = ["fs-read", "fs-write", "fs-metadata", "fs-secret", "fs-protect", "fs-settle", "net-egress", "net-local", "unix-socket", "process", "ipc", "privilege",
         "kernel-surface", "environment", "descriptors", "no-survivors"]


def states(receipt):
    return {name: one["state"] for name, one in receipt["guarantees"].items()}


def test_fields_of_a_full_run(lab):
    result, receipt = lab.receipt(["sh", "-c", "exit 7"], env={"PATH": PATH, "MY_TOKEN": "value-of-it"})
    assert result.code == 7 and (result.out, result.err) == ("", "")
    assert receipt["outcome"] == "exited" and receipt["confined"] == "full" and receipt["exit"] == 7
    assert receipt["command"] == ["sh", "-c", "exit 7"] and receipt["backend"] == "native"
    assert receipt["workspace"] == os.fspath(lab.ws) and receipt["version"]
    assert states(receipt) == {name: "held" for name in NAMES}
    assert all(one["layers"] and one["proof"] and one["promise"] for one in receipt["guarantees"].values())
    assert "MY_TOKEN" in receipt["environment"]["dropped"] and "value-of-it" not in json.dumps(receipt)
    assert {d["number"] for d in receipt["descriptors"]} == {0, 1, 2}
    assert "no_survivors" not in receipt and receipt["wall_us"] > 0


def test_text_is_one_json_object_and_a_newline(lab):
    lab.receipt(["true"])
    text = (lab.scratch.path / "receipt.json").read_text()
    assert text.startswith("{") and text.endswith("}\n") and isinstance(json.loads(text), dict)


def test_waived_guarantee(lab):
    """Waived by name: the receipt says so, and the layers still hold."""
    code = "import socket; socket.create_connection(('198.51.100.1', 80), 2)"
    result, receipt = lab.receipt([PYTHON, "-c", code], "--waive", "net-local")
    assert result.code == 1 and receipt["confined"] == "waived"
    assert states(receipt) == {name: "waived" if name == "net-local" else "held" for name in NAMES}


@pytest.mark.parametrize("script,outcome,code", [
    ("exit 0", "exited", 0), ("exit 125", "exited", 125), ("exit 126", "exited", 126), ("exit 127", "exited", 127),
    ("exit 143", "exited", 143), ("kill -KILL $$", "signalled", 137), ("kill -SEGV $$", "signalled", 139)])
def test_outcome_tells_apart_what_the_status_cannot(lab, script, outcome, code):
    result, receipt = lab.receipt(["sh", "-c", script])
    assert (result.code, receipt["exit"], receipt["outcome"]) == (code, code, outcome)
    assert receipt.get("signal") == (code - 128 if outcome == "signalled" else None)


def test_outcomes_of_a_command_that_cannot_be_started(lab):
    lab.file(lab.ws / "plain")
    outcomes = set()
    for argv, code in ((["no-such-program"], 127), (["./plain"], 126)):
        result, receipt = lab.receipt(argv, env={"PATH": PATH})
        assert result.code == receipt["exit"] == code and receipt["command"] == argv
        outcomes.add(receipt["outcome"])
    assert len(outcomes) == 2 and not outcomes & {"exited", "signalled", "refused", "usage"}, outcomes


def test_outcome_of_a_timeout(lab):
    result, receipt = lab.receipt(["sleep", "30"], "--timeout", "200ms")
    assert result.code == receipt["exit"] == 124 and "time" in receipt["outcome"], receipt["outcome"]


def written(lab, *words, code):
    """The receipt of a run that must end with this status before the command starts."""
    path = lab.scratch.path / "receipt.json"
    line = [lab.pinfold, "run", "--workspace", lab.ws, "--receipt", path, *words, "--", "touch", "ran"]
    result = lab.plain(line, env={"PATH": PATH})
    assert result.code == code and not (lab.ws / "ran").exists(), result
    return receipts.read(path)


@pytest.mark.parametrize("words", [
    ["--read", "/no/such"], ["--write", "/usr"], ["--no-such-option"], ["--timeout", "soon"], ["--fd", "99"],
    ["--waive", "nothing"], ["--backend", "none"]])
def test_written_on_wrong_use(lab, words):
    receipt = written(lab, *words, code=125)
    assert receipt["exit"] == 125 and receipt["confined"] not in ("full", "waived"), receipt
    assert receipt["error"] and "held" not in json.dumps(receipt.get("guarantees", {}))


def test_written_on_refusal(lab):
    """Where no user namespace can be made, nothing runs and the receipt says that nothing held."""
    path = lab.scratch.path / "receipt.json"
    limit = "echo 0 >/proc/sys/user/max_user_namespaces"
    ids = [f"--map-user={lab.user.uid}", f"--map-group={lab.user.uid}", "--keep-caps"]
    line = ["unshare", "--user", *ids, "sh", "-ec", limit + ' && exec "$@"', "sh",
            lab.pinfold, "run", "--workspace", lab.ws, "--receipt", path, "--", "touch", "ran"]
    result = lab.plain(line, env={"PATH": PATH})
    assert result.code == 126 and result.err.startswith("pinfold: ") and not (lab.ws / "ran").exists(), result
    receipt = receipts.read(path)
    assert receipt["exit"] == 126 and receipt["outcome"] == "refused" and receipt["error"], receipt
    assert receipt["confined"] not in ("full", "waived") and '"held"' not in json.dumps(receipt)


def test_to_a_descriptor(lab):
    path = lab.scratch.path / "receipt"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    line = [lab.pinfold, "run", "--workspace", lab.ws, "--receipt", f"fd:{fd}", "--", PYTHON, "-c",
            f"import os; print(os.path.lexists('/proc/self/fd/{fd}'))"]
    done = raw(lab, lab.user.argv(line), pass_fds=[fd])
    os.close(fd)
    assert (done.returncode, done.stdout) == (0, b"False\n"), done
    assert receipts.read(path)["exit"] == 0


def test_to_a_pipe(lab):
    reader, writer = os.pipe()
    line = [lab.pinfold, "run", "--workspace", lab.ws, "--receipt", f"fd:{writer}", "--", "true"]
    done = raw(lab, lab.user.argv(line), pass_fds=[writer])
    os.close(writer)
    with os.fdopen(reader) as stream:
        assert receipts.check(stream.read())["exit"] == done.returncode == 0


def test_to_a_descriptor_that_the_command_has_too_is_refused(lab):
    for place in ("fd:1", "fd:2"):
        result = lab.run(["sh", "-c", "echo out"], "--receipt", place)
        assert result.code == 125 and not result.out and "fd:3" in result.err, result


def test_that_cannot_be_written_is_125_before_anything_starts(lab):
    folder = lab.outside / "folder"
    folder.mkdir()
    targets = [lab.outside / "no" / "such", folder, "/proc/nope", "/dev/full/x", "/", "fd:0", "fd:99", "fd:", "fd:-1"]
    if lab.user.uid:
        closed = lab.file(lab.outside / "closed", "", 0o400)
        if os.geteuid() == 0:
            os.chown(closed, 0, 0)
        targets.append(closed)
    for target in targets:
        result = lab.run(["touch", "ran"], "--receipt", target)
        assert result.code == 125 and result.err.startswith("pinfold: "), f"{target}: {result}"
        assert str(target) in result.err, f"{target}: {result}"
        assert not (lab.ws / "ran").exists(), target


def test_where_the_command_could_write_it(lab):
    """A receipt that the command can forge is worth nothing: refused, or the command cannot touch it."""
    (lab.outside / "link").symlink_to(lab.ws)
    for target in (lab.ws / "r.json", lab.outside / "link" / "r.json", lab.ws / ".." / "ws" / "r.json", "r.json"):
        result = lab.run(["true"], "--receipt", target)
        assert result.code == 125 and result.err.startswith("pinfold: "), f"{target}: {result}"
    result = lab.run(["true"], "--write", lab.outside, "--receipt", lab.outside / "r.json")
    assert result.code == 125, result
    assert os.listdir(lab.ws) == [] and os.listdir(lab.outside) == ["link"]


def test_symbolic_link_is_not_followed(lab):
    """A link that an earlier run left where the receipt goes must not make pinfold write elsewhere."""
    victim = lab.file(lab.home / "victim", "precious\n")
    link = lab.outside / "r.json"
    link.symlink_to(victim)
    result = lab.run(["true"], "--receipt", link)
    assert result.code == 125 and victim.read_text() == "precious\n", result
    into = lab.file(lab.ws / "victim", "precious\n")
    link.unlink(), link.symlink_to(into)
    result = lab.run(["true"], "--receipt", link)
    assert result.code == 125 and into.read_text() == "precious\n", result


def test_hard_link_into_the_workspace(lab):
    """A receipt file that the command can reach under another name is refused, or what is written stays true."""
    path = lab.file(lab.outside / "r.json", "")
    os.link(path, lab.ws / "same")
    result = lab.run(["sh", "-c", "echo forged >>same; sleep .1; echo forged >>same"], "--receipt", path)
    assert result.code == 125 or receipts.read(path)["exit"] == 0, result


def test_old_receipt_is_replaced_whole(lab):
    path = lab.file(lab.outside / "r.json", "x" * 100_000)
    assert lab.run(["true"], "--receipt", path).code == 0
    assert receipts.read(path)["exit"] == 0


def test_file_is_the_callers_own_and_private(lab):
    lab.receipt(["true"])
    status = os.stat(lab.scratch.path / "receipt.json")
    assert (stat.S_IMODE(status.st_mode), status.st_uid) == (0o600, lab.user.uid)


def test_words_that_are_no_utf8(lab):
    word = os.fsdecode(b"\xff\xfe")
    _, receipt = lab.receipt(["true", word, "é", ""])
    assert receipt["command"] == ["true", {"hex": "fffe"}, "é", ""]


def test_command_line_of_many_words(lab):
    words = ["w" * 1000] * 1500
    _, receipt = lab.receipt(["true", *words])
    assert receipt["command"] == ["true", *words]


def test_full_disk_is_said(lab):
    fd = os.open("/dev/full", os.O_WRONLY)
    done = raw(lab, lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, "--receipt", f"fd:{fd}", "--", "true"]),
               pass_fds=[fd])
    os.close(fd)
    assert done.returncode != 0 and b"receipt" in done.stderr, done
