"""What pinfold says and does of what a run left: receipts, harmless repositories, kills, two boxes, failures."""
import os
import random
import subprocess
import time

import pytest

import receipts
from accounts import account, needs_root  # noqa: F401 (fixtures)
from repositories import git, make
from settling import COMMIT, ENV, INIT, on_tmpfs, settling, shape  # noqa: F401 (a fixture)

EVIL = "git config core.fsmonitor 'touch /tmp/never'"
SET = f"{INIT} n; git -C n config core.fsmonitor 'touch /tmp/never'"


def test_fields(lab, settling):
    """Everything is told: what was put aside and why, what is only reported, how much was looked through."""
    receipt = settling.run(f"{SET}; echo x >Makefile; mkdir d")
    settlement = receipt["settlement"]
    assert settlement["done"] and settlement["folders"] > 5 and settlement["unseen"] == 0 and settlement["reported"] == 1
    rows = {row["path"]: row for row in settlement["found"]}
    aside, told = rows[f"{lab.ws}/n/.git/config"], rows[f"{lab.ws}/Makefile"]
    assert aside["fate"] == "aside" and "core.fsmonitor" in aside["why"] and aside["quarantine"].endswith("/1")
    assert told["fate"] == "reported" and "quarantine" not in told and len(rows) == 2
    assert receipt["confined"] == "full" and "inherited" not in receipt
    assert receipt["stderr"] == (f"pinfold: put aside: {lab.ws}/n/.git/config {aside['why']}; "
                                 f"pinfold quarantine show {aside['quarantine']}\n")


@pytest.mark.parametrize("mode", ["readonly", "discard"])
def test_nothing_to_settle(lab, settling, mode):
    """A workspace that can't be changed is not looked through."""
    make(lab, lab.ws / "n")
    receipt = settling.run(f"{SET}; true", "--mode", mode)
    assert not settling.found(receipt) and receipt["settlement"] == "none", receipt


def test_status_stays_that_of_the_command(lab, settling):
    """Whatever was put aside."""
    assert settling.run(f"{SET}; exit 7", code=7)["exit"] == 7


def test_the_repository_of_the_workspace_with_git_writable(lab, settling):
    """What git does changes nothing that is put aside: commits, branches, remotes, a work tree, a submodule."""
    make(lab, lab.ws)
    make(lab, lab.outside / "upstream")
    lab.file(lab.ws / ".git/hooks/post-commit", "#!/bin/sh\n", 0o755)
    git(lab, "config", "alias.mine", "!true", cwd=lab.ws)
    allow = "-c protocol.file.allow=always"
    receipt = settling.run(f"set -e; echo 2 >>a.txt; {COMMIT}; git switch -qc b; git remote add o {lab.outside}/upstream; git fetch -q o;"
                           f"git worktree add -q wt; git {allow} submodule --quiet add {lab.outside}/upstream sub; {COMMIT}; git tag v1;"
                           "git config user.name me; git branch -u o/main",
                           "--git", "writable", "--read", lab.outside)
    assert not settling.aside(receipt) and "put aside" not in receipt["stderr"], receipt
    assert git(lab, "mine", cwd=lab.ws) == "" and (lab.ws / ".git/hooks/post-commit").exists()
    assert git(lab, "log", "--oneline", cwd=lab.ws / "sub") and git(lab, "log", "--oneline", cwd=lab.ws / "wt")


def test_a_dangerous_setting_is_taken_back(lab, settling):
    """The old text is there again, with its mode, and all else that the command did."""
    make(lab, lab.ws)
    git(lab, "config", "alias.mine", "!true", cwd=lab.ws)
    config = lab.ws / ".git/config"
    config.chmod(0o640)
    before = config.read_bytes()
    receipt = settling.run(f"git branch b; {EVIL}; git config user.name me; echo x >.git/hooks/pre-commit", "--git", "writable")
    rows = settling.aside(receipt)
    assert {path: row["fate"] for path, row in rows.items()} == {".git/config": "restored", ".git/hooks/pre-commit": "aside"}
    assert config.read_bytes() == before and config.stat().st_mode & 0o777 == 0o640
    assert "what was there before is there again" in receipt["stderr"] and "b\n" in git(lab, "branch", cwd=lab.ws)
    assert b"never" in settling.kept(rows[".git/config"]["quarantine"]).read_bytes()
    receipt = settling.run("git config --unset alias.mine; git config alias.mine '!false'", "--git", "writable")
    assert config.read_bytes() == before and set(settling.aside(receipt)) == {".git/config"}
    receipt = settling.run("git config url.ext::x.insteadOf y; rm .git/config; git config alias.mine '!true'", "--git", "writable")
    assert not settling.aside(receipt) and git(lab, "mine", cwd=lab.ws) == ""


def test_a_setting_under_another_name(lab, settling):
    """The same variable and value, of another subsection, was not there before."""
    make(lab, lab.ws)
    git(lab, "config", "url.https://a.insteadOf", "https://b", cwd=lab.ws)
    receipt = settling.run("git config url.ext::evil.insteadOf https://b", "--git", "writable")
    assert set(settling.aside(receipt)) == {".git/config"}


class Box:
    """A box in the workspace that lives until told."""

    def __init__(self, lab, script, *options):
        self.lab, self.receipt = lab, lab.scratch.path / f"receipt-{time.monotonic_ns()}.json"
        lab.file(self.receipt).unlink()
        self.name = f"box{time.monotonic_ns()}"
        whole = f"{script}; touch {self.name}; until [ -e {self.name}-go ]; do sleep 0.02; done; [ ! -s {self.name}-go ] || . ./{self.name}-go"
        argv = [lab.pinfold, "run", "--workspace", lab.ws, "--receipt", self.receipt, *options, "--", "sh", "-c", whole]
        self.process = subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(ENV), text=True,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not (lab.ws / self.name).exists() and self.process.poll() is None:
            time.sleep(0.01)

    def end(self, then=""):
        self.lab.file(self.lab.scratch.path / "then", then).rename(self.lab.ws / f"{self.name}-go")
        err = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, err
        return receipts.read(self.receipt)


def test_two_boxes(lab, settling):
    """Each settles; what the first left before the second began, and what the second writes again, is no harmless thing."""
    make(lab, lab.ws)
    git(lab, "config", "alias.mine", "!true", cwd=lab.ws)
    before = (lab.ws / ".git/config").read_bytes()
    first = Box(lab, f"{EVIL}; {SET}", "--git", "writable")
    second = Box(lab, "true", "--git", "writable")
    rows = settling.aside(first.end())
    assert {path: row["fate"] for path, row in rows.items()} == {".git/config": "restored", "n/.git/config": "aside"}, rows
    assert (lab.ws / ".git/config").read_bytes() == before
    rows = settling.aside(second.end(f"{EVIL}; git -C n config core.fsmonitor 'touch /tmp/never'"))
    assert {path: row["fate"] for path, row in rows.items()} == {".git/config": "restored", "n/.git/config": "aside"}, rows
    assert (lab.ws / ".git/config").read_bytes() == before


def test_two_boxes_a_link_for_a_folder(lab, settling):
    """A link in a closed folder's place, put there meanwhile, gives nobody rights to what it leads to."""
    target = lab.outside / "closed"
    target.mkdir()
    lab.own(target)
    target.chmod(0o500)
    other = Box(lab, f"{INIT} n; mv n/.git/hooks n/.git/h; (while :; do mkdir -m 0 n/.git/hooks; rmdir n/.git/hooks; "
                     f"ln -s {target} n/.git/hooks; rm -f n/.git/hooks; done) 2>/dev/null & true")
    for _ in range(5):
        lab.run(["true"])
    assert target.stat().st_mode & 0o777 == 0o500
    other.end("kill $!")


LOOP = "i=0; while :; do i=$((i+1)); mkdir -p d$i/.git/hooks; echo x >d$i/.git/hooks/pre-commit; done"


def kill_and_settle(account, rounds):
    """A box that makes hooks all the time is killed with its pinfold; the next run leaves none."""
    lab, rng, inherited = account.lab, random.Random(7), 0
    for _ in range(rounds):
        argv = account.argv("run", "--workspace", lab.ws, "--", "sh", "-c", LOOP)
        process = subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.02, 0.3))
        process.kill()   # unshare, sh and setpriv have each become the next: its pid is pinfold's
        process.wait()
        result = account.pinfold("run", "--workspace", lab.ws, "--receipt", account.receipt, "--", "true")
        assert result.code == 0, result
        left = [path for path in lab.ws.rglob("pre-commit")]
        assert not left, f"HOLE: {left}, {result}"
        inherited += "inherited" in receipts.read(account.receipt)
        assert account.pinfold("run", "--workspace", lab.ws, "--receipt", account.receipt, "--", "true").err == ""
    assert inherited, "no kill left anything to settle"
    assert not [name for name in os.listdir(account.home / ".local/state/pinfold/runs") if name[0] != "."]   # a part: nothing ran


@needs_root
def test_killed(account):  # noqa: F811
    """Nothing is left in the tree by a few kills."""
    kill_and_settle(account, 3)


@needs_root
@pytest.mark.slow
def test_killed_many_times(account):  # noqa: F811
    kill_and_settle(account, 200)


@needs_root
@pytest.mark.parametrize("what", ["quarantine", "runs"])
def test_what_can_not_be_settled(account, what):  # noqa: F811
    """No place for it: told with 125, the receipt says broken, the next run tries again and is refused, until it works."""
    lab, state = account.lab, account.home / ".local/state/pinfold"
    lab.file(state / what, "in the way\n")
    state.chmod(0o700)
    result = account.pinfold("run", "--workspace", lab.ws, "--receipt", account.receipt, "--", "sh", "-c", SET)
    receipt = receipts.read(account.receipt)
    if what == "runs":
        assert result.code == 126 and not (lab.ws / "n").exists(), result
        return
    assert result.code == 125 and receipt["confined"] == "broken" and not receipt["settlement"]["done"], (result, receipt)
    assert "not settled" in result.err and (lab.ws / "n/.git/config").exists(), result
    result = account.pinfold("run", "--workspace", lab.ws, "--", "touch", "ran")
    assert result.code == 126 and not (lab.ws / "ran").exists() and "--waive fs-settle" in result.err, result
    result = account.pinfold("run", "--workspace", lab.ws, "--waive", "fs-settle", "--", "true")
    assert result.code == 0 and (lab.ws / "n/.git/config").exists(), result
    (state / what).unlink()
    result = account.pinfold("run", "--workspace", lab.ws, "--receipt", account.receipt, "--", "true")
    receipt = receipts.read(account.receipt)
    assert result.code == 0 and not (lab.ws / "n/.git/config").exists(), result
    assert receipt["confined"] == "full" and receipt["inherited"][0]["path"] == f"{lab.ws}/n/.git/config", receipt


def test_by_content_on_a_tmpfs(lab, settling):
    """Where times don't tell: a nested repository's settings changed through a mapping; what is the same stays."""
    place = lab.scratch.path / "memory"
    place.mkdir()
    lab.own(place)
    script = f"""set -e
git init -q n; cd n; git config core.fsmonitor false; git config alias.a '!true'; echo '#!/bin/sh' >.git/hooks/post-merge
head -c 3000000 /dev/zero >.git/hooks/post-rewrite; cd ..; cp -a n m; sleep 0.05
{lab.pinfold} run -- true; [ -e n/.git/config ] && [ -e n/.git/hooks/post-merge ] && [ -e n/.git/hooks/post-rewrite ]; rm -rf $HOME/x
mkdir o; git init -q o/p; git -C o/p config alias.a '!true'
{lab.pinfold} run -- /usr/bin/python3 -c "
import mmap
f = open('o/p/.git/config', 'r+b'); m = mmap.mmap(f.fileno(), 0); i = m.find(b'true\\n\\tlogall'); j = m.find(b'!true')
m[j:j+5] = b'!evil'"
[ ! -e o/p/.git/config ]; [ -e m/.git/config ]
{lab.pinfold} quarantine remove $({lab.pinfold} quarantine list | grep -B1 {place}/ | sed -n 's/  file.*//p')
"""
    done = on_tmpfs(lab, place, f"cd {place}; {script}")
    assert done.returncode == 0 and "alias.a" in done.stderr and done.stderr.count("put aside") == 1, done


@pytest.mark.slow
def test_a_repository_of_many(lab, settling):
    """More than are remembered, and than are held: each is looked at every time."""
    receipt = settling.run(f"{INIT} r; for i in $(seq 60); do cp -a r r$i; done")
    assert not settling.found(receipt)
    receipt = settling.run("for i in $(seq 60); do echo x >r$i/.git/hooks/pre-push; done")
    assert len(settling.aside(receipt)) == 60 and not [p for p in shape(lab.ws) if p.endswith("pre-push")]


def test_hard_links_of_what_is_held(lab, settling):
    """A hook of the workspace's repository has a second name in the tree, by which it is changed."""
    make(lab, lab.ws)
    os.link(lab.file(lab.ws / ".git/hooks/pre-push"), lab.ws / "other")
    assert lab.run(["true"]).code == 125
    receipt = settling.run("echo x >>other", "--waive", "fs-protect")
    assert set(settling.aside(receipt)) == {".git/hooks/pre-push"} and (lab.ws / "other").exists(), receipt




def test_any_umask(lab, settling):
    """What is kept is made with modes of its own: the caller's umask may close everything to its owner."""
    script = f"umask 0777; exec \"$0\" run --workspace \"$1\" -- /bin/sh -c 'umask 022; {INIT} n; git -C n config core.fsmonitor /tmp/never'"
    for _ in range(2):
        result = lab.plain(["/bin/sh", "-c", script, lab.pinfold, lab.ws], env=ENV)
        assert result.code == 0 and "put aside" in result.err and not (lab.ws / "n/.git/config").exists(), result
        lab.plain(["rm", "-rf", lab.ws / "n"])


def test_a_damaged_record(lab, settling, account):
    """As after a loss of power: that can only be told, once."""
    runs = account.home / ".local/state/pinfold/runs"
    assert account.pinfold("run", "--workspace", lab.ws, "--", "true").code == 0
    for text in (b"", b"pinfold run 1\0", b"\0" * 100):
        lab.file(runs / "1-2-3").write_bytes(text)
        result = account.pinfold("run", "--workspace", lab.ws, "--", "echo", "ran")
        assert result.out == "ran\n" and "1-2-3 of an earlier run is damaged" in result.err, result
        again = account.pinfold("run", "--workspace", lab.ws, "--", "true")
        assert again.err == "" and not (runs / "1-2-3").exists(), again
