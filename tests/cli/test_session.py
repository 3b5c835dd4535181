"""--session: what a workspace's boxes write to the home, /tmp and /var/tmp is there for the next run with the same id."""
import json
import os
import shutil
import stat

import pytest

import receipts
from sessions import account, needs_root, own, sessions  # noqa: F401 (fixtures)

pytestmark = needs_root

WRITE = 'echo one >~/f; echo two >/tmp/f; echo three >/var/tmp/f; echo x >/run/f; echo x >/dev/shm/f'
READ = 'cat ~/f /tmp/f /var/tmp/f; ls /run/f /dev/shm/f 2>/dev/null; true'


def test_kept_for_the_next_run(sessions):
    """And for nobody else: not for a run without it, one with another id, one in another workspace."""
    sessions.ok(WRITE)
    assert sessions.ok(READ) == "one\ntwo\nthree\n"
    assert sessions.run(READ, id="other").out == ""
    assert sessions.run(READ, id="none").out == ""
    there = sessions.lab.outside
    result = sessions.account.pinfold("run", "--session", "ci", "--", "sh", "-c", READ, cwd=there)
    assert result.out == "" and sessions.ok(READ) == "one\ntwo\nthree\n", result
    assert sorted(s["workspace"] for s in sessions.list() if s["id"] == "ci") == sorted(map(str, (sessions.lab.ws, there)))


def test_folders_are_the_callers_alone(sessions):
    """0700 whatever the umask, and nothing of them is in the home of the box."""
    out = sessions.ok("umask 0; stat -c %a ~ /tmp /var/tmp; ls -A ~; stat -c %a .; echo $HOME", inner=["sh", "-c", 'umask 777; exec "$@"', "sh"])
    assert out == f"700\n1777\n1777\n755\n{sessions.lab.home}\n"
    for part in (sessions.folder(), sessions.store, sessions.store.parent, sessions.store.parent.parent):
        status = part.stat()
        assert stat.S_IMODE(status.st_mode) == 0o700 and status.st_uid == sessions.lab.user.uid, part
    assert not (sessions.lab.home / ".local").exists()


def test_modes_of_their_tops_are_put_back(sessions):
    sessions.ok("chmod 0 ~; chmod 777 /tmp; chmod 755 /var/tmp")
    assert sessions.ok("stat -c %a ~ /tmp /var/tmp") == "700\n1777\n1777\n"


@pytest.mark.parametrize("id, near", [
    ("a b", "a-b"), ("../x", "x"), (".a", "a"), ("a/b", "a-b"), ("", None), ("..", None), ("x" * 65, "x" * 64), ("é", None)])
def test_bad_ids(sessions, id, near):
    said = ["--session", "1 to 64 letters", *([f"did you mean {near}?"] if near else [])]
    sessions.refused(id=id, said=said)
    result = sessions.end(id)
    assert result.code == 125 and all(word in result.err for word in said[1:]), result
    assert sessions.names() == []


def test_longest_id(sessions):
    sessions.ok("true", id="x" * 64)
    assert [s["id"] for s in sessions.list()] == ["x" * 64]


def test_explain_starts_nothing_and_shows_it(sessions):
    account = sessions.account  # noqa: F811
    plan = account.explain("--session", "ci")
    assert sessions.names() == [] and not sessions.store.exists()
    assert plan["session"]["id"] == "ci"
    kept = [m["path"] for m in plan["mounts"] if m["kind"] == "session"]
    assert sorted(kept) == sorted(["/tmp", "/var/tmp", os.fspath(sessions.lab.home)])
    text = account.pinfold("explain", "--session", "ci").out
    assert "\nSession: ci\n" in text and "kept for this workspace's next run" in text
    assert "session" not in account.explain()


def test_receipt(sessions):
    path = sessions.lab.scratch.path / "r.json"
    sessions.ok("true", options=["--receipt", path])
    receipt = receipts.read(path)
    assert receipt["session"] == {"id": "ci", "folder": os.fspath(sessions.folder())} and receipt["confined"] == "full"
    other = sessions.account.explain()
    assert receipt["policy_digest"] != other["policy_digest"] and receipt["plan_digest"] != other["plan_digest"]
    assert receipt["policy_digest"] == sessions.account.explain("--session", "ci")["policy_digest"]


def test_receipt_in_it_is_refused(sessions):
    sessions.ok("true")
    sessions.refused(options=["--receipt", sessions.folder() / "home" / "r.json"], said=["--receipt", "forge"])


def test_policy_key(sessions):
    account = sessions.account  # noqa: F811
    account.user({"session": "mine", "profiles": {"p": {"session": "other"}, "q": {"session": "none"}}})
    assert account.explain()["session"]["id"] == "mine"
    assert account.explain("--profile", "p")["session"]["id"] == "other"
    assert "session" not in account.explain("--profile", "q")
    assert account.explain("--session", "typed")["session"]["id"] == "typed"
    assert "session" not in account.explain("--session", "none")
    account.user({"session": "a b"})
    account.refused(words=[f"{account.user_file}:1:13: session", 'did you mean "a-b"?'])


def test_never(sessions):
    account = sessions.account  # noqa: F811
    account.system({"never": {"session": True}})
    sessions.refused(said=["--session ci: forbidden by /etc/pinfold/policy.json:1:"])
    account.explain("--session", "none")
    account.user({"session": "mine"})
    account.refused(words=["policy.json:1:13: session mine: forbidden"])


def test_workspace_file_can_not_ask_for_one(sessions):
    sessions.account.workspace({"session": "ci"})
    sessions.account.refused(words=[".pinfold.json:1:2: session", "not in the workspace's own file"])


def test_no_home_no_session(sessions):
    sessions.account.no_entry()
    sessions.refused(said=["--session ci", "no home in the passwd file"])
    assert sessions.end("ci").code == 125 and sessions.account.pinfold("sessions").code == 125


def test_wrong_policies_leave_nothing(sessions):
    sessions.refused(options=["--read", "/nonexistent"], said=["/nonexistent"])
    assert not sessions.store.exists()


def test_doctor_leaves_nothing(sessions):
    sessions.account.user({"session": "mine"})
    result = sessions.account.pinfold("doctor")
    assert result.code == 0 and not sessions.store.exists(), result


@pytest.mark.parametrize("mode", ["discard", "readonly"])
def test_modes(sessions, mode):
    """What becomes of the workspace has nothing to do with it."""
    sessions.lab.file(sessions.lab.ws / "f", "host\n")
    sessions.ok(f"echo kept >/tmp/f; echo x >{sessions.lab.ws}/f; true", options=["--mode", mode])
    assert sessions.ok("cat /tmp/f", options=["--mode", mode]) == "kept\n"
    assert (sessions.lab.ws / "f").read_text() == "host\n"


def test_list(sessions):
    assert sessions.list() == [] and sessions.account.pinfold("sessions").out == ""
    sessions.ok("true", id="a")
    sessions.ok("true", id="b")
    sessions.age(sessions.folder("b"), 1)
    assert [(s["id"], s["in_use"], s["processes"]) for s in sessions.list()] == [("a", False, []), ("b", False, [])]
    text = sessions.account.pinfold("sessions").out
    assert text.index("a  last used 20") < text.index("b  last used 20") and f"  workspace {sessions.lab.ws}\n" in text
    result = sessions.account.pinfold("sessions", "x")
    assert result.code == 125 and "options alone" in result.err, result


def test_in_use(sessions):
    """Two runs share it; meanwhile it can't be ended, and whose it is is told."""
    with sessions.running("sleep 60") as one:
        sessions.ok("echo two >/tmp/f")
        assert [(s["in_use"], s["processes"]) for s in sessions.list()] == [(True, [one.pid])]
        text = sessions.account.pinfold("sessions").out
        assert f"in use by process {one.pid}\n" in text
        result = sessions.end("ci")
        assert result.code == 125 and "in use" in result.err and f"process {one.pid};" in result.err, result
        assert sessions.ok("cat /tmp/f") == "two\n"
    assert [s["in_use"] for s in sessions.list()] == [False]
    result = sessions.end("ci")
    assert result.code == 0 and result.out == "session ci is removed\n" and sessions.names() == [], result


def test_shared_while_both_run(sessions):
    with sessions.running("while [ ! -e /tmp/go ]; do sleep .05; done; cat /tmp/go; echo back >/tmp/answer") as one:
        assert sessions.ok("echo hello >/tmp/go; while [ ! -e /tmp/answer ]; do sleep .05; done; cat /tmp/answer") == "back\n"
        assert one.communicate(timeout=30)[0] == "hello\n"


def test_end(sessions):
    result = sessions.end("ci")
    assert result.code == 125 and "there is no session ci of" in result.err, result
    sessions.ok("true", id="build")
    result = sessions.end("biuld")
    assert result.code == 125 and "did you mean build?" in result.err, result
    for words in ([], ["a", "b"]):
        result = sessions.end(*words)
        assert result.code == 125 and "one session" in result.err, result
    there = sessions.lab.outside
    result = sessions.end("build", "--workspace", there)
    assert result.code == 125, result   # words after the id are not options
    result = sessions.end("--workspace", there, "build")
    assert result.code == 125 and os.fspath(there) in result.err, result
    assert sessions.end("--workspace", sessions.lab.ws, "build").code == 0
    assert sessions.list() == []


def test_end_where_the_workspace_is_gone(sessions):
    sessions.ok("true")
    shutil.rmtree(sessions.lab.ws)
    try:
        result = sessions.account.pinfold("end", "--workspace", sessions.lab.ws, "ci", cwd="/")
        assert result.code == 0, result
    finally:
        sessions.lab.ws.mkdir()


def test_stale_ones_are_removed(sessions):
    """By the next run with a session, unless a run uses them; its own, however old, is used on."""
    for id in ("old", "young", "used"):
        sessions.ok("mkdir -p ~/a/b/c; echo x >~/a/b/c/f", id=id)
    old, young, used = (sessions.folder(id) for id in ("old", "young", "used"))
    with sessions.running(id="used"):
        for folder, days in ((old, 7.1), (young, 6.9), (used, 8)):
            sessions.age(folder, days)
        sessions.account.explain("--session", "old")
        sessions.account.pinfold("run", "--workspace", sessions.lab.ws, "--", "true")
        assert old.exists()
        sessions.ok("true", id="new")
        assert not old.exists() and young.exists() and used.exists()
    sessions.age(young, 30)
    assert sessions.ok("cat ~/a/b/c/f", id="young") == "x\n"
    assert not [name for name in sessions.names() if name.startswith(".")]


def test_many_stale_ones(sessions):
    """Each start removes some, and in the end all are gone."""
    sessions.ok("true", id="first")
    folder = sessions.folder("first")
    for i in range(300):
        copy = sessions.store / f"s{i}.{i:032x}"
        shutil.copytree(folder, copy)
        own(sessions.lab, copy)
        sessions.age(copy, 30)
    counts = []
    for _ in range(40):
        sessions.ok("true")
        counts.append(len(sessions.names()))
        if counts[-1] == 2:
            break
    assert counts[-1] == 2 and counts[0] > 100, counts   # first and ci


def test_large_remainder_is_removed_by_and_by(sessions):
    sessions.ok("true")
    left = sessions.store / ".old-1-1"
    for i in range(10):
        (left / f"home/{i}").mkdir(parents=True)
        for k in range(1000):
            (left / f"home/{i}/{k}").touch()
    own(sessions.lab, left)
    sessions.ok("true")
    assert left.exists()
    for _ in range(4):
        sessions.ok("true")
    assert not left.exists()


@pytest.mark.parametrize("name", [".new-7-0", ".old-7-0"])
def test_remainders_of_a_crash(sessions, name):
    """Removed by the next run, and by end; nobody lists them."""
    for how in ("run", "end"):
        sessions.ok("true")
        left = sessions.store / name
        (left / "home/x").mkdir(parents=True)
        (left / "workspace").write_text("/")
        own(sessions.lab, left)
        assert len(sessions.list()) == 1
        if how == "run":
            sessions.ok("true")
        else:
            assert sessions.end("ci").code == 0
        assert not left.exists(), how


def test_what_else_lies_there_stays(sessions):
    sessions.ok("true")
    others = [sessions.lab.file(sessions.store / "notes"), sessions.lab.file(sessions.store / ".old" / "f")]
    sessions.ok("true")
    assert sessions.end("ci").code == 0 and len(sessions.list()) == 0
    assert all(path.exists() for path in others)


def test_damaged(sessions):
    """Whatever stands where a session should be whole, nothing runs, and end mends it."""
    for harm in (lambda f: (f / "workspace").write_text("/elsewhere"), lambda f: (f / "workspace").unlink(),
                 lambda f: f.chmod(0o750), lambda f: (shutil.rmtree(f / "home"), (f / "home").write_text("x")),
                 lambda f: (shutil.rmtree(f / "tmp"), (f / "tmp").symlink_to("/etc")),
                 lambda f: ((f / "workspace").unlink(), (f / "workspace").symlink_to("/etc/hostname")),
                 lambda f: (f / "workspace").write_text("")):
        sessions.ok("true")
        folder = sessions.folder()
        harm(folder)
        os.chown(folder, sessions.lab.user.uid, sessions.lab.user.uid)
        for path in folder.iterdir():
            sessions.lab.own(path)
        result = sessions.run("touch", sessions.lab.ws / "ran")
        assert result.code in (125, 126) and not (sessions.lab.ws / "ran").exists(), result
        assert sessions.end("ci").code == 0


@pytest.mark.parametrize("which", ["sessions", "pinfold", "state", ".local"])
def test_folders_that_others_could_change(sessions, which):
    sessions.ok("true")
    place = next(p for p in [sessions.store, *sessions.store.parents] if p.name == which)
    place.chmod(0o770)
    sessions.refused(said=[place, "can be changed by others"])
    assert sessions.end("ci").code == 125 and sessions.account.pinfold("sessions").code == 125
    place.chmod(0o700)
    os.chown(place, 4321, 4321)
    place.chmod(0o755)
    sessions.refused(said=[place, "uid 4321"])
    sessions.lab.own(place)
    place.chmod(0o700)
    sessions.ok("true")


def test_another_users_session(sessions):
    sessions.ok("true")
    folder = sessions.folder()
    os.chown(folder, 4321, 4321)
    result = sessions.run("true")
    assert result.code in (125, 126), result


def test_link_in_the_state_folder(sessions):
    """A link of the account's own on the way is followed, as for policies; a link in place of a session isn't."""
    far = sessions.account.home / "far"
    far.mkdir()
    (sessions.account.home / ".local").symlink_to(far)
    sessions.lab.own(far, sessions.account.home / ".local")
    sessions.ok("echo x >~/f")
    folder = sessions.folder()
    assert os.fspath(folder).startswith(os.fspath(far))
    moved = folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(moved)
    sessions.lab.own(folder)
    assert sessions.run("true").code == 126
    result = sessions.end("ci")
    assert result.code == 125 and (moved / "home" / "f").exists(), result


def test_grants_below_a_kept_home(sessions):
    """Each stands in a place of its own in the kept folder: an empty folder or file, which stays, and shows nothing."""
    home, lab = sessions.lab.home, sessions.lab
    lab.file(home / ".tool" / "bin" / "f", "tool\n")
    lab.file(home / ".toolrc", "rc\n")
    grants = ["--read", home / ".tool", "--read", home / ".toolrc"]
    assert sessions.ok("cat ~/.tool/bin/f ~/.toolrc; echo x >~/.tool/new; echo y >>~/.toolrc; echo kept >~/mine", options=grants) \
        == "tool\nrc\n"
    assert not (home / ".tool" / "new").exists() and (home / ".toolrc").read_text() == "rc\n"
    assert sessions.ok("ls -A ~; find ~/.tool ~/.toolrc -size +0 -type f; cat ~/mine") == ".tool\n.toolrc\nmine\nkept\n"
    assert sessions.ok("cat ~/.tool/bin/f", options=grants) == "tool\n"


@pytest.mark.parametrize("plant, words", [
    ("mkdir ~/.tool; chmod 0 ~/.tool", "without permissions"), ("mkdir -p ~/.tool/sub; chmod 600 ~/.tool", "without permissions"),
    ("ln -s /etc ~/.tool", "symlink"), ("touch ~/.tool", "no folder"), ("mkdir ~/.x; ln -s ~/.x ~/.tool", "symlink")])
def test_a_place_that_is_taken(sessions, plant, words):
    sessions.lab.file(sessions.lab.home / ".tool" / "sub" / "f")
    sessions.ok(plant)
    sessions.refused(options=["--read", sessions.lab.home / ".tool" / "sub"], said=["session ci", words, "pinfold end ci"])
    assert sessions.end("ci").code == 0
    sessions.ok("cat ~/.tool/sub/f", options=["--read", sessions.lab.home / ".tool" / "sub"])


def test_current_folder_in_what_is_kept(sessions):
    """The host's /var/tmp is not the box's: a folder there is no place to start in."""
    result = sessions.account.pinfold("run", "--workspace", sessions.lab.ws, "--session", "ci", "--", "pwd",
                                      cwd=sessions.lab.outside)
    assert result.code == 125 and "none of the box's roots" in result.err, result
    assert not sessions.store.exists()


def test_time_of_use(sessions):
    """Told from the end of the last run, not from its start."""
    with sessions.running("sleep 1") as one:
        sessions.age(sessions.folder(), 3)
        one.communicate(timeout=30)
    used = json.loads(json.dumps(sessions.list()[0]["last_used"]))
    assert used.endswith("Z") and os.stat(sessions.folder() / "workspace").st_mtime > os.stat("/proc/self").st_mtime - 600
