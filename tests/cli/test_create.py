"""--create: folders of --write that aren't there are made for a run, and for nothing else."""
import json
import os
import subprocess
from pathlib import Path

import pytest

import harness
from accounts import account, needs_root  # noqa: F401 (a fixture)
from workbench import box_argv, raw, repository


def made(folder):
    return {os.fspath(p.relative_to(folder)): oct(p.stat().st_mode & 0o777) for p in sorted(Path(folder).rglob("*")) if p.is_dir()}


@pytest.fixture
def new(lab):
    return lab.outside / "a" / "b"


def refused(lab, *options, words=(), code=125, **more):
    before = harness.tree(lab.scratch.path)
    result = lab.run(["touch", "ran"], *options, **more)
    assert result.code == code and result.err.count("\n") == 1, result
    assert all(os.fspath(word) in result.err for word in words), result.err
    assert harness.tree(lab.scratch.path) == before, "something was left"
    return result


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o777], ids=oct)
def test_what_is_missing_is_made(lab, new, umask):
    """Whatever the umask says: nobody else is let in, and the command can use it. What it writes stays."""
    refused(lab, "--write", new, words=[new, "No such file", "or add --create"])
    argv = box_argv(lab, ["sh", "-c", 'umask 022; echo kept >"$0/f"; stat -c %u "$0"', new], "--write", new, "--create")
    done = raw(lab, argv, preexec_fn=lambda: os.umask(umask))
    assert (done.returncode, done.stderr) == (0, b"") and int(done.stdout) == lab.user.uid, done
    assert made(lab.outside) == {"a": "0o700", "a/b": "0o700"} and (new / "f").read_text() == "kept\n"
    assert {p.stat().st_uid for p in (new, new.parent)} == {lab.user.uid}
    again = lab.run(["cat", new / "f"], "--write", new, "--create")
    assert (again.code, again.out) == (0, "kept\n"), again


def test_several_in_one_another_and_in_the_workspace(lab, new):
    inside = lab.ws / "out" / "x"
    options = [w for p in (new, new.parent, new / "c", inside, new) for w in ("--write", p)]
    script = 'mkdir "$0/d" && mv "$0/c" "$0/d/" && : >"$1/f" && mv out/x out/y'
    result = lab.run(["sh", "-c", script, new, inside], "--create", *options)
    assert result.code == 0, result
    assert {"a/b/d/c"} <= made(lab.outside).keys() and (lab.ws / "out" / "y" / "f").exists()


def test_relative_paths_and_odd_names(lab):
    name = os.fsdecode(b"with spaces\n\xff'\"")
    result = lab.run(["sh", "-c", ': >"$0/f"', lab.outside / name / "x"], "--create", "--write", f"../outside/{name}/./x//")
    assert result.code == 0 and (lab.outside / name / "x" / "f").exists(), result
    deep = "/".join(["d" * 200] * 15)
    result = lab.run(["sh", "-c", f'cd "$0/{deep}" && : >f', lab.outside], "--create", "--write", lab.outside / deep)
    assert result.code == 0 and (lab.outside / deep / "f").exists(), result


@pytest.mark.parametrize("tell", ["explain", "path", "doctor"])
def test_who_only_tells_makes_nothing(lab, new, tell):
    policy = lab.file(lab.scratch.path / "policy.json", json.dumps({"write": [os.fspath(new)], "create": True}))
    words = {"explain": [], "path": ["read", lab.ws], "doctor": []}[tell]
    before = harness.tree(lab.outside)
    done = lab.plain([lab.pinfold, tell, "--workspace", lab.ws, "--policy", policy, *words])
    assert done.code == 0, done
    assert harness.tree(lab.outside) == before
    if tell == "explain":
        assert f"would be created, with mode 0700:\n    {new}  (in {lab.outside})" in done.out, done.out
        done = lab.plain([lab.pinfold, tell, "--json", "--workspace", lab.ws, "--write", new, "--create"])
        assert json.loads(done.out)["created"] == [os.fspath(new)]


def test_path_answers_as_long_as_it_is_not_there(lab, new):
    """What it says is of this moment: the folder isn't there; and when it is, that it can be written to."""
    line = [lab.pinfold, "path", "--workspace", lab.ws, "--write", new, "--create", "write", new / "f"]
    before = lab.plain(line)
    assert before.code == 1 and before.out.startswith("absent"), before
    assert lab.run(["true"], "--write", new, "--create").code == 0
    assert lab.plain(line).out.startswith("allowed"), lab.plain(line)


def test_the_receipt_tells_it(lab, new):
    result, told = lab.receipt(["true"], "--write", new, "--create")
    assert result.code == 0 and told["created"] == [os.fspath(new)], told
    result, later = lab.receipt(["true"], "--write", new, "--create")
    assert later["created"] == [] and later["plan_digest"] == told["plan_digest"]
    assert lab.receipt(["true"], "--write", new)[1]["policy_digest"] != told["policy_digest"]


def test_a_run_that_is_refused_leaves_nothing(lab, new):
    """A guarantee that this host can't give, and other reasons that are found when the folders are there."""
    degraded = [harness.BUILD / "tests" / "degrade", "landlock_create_ruleset=ENOSYS", "--"]
    before = harness.tree(lab.outside)
    line = [lab.pinfold, "run", "--workspace", lab.ws, "--write", new, "--create"]
    assert lab.plain([*line, "--", "true"]).code == 0   # control leg
    os.rmdir(new), os.rmdir(new.parent)
    result = lab.plain([*degraded, *line, "--", "touch", "ran"])
    assert result.code == 126 and not new.parent.exists(), result
    assert [row[:4] for row in harness.tree(lab.outside)] == [row[:4] for row in before]
    refused(lab, "--write", new, "--create", "--read", lab.outside / "no", words=["/no: No such"])
    refused(lab, "--write", new, "--create", "--fd", "77", words=["77"])
    lab.scratch.path.joinpath("locked").mkdir(mode=0o555)
    lab.own(lab.scratch.path / "locked")
    if lab.user.uid:
        refused(lab, "--write", lab.scratch.path / "locked" / "x", "--create", words=["/locked/x can't be made (Permission"])


def test_a_command_that_cannot_be_executed(lab, new):
    """It was started: the folder stays."""
    assert lab.run(["/no/such/command"], "--write", new, "--create").code == 127
    assert new.is_dir()


def test_where_none_is_made(lab, new):
    (lab.outside / "link").symlink_to(lab.ws)
    (lab.outside / "dangling").symlink_to(lab.outside / "nowhere")
    lab.own(lab.outside / "link", lab.outside / "dangling")
    lab.file(lab.outside / "file")
    repository(lab, lab.ws)
    control = lab.run(["true"], "--create", "--write", lab.outside / "c")
    assert control.code == 0 and (lab.outside / "c").is_dir(), control
    for path, words in {
            lab.outside / "link" / "x": ["leads through the symlink", lab.outside / "link", lab.ws / "x"],
            lab.outside / "dangling": ["leads through the symlink", lab.outside / "nowhere"],
            lab.outside / "file" / "x": ["Not a directory"],
            lab.outside / "no" / ".." / "x": ["No such file", 'without ".."'],
            "~/x": ["here ~ is no home"],
            Path("/usr/local/no-such"): ["the host runs programs from there"],
            Path("/proc/no-such"): ["belongs to the kernel"],
            lab.home / ".ssh": ["one of the secrets"],
            lab.ws / ".git" / "x": ["lies in", "(git directory)", "type --git writable"],
    }.items():
        refused(lab, "--create", "--write", path, words=words)
    refused(lab, "--create", "--write", lab.outside / "home" / ".ssh", env={"HOME": os.fspath(lab.outside / "home")},
            words=["in the home folder", "isn't there either"])
    for mode in ("discard", "readonly"):
        refused(lab, "--create", "--mode", mode, "--write", lab.ws / "x", words=["in the workspace", mode, "mkdir -p"])
        assert lab.run(["sh", "-c", ': >"$0/f"', new], "--create", "--mode", mode, "--write", new).code == 0
        assert (new / "f").exists()


@needs_root
def test_in_somebody_elses_folder(lab):
    """Not even where the caller may write: who owns the folder decides what is in it. Root's is nobody's else."""
    for owner, mode, code in ((lab.user.uid, 0o755, 0), (4321, 0o777, 125), (4321, 0o1777, 125), (0, 0o1777, 0)):
        folder = lab.scratch.path / f"folder-{owner}-{mode:o}"
        folder.mkdir()
        os.chown(folder, owner, owner)
        folder.chmod(mode)
        result = lab.run(["true"], "--create", "--write", folder / "x")
        assert result.code == code and (folder / "x").is_dir() == (code == 0), (owner, mode, result)
        assert code == 0 or "belongs to uid 4321, neither you nor root" in result.err, result


@needs_root
def test_in_policy_files(account):
    """The key is about the grants of its own file; the option about those of the command line."""
    lab, one, other = account.lab, account.lab.outside / "one", account.lab.outside / "other"
    run = lambda *options: account.pinfold("run", "--workspace", lab.ws, *options, "--", "true")
    file = account.user({"write": [os.fspath(one)]})
    result = run("--create", "--write", other)
    assert result.code == 125 and f'{file}:1:12: write {one}' in result.err and 'add "create": true' in result.err, result
    account.user({"create": True, "write": [os.fspath(one)]})
    assert run("--write", other).code == 125 and not one.exists()
    assert run("--write", other, "--create").code == 0 and one.is_dir() and other.is_dir()
    one.rmdir(), other.rmdir()
    account.user({"profiles": {"p": {"create": True, "write": [os.fspath(one)]}}, "never": {"write": [os.fspath(other)]}})
    assert run("--profile", "p").code == 0 and one.is_dir()
    forbidden = run("--create", "--write", other / "x")
    assert forbidden.code == 125 and "forbidden by" in forbidden.err and not other.exists(), forbidden


@needs_root
def test_a_trusted_file_of_the_workspace(account):
    lab, new = account.lab, account.lab.outside / "new"
    account.workspace({"create": True, "write": ["../outside/new"]})
    assert account.pinfold("run", "--workspace", lab.ws, "--", "true").code == 125 and not new.exists()
    told = account.pinfold("trust", "--workspace", lab.ws)
    assert told.code == 0 and "create folders of write that aren't there" in told.out, told
    assert account.pinfold("run", "--workspace", lab.ws, "--", "true").code == 0 and new.is_dir()


def test_many_runs_that_make_the_same(lab, new):
    """Each of them starts, whoever is first, and what each writes is there."""
    line = box_argv(lab, ["sh", "-c", ': >"$0/$$-$1"', new / "c"], "--write", new / "c", "--create")
    running = [subprocess.Popen([*map(os.fspath, line), str(i)], cwd=lab.ws, env=lab.environment(), stderr=subprocess.PIPE) for i in range(12)]
    ends = [(p.communicate(timeout=60)[1], p.returncode) for p in running]
    assert ends == [(b"", 0)] * 12, ends
    assert len(os.listdir(new / "c")) == 12
