"""The workspace's .pinfold.json: it can only narrow, until the operator has pinned its content."""
import hashlib
import json
import os

import pytest

from accounts import account, needs_root, readable  # noqa: F401 (a fixture)

pytestmark = needs_root

OPENING = {
    "read": {"read": ["/srv"]}, "write": {"write": ["../outside"]}, "unix-socket": {"unix-socket": ["/run/x"]},
    "env": {"env": ["TOKEN"]}, "waive": {"waive": ["net-egress"]}, "create": {"create": True}, "second": {"timeout": "1s", "env": ["TOKEN"]},
}


def trust(account, *options, **more):
    return account.pinfold("trust", "--workspace", account.lab.ws, *options, **more)


def pins(account):
    path = account.home / ".config/pinfold/trust.json"
    return json.loads(path.read_text())["files"] if path.exists() else None


@pytest.mark.parametrize("name", OPENING)
def test_untrusted_it_opens_nothing(account, name):
    account.runs()
    path = account.workspace(OPENING[name])
    account.refused(words=[f"pinfold: {path}:1:", "only narrow", "pinfold trust"])
    assert account.pinfold("explain", "--workspace", account.lab.ws).code == 125


@pytest.mark.parametrize("policy", [
    {"never": {}}, {"profile": "verify"}, {"profiles": {}}, {"backend": "native"}, {"workspace": "/"}, {"receipt": "/x"}])
def test_what_it_can_never_say(account, policy):
    account.workspace(policy)
    account.refused(words=[".pinfold.json:1:2: "])
    assert trust(account).code == 125 and not pins(account)


def test_broken(account):
    account.workspace("{")
    account.refused(words=[".pinfold.json:1:2: ", "ends"])
    account.workspace('{"timeout": 3}')
    account.refused(words=[".pinfold.json:1:13: timeout"])


@pytest.mark.parametrize("make, word", [
    (lambda p: p.mkdir(), "folder"), (os.mkfifo, "FIFO"), (lambda p: p.symlink_to("/etc/hostname"), "symlink"),
    (lambda p: p.symlink_to("nowhere"), "symlink"), (lambda p: p.write_bytes(b"{}" + b" " * (1 << 20)), "1 MiB")])
def test_no_regular_file(account, make, word):
    path = account.lab.ws / ".pinfold.json"
    make(path)
    os.chown(path, account.lab.user.uid, account.lab.user.uid, follow_symlinks=False)
    account.refused(words=[path, word])


def test_unreadable(account):
    account.workspace("{}").chmod(0)
    if account.lab.user.uid == 0:
        account.runs()
    else:
        account.refused(words=["Permission denied"])


def test_it_narrows_and_never_widens(account):
    """Whoever owns it, and whoever may write to it."""
    account.user({"timeout": "20s", "output-limit": "20K", "grace": "2s"})
    path = account.workspace({"timeout": "10s", "output-limit": "10K", "grace": "1s"})
    os.chown(path, 4321, 4321)
    path.chmod(0o666)
    limits = account.explain()["limits"]
    assert limits == {"timeout_ms": 10000, "grace_ms": 1000, "output_bytes": 10240}
    account.workspace({"timeout": "30s", "output-limit": "30K", "grace": "3s", "mode": "direct"})
    assert account.explain()["limits"] == {"timeout_ms": 20000, "grace_ms": 2000, "output_bytes": 20480}
    receipt = account.runs()
    assert receipt["policy"]["workspace_file"] == os.fspath(path) and not receipt["policy"]["workspace_trusted"]


def test_narrower_mode(account):
    """Seen by a policy file in the workspace, which is refused only where the command could change it."""
    inside = account.lab.file(account.lab.ws / "p.json", "{}")
    account.refused("--policy", inside, words=["holds"])
    account.workspace({"mode": "readonly"})
    account.explain("--policy", inside)


def test_trust(account):
    """Pinned it opens; changed it stops the run again, with the word pinfold trust; removed it does not open."""
    lab = account.lab
    lab.file(lab.outside / "f")
    path = account.workspace({"read": ["../outside"], "env": ["TOKEN"], "waive": ["ipc"]})
    account.refused(words=["pinfold trust"])
    result = trust(account)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert result.code == 0 and result.err == "", result
    for word in (os.fspath(path), digest, "read", "outside", "env TOKEN", "waive ipc", "trusted"):
        assert word in result.out, f"{word!r} is not in: {result.out}"
    assert pins(account) == {os.fspath(path): digest}
    plan = account.explain(env={"TOKEN": "secret"})
    assert os.fspath(lab.outside) in readable(plan) and "TOKEN" in plan["environment"]["kept"]
    assert plan["guarantees"]["ipc"]["state"] == "waived" and plan["policy"]["workspace_trusted"] is True
    assert trust(account, "--list").out == f"{digest} {path}\n"
    account.workspace({"read": ["../outside", "/srv"]})
    account.refused(words=[f"{path}:1:11: read", "changed since", "pinfold trust"])
    account.workspace({"timeout": "1s"})   # what only narrows needs no trust
    account.runs()
    assert trust(account).code == 0
    account.workspace({"read": ["../outside"], "env": ["TOKEN"], "waive": ["ipc"]})
    account.explain()
    result = trust(account, "--remove")
    assert result.code == 0 and pins(account) == {}, result
    account.refused(words=["pinfold trust"])
    assert trust(account, "--remove").code == 125


def test_what_it_opens_is_shown_whole(account):
    """A long path must not hide its end, nor characters that can't be seen its order."""
    lab = account.lab
    long = os.fspath(lab.outside) + "/." * 1000 + "/f"
    lab.file(lab.outside / "f")
    account.workspace({"read": [long], "env": ["A=" + "x" * 3000 + "end", "B=\u202eB\u200b\u2066"]})
    result = trust(account)
    assert result.code == 0 and f"  read {long}\n" in result.out, result
    assert "xend\n" in result.out and "B=\\xe2\\x80\\xaeB\\xe2\\x80\\x8b\\xe2\\x81\\xa6\n" in result.out, result
    account.explain()


def test_another_folder_with_the_same_content(account):
    lab = account.lab
    text = '{"env": ["TOKEN"]}'
    account.workspace(text)
    assert trust(account).code == 0
    lab.file(lab.outside / ".pinfold.json", text)
    result = account.pinfold("run", "--workspace", lab.outside, "--", "touch", "ran", cwd=lab.outside)
    assert result.code == 125 and "pinfold trust" in result.err and not (lab.outside / "ran").exists(), result


def test_trusted_limits_still_narrow(account):
    """What stands on the command line is not undone by a file in the workspace."""
    account.workspace({"timeout": "1h", "mode": "direct", "env": ["TOKEN"]})
    assert trust(account).code == 0
    assert account.explain("--timeout", "5s")["limits"]["timeout_ms"] == 5000
    inside = account.lab.file(account.lab.ws / "p.json", "{}")
    account.explain("--policy", inside, "--mode", "readonly")
    account.refused("--policy", inside, words=["holds"])


def test_modes_of_what_it_writes(account):
    account.workspace({"env": ["TOKEN"]})
    assert trust(account).code == 0
    folder = account.home / ".config" / "pinfold"
    for path, mode in ((folder.parent, 0o700), (folder, 0o700), (folder / "trust.json", 0o600)):
        status = path.stat()
        assert status.st_mode & 0o7777 == mode and status.st_uid == account.lab.user.uid, path
    assert sorted(os.listdir(folder)) == ["trust.json"]


def test_a_folder_that_cannot_be_made(account):
    """What is told is why, not that the folder is missing."""
    account.workspace({"env": ["TOKEN"]})
    (account.home / ".config").symlink_to("/sys/pinfold-test")
    run = trust(account)
    assert run.code == 125 and "No such file" not in run.err
    assert "not permitted" in run.err or "Permission denied" in run.err or "Read-only" in run.err


@pytest.mark.parametrize("spoil, word", [
    (lambda p: p.chmod(0o666), "chmod go-w"), (lambda p: p.parent.chmod(0o777), "chmod go-w"),
    (lambda p: os.chown(p, 4321, 4321), "uid 4321"), (lambda p: p.write_text("{"), ":1:2: "),
    (lambda p: p.write_text('{"trust": 1, "files": {"/x": "y"}}'), ":1:24: "),
    (lambda p: p.write_text("{}"), ":1:1: "), (lambda p: (p.unlink(), os.mkfifo(p)), "FIFO")])
def test_pins_that_others_could_have_written(account, spoil, word):
    account.workspace({"env": ["TOKEN"]})
    assert trust(account).code == 0
    account.explain()
    spoil(account.home / ".config" / "pinfold" / "trust.json")
    account.refused(words=["trust.json" if word[0] == ":" else ".config/pinfold", word])
    assert trust(account).code == 125


def test_pins_in_a_writable_root(account):
    """A command that could write to trust.json could trust what it likes."""
    account.workspace({"env": ["TOKEN"]})
    assert trust(account).code == 0
    account.refused("--write", account.home / ".config" / "pinfold" / "trust.json", words=["--write"])
    account.refused("--write", account.home / ".config", words=["--write", "holds"])


def test_wrong_use(account):
    result = trust(account)
    assert result.code == 125 and "there is no .pinfold.json" in result.err, result
    for words in (["extra"], ["--list", "--remove"], ["--json"]):
        assert trust(account, *words).code == 125
    account.workspace({"env": ["TOKEN"]})
    account.no_entry()
    result = trust(account)
    assert result.code == 125 and "no home" in result.err and pins(account) is None, result


def test_not_written_down_what_was_not_shown(account):
    account.workspace({"env": ["TOKEN"]})
    result = account.pinfold("trust", "--workspace", account.lab.ws, before="exec >/dev/full")
    assert result.code == 125 and "not trusted" in result.err and pins(account) is None, result


def test_in_a_box(account):
    """Nothing inside trusts anything: the home is scratch there."""
    account.workspace({"env": ["TOKEN"]})
    pinfold = account.lab.pinfold
    option = account.option({"read": [os.fspath(pinfold.parent)]})
    (account.lab.ws / ".pinfold.json").rename(account.lab.ws / "later")
    result = account.pinfold("run", "--workspace", account.lab.ws, "--policy", option, "--", "sh", "-c",
                             f"mv later .pinfold.json; {pinfold} trust")
    assert result.code == 125 and "inside a box" in result.err and pins(account) is None, result
    account.workspace({"env": ["TOKEN"]})   # that of the command was put aside
    account.refused(words=["pinfold trust"])


def test_no_more_is_pinned_than_can_be_read(account):
    """What is trusted stays trusted: a file of pins that the next run could not read is not written."""
    folder = account.home / ".config/pinfold"
    account.workspace(OPENING["env"])
    assert trust(account).code == 0
    known = pins(account)
    written = lambda: json.dumps({"trust": 1, "files": known}, indent=2)
    row = len(',\n    "/old/10000": ""') + 64
    for number in range(10000, 10000 + ((1 << 20) - 50 - len(written())) // row):
        known[f"/old/{number}"] = "0" * 64
    path = folder / "trust.json"
    path.write_text(written())
    assert (1 << 20) - 50 - row < path.stat().st_size <= (1 << 20) - 50
    other = account.lab.outside / ("long" * 30)
    other.mkdir()
    (other / ".pinfold.json").write_text('{"env": ["TOKEN"]}')
    account.lab.own(other, other / ".pinfold.json")
    result = account.pinfold("trust", "--workspace", other)
    assert result.code == 125 and "--remove" in result.err and pins(account) == known, result
