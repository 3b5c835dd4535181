"""What a session keeps is for its own boxes, and leads nowhere else (entries 245 to 250)."""
import os
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest

from harness import tree
from sessions import account, needs_root, own, sessions  # noqa: F401 (fixtures)

pytestmark = needs_root


def other_session(sessions):
    """A session with the same id of another workspace, in which a file with a secret is kept."""
    other = sessions.lab.scratch.path / "other"
    other.mkdir()
    sessions.lab.own(other)
    result = sessions.account.pinfold("run", "--workspace", other, "--session", "ci", "--", "sh", "-c", "echo host >~/f; echo host >/tmp/f", cwd=other)
    assert result.code == 0, result
    folder = next(s["folder"] for s in sessions.list() if s["workspace"] == os.fspath(other))
    return Path(folder)


@pytest.mark.parametrize("how", ["alone", "read-above", "read-home", "readonly-above"])
def test_e245_read_another_workspaces_session(sessions, how):
    """The same id in another workspace is another session; where a grant shows the place of all, it is covered."""
    folder, home = other_session(sessions), sessions.account.home
    options = {"alone": [], "read-above": ["--read", home / ".local"], "read-home": ["--read", home],
               "readonly-above": ["--read", home / ".local" / "state", "--mode", "readonly"]}[how]
    for name in ("home/f", "tmp/f", "workspace"):
        sessions.attack("read", folder / name, expect={"ENOENT"}, options=options)
    assert sessions.run("cat ~/f /tmp/f").out == ""
    if how != "alone":
        assert sessions.ok(f"ls -A {home}/.local/state/pinfold", options=options) == ""


def test_e245_without_a_session_too(sessions):
    """A box that has no session of its own sees as little, also by the name that another mount gives the place."""
    folder, bound = other_session(sessions), sessions.lab.outside / "bound"
    bound.mkdir()
    sessions.lab.own(bound)
    before = f"mount --bind {sessions.account.home}/.local/state {bound}"
    words = ["run", "--workspace", sessions.lab.ws, "--read", sessions.account.home, "--read", sessions.lab.outside, "--", "sh", "-c"]
    result = sessions.account.pinfold(*words, f"ls {bound}; cat {folder}/home/f {bound}/pinfold/sessions/*/home/f", before=before)
    assert result.out == "pinfold\n" and result.code != 0, result
    control = subprocess.run(["unshare", "-m", "sh", "-c", f"{before}; cat {bound}/pinfold/sessions/*/home/f"], capture_output=True, text=True)
    assert control.stdout == "host\n", control


@pytest.mark.parametrize("option, place", [
    (option, place) for option in ("--read", "--write", "--workspace") for place in ("home", "", "..", "../..", "../../..")
    if option != "--read" or place != "../../.."])   # above the place a folder may be read, see the tests before
def test_e245_grant_of_the_place(sessions, option, place):
    """What lies in it can't be granted, nor can a folder above be changed."""
    folder = other_session(sessions)
    path = os.path.normpath(folder / place)
    result = sessions.account.pinfold("run", *(["--workspace", sessions.lab.ws] if option != "--workspace" else []), option, path, "--", "touch", sessions.lab.ws / "ran", cwd=sessions.lab.ws)
    assert result.code == 125 and "--session lies" in result.err and not (sessions.lab.ws / "ran").exists(), result


@pytest.mark.parametrize("mode", ["direct", "discard", "readonly"])
@pytest.mark.parametrize("above", ["", ".local", ".local/state", ".local/state/pinfold"])
def test_e245_workspace_that_holds_the_place(sessions, mode, above):
    other_session(sessions)
    path = sessions.account.home / above
    result = sessions.account.pinfold("run", "--workspace", path, "--mode", mode, "--", "true", cwd=path)
    assert result.code == 125, result


def plant(sessions, line):
    sessions.ok(line)


@pytest.mark.parametrize("link", ["", "sub", "sub/deep"])
def test_e246_link_in_the_place_of_a_mount(sessions, link):
    """A kept home in which a link stands where a later run mounts: nothing is made where it leads, and nothing runs."""
    lab = sessions.lab
    lab.file(lab.home / "tool" / "sub" / "deep" / "f")
    target = lab.outside / "target"
    target.mkdir()
    lab.own(target)
    at = Path("tool") / link
    plant(sessions, f"mkdir -p ~/{at.parent} && ln -s {target} ~/{at}")
    before = tree(lab.outside)
    for option in ("--read", "--write"):
        sessions.refused(options=[option, lab.home / "tool" / "sub" / "deep"], said=["symlink", "pinfold end ci"])
    assert tree(lab.outside) == before
    assert sessions.end("ci").code == 0 and tree(lab.outside) == before


def test_e246_link_where_the_workspace_stands(sessions):
    """The workspace lies below /var/tmp, which is kept: a link at one of the folders above it in what is kept."""
    lab = sessions.lab
    sessions.ok("true")
    kept = sessions.folder() / "var-tmp" / lab.ws.relative_to("/var/tmp").parts[0]
    assert kept.is_dir()
    shutil.rmtree(kept)
    kept.symlink_to(lab.outside)
    lab.own(kept)
    before = tree(lab.outside)
    sessions.refused(said=["symlink"])
    assert tree(lab.outside) == before


def test_e246_write_through_a_kept_link(sessions):
    """A link in it is followed by later boxes as any: it leads to what they have themselves."""
    lab = sessions.lab
    lab.file(lab.outside / "f")
    plant(sessions, f"ln -s {lab.outside} ~/out; ln -s {lab.outside}/f /tmp/f")
    before = tree(lab.outside)
    sessions.attack("create", lab.home / "out" / "new", expect={"ENOENT"}, control=False)
    sessions.attack("append", "/tmp/f", expect={"ENOENT", "EROFS", "EACCES"}, control=False)
    sessions.attack("create", lab.home / "out" / "new", expect={"EROFS"}, options=["--read", lab.outside], control=False)
    assert tree(lab.outside) == before


@pytest.mark.parametrize("old, new", [("ws/f", "home/h"), ("home/f", "ws/h"), ("/tmp/f", "home/h"), ("outside/f", "/tmp/h")])
def test_e247_hard_links(sessions, old, new):
    """Between what is kept and everything else there are none, so none is left for the host or for another box."""
    lab = sessions.lab
    for folder in (lab.ws, lab.home, lab.outside):
        lab.file(folder / "f")
    sessions.ok("echo x >~/f; echo x >/tmp/f")
    place = lambda path: path if path[0] == "/" else os.fspath(lab.scratch.path / path)
    sessions.attack("link", place(old), place(new), expect={"EXDEV"}, options=["--read", lab.outside], control=False)


def test_e247_hard_link_control(sessions):
    """Within one kept folder a hard link works, as does one on the host."""
    lab = sessions.lab
    lab.file(lab.outside / "f")
    assert lab.plain([lab.attacker, "link", lab.outside / "f", lab.outside / "h"]).verdict == "ok"
    sessions.ok("echo x >~/f; ln ~/f ~/h; test ~/f -ef ~/h")
    assert sessions.ok("stat -c %h ~/f") == "2\n"


@pytest.mark.parametrize("mode", ["04755", "06755"])
def test_e248_set_id_file(sessions, mode):
    """The bit can't be set; and if it could, nobody else on the host would get at the file."""
    lab = sessions.lab
    lab.file(lab.outside / "f")
    sessions.ok("cp /bin/true ~/f; cp /bin/true /tmp/f")
    sessions.attack("chmod", "/tmp/f", mode, expect={"EPERM"}, control_words=["chmod", lab.outside / "f", mode])
    sessions.attack("chmod", lab.home / "f", mode, expect={"EPERM"}, control=False)
    file = sessions.folder() / "tmp" / "f"
    assert stat.S_IMODE(file.stat().st_mode) & 0o7000 == 0
    if lab.user.uid:   # root gets everywhere
        done = subprocess.run(["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", "--", "sh", "-c", 'exec "$0"', file], capture_output=True, text=True)
        assert done.returncode in (126, 127) and "ermission denied" in done.stderr, done


def test_e248_programs_and_devices(sessions):
    """What is kept is mounted nosuid and nodev."""
    line = "awk '$5 == \"/tmp\" || $5 == \"/var/tmp\" || $5 == \"'$HOME'\" {print $6}' /proc/self/mountinfo"
    options = sessions.ok(line).split()
    assert len(options) == 3 and all({"nosuid", "nodev", "rw"} <= set(o.split(",")) for o in options), options


AWKWARD = """
import os
os.chdir(os.path.expanduser("~"))
for name in (b"new\\nline", b"\\xff\\xfe", b"-rf", b" ", b"*", b"a" * 255, b"...", b".old-1-1"):
    os.mkdir(name); open(name + b"x" if len(name) < 255 else b"b" * 255, "w").close()
    open(os.path.join(name, b"f"), "w").close()
os.symlink("/etc", "etc"); os.symlink("..", "up"); os.symlink("loop", "loop"); os.mkfifo("fifo")
import socket
s = socket.socket(socket.AF_UNIX); s.bind("socket")
os.makedirs("closed/in/in"); open("closed/in/f", "w").close()
for path in ("closed/in/in", "closed/in", "closed"):
    os.chmod(path, 0)
os.chdir("/tmp")
for i in range(1500):
    os.mkdir("d"); os.chdir("d")
    if i % 100 == 0:
        open("f", "w").close()
"""

# outside of a box, where it doesn't take so long
DEEP = """
import os, sys
os.chdir(sys.argv[1])
for i in range(10000):
    os.mkdir("d"); os.chdir("d")
"""


def test_e249_what_a_removal_must_manage(sessions):
    """10,000 folders deep, without permissions, with any name, links and special files: all of it goes, by end."""
    lab = sessions.lab
    before = tree(lab.outside), tree(sessions.account.etc)
    sessions.ok("python3", "-c", AWKWARD, timeout=300)
    assert lab.plain(["/usr/bin/python3", "-c", DEEP, sessions.folder() / "var-tmp"], timeout=300).code == 0
    result = sessions.account.pinfold("end", "ci", timeout=600)
    assert result.code == 0 and sessions.names() == [], result
    assert (tree(lab.outside), tree(sessions.account.etc)) == before


def test_e249_the_same_by_starts(sessions):
    """And by runs that find it stale, each of which removes some."""
    sessions.ok("python3", "-c", AWKWARD, timeout=300)
    sessions.age(sessions.folder(), 8)
    for _ in range(30):
        sessions.ok("true", id="other")
        if len(sessions.names()) == 1:
            break
    assert [s["id"] for s in sessions.list()] == ["other"] and len(sessions.names()) == 1


def test_e249_interrupted_removal(sessions):
    """Killed at any moment: what is left is no session, and the next end removes it."""
    lab = sessions.lab
    keep = lab.file(lab.outside / "f")
    for delay in (0, .002, .005, .01, .03):
        sessions.ok(f"for i in 1 2 3 4 5 6 7 8; do mkdir -p ~/$i/a/b; ln -s {lab.outside} ~/$i/a/l; touch ~/$i/a/b/$(seq -s ' ' 0 9 | tr ' ' x); done")
        argv = sessions.account.argv("end", "--workspace", lab.ws, "ci")
        process = subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(.01 + delay)
        process.kill()
        process.wait()
        left = [s for s in sessions.list() if s["id"] == "ci"]
        if left:
            assert sessions.ok("ls ~ | wc -l") == "8\n"   # it had not begun
        sessions.ok("true", id="other")
        sessions.end("ci")
        assert len(sessions.names()) == 1 and keep.read_text() == "host\n", sessions.names()


def swapper(folder, target, stop):
    """What a process that outlives its run for a moment could do: trade folders for links to `target`."""
    i = 0
    while not stop.is_set():
        i += 1
        try:
            name = folder / f"d{i % 20}"
            os.rename(name, folder / "aside")
            os.symlink(target, name)
            os.unlink(name)
            os.rename(folder / "aside", name)
        except OSError:
            pass


def test_e249_folders_that_become_links(sessions):
    """While end removes it, somebody trades its folders for links that lead outside: nothing there is touched."""
    lab = sessions.lab
    for i in range(50):
        lab.file(lab.outside / "target" / f"x{i}" / "f")
    before = tree(lab.outside)
    for _ in range(10):
        sessions.ok("for i in $(seq 0 19); do mkdir -p ~/d$i/x1 ~/d$i/x2; touch ~/d$i/x1/f; done")
        stop = threading.Event()
        home = os.open(sessions.folder() / "home", os.O_RDONLY)   # by a descriptor: it is renamed meanwhile
        thread = threading.Thread(target=swapper, args=(Path(f"/proc/self/fd/{home}"), lab.outside / "target", stop))
        thread.start()
        try:
            sessions.end("ci")
        finally:
            stop.set()
            thread.join()
            os.close(home)
        assert tree(lab.outside) == before
        sessions.ok("true", id="other")
        sessions.end("other")
        assert sessions.names() == [], sessions.names()


def test_e250_a_removal_beside_runs(sessions):
    """A run finds a session whole, or none: never half of one."""
    lab, ended = sessions.lab, threading.Event()
    counts = {"removed": 0, "in use": 0}

    def end_all():
        while not ended.is_set():
            result = sessions.end("--workspace", lab.ws, "ci")
            counts["removed"] += result.code == 0
            counts["in use"] += "in use" in result.err
            assert result.code in (0, 125), result

    thread = threading.Thread(target=end_all)
    thread.start()
    seen = set()
    try:
        for _ in range(60):
            result = sessions.run('a=$(ls /tmp | wc -l); for i in 1 2 3 4 5; do echo x >/tmp/$i; done; echo $a')
            assert result.code == 0, result
            seen.add(result.out)
    finally:
        ended.set()
        thread.join()
    assert seen <= {"0\n", "5\n"} and counts["removed"], (seen, counts)


def test_e250_killed_runs_leave_a_session(sessions):
    """SIGKILL at many moments of a start: a whole session or a remainder, and the next run works."""
    lab = sessions.lab
    for i in range(40):
        argv = sessions.account.argv("run", "--workspace", lab.ws, "--session", "ci", "--", "true")
        process = subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(.004 + .0005 * (i % 20))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if i % 3 == 0:
            sessions.end("ci")
    sessions.ok("echo x >/tmp/f")
    assert sessions.ok("cat /tmp/f") == "x\n" and len(sessions.names()) == 1


MOVER = """
import os, time
os.chdir(os.path.expanduser("~"))
os.makedirs("fake/sub", exist_ok=True)
if not os.path.lexists("link"):
    os.symlink("TARGET", "link")
print("moving", flush=True)
while True:
    for other in ("link", "fake"):
        try:
            os.rename("tool", "aside"); os.rename(other, "tool")
            os.rename("tool", other); os.rename("aside", "tool")
        except OSError:
            for back in ("aside",):
                if not os.path.lexists("tool") and os.path.lexists(back):
                    os.rename(back, "tool")
"""


def test_e250_another_box_moves_the_places_of_mounts(sessions):
    """A box of the session trades the folder above another's mount for a link, or for a folder of its own: what that one
    mounts stands in its place, or nothing runs; and a FIFO of the host below it leads nowhere."""
    lab = sessions.lab
    lab.file(lab.home / "tool" / "sub" / "f", "tool\n")
    os.mkfifo(lab.home / "tool" / "sub" / "fifo")
    lab.own(lab.home / "tool" / "sub" / "fifo")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.fspath(lab.home / "tool" / "sub" / "socket"))
    lab.own(lab.home / "tool" / "sub" / "socket")
    before = tree(lab.home), tree(lab.outside)
    options = ["--read", lab.home / "tool" / "sub"]
    sessions.ok("cat ~/tool/sub/f", options=options)
    ends = set()
    script = MOVER.replace("TARGET", os.fspath(lab.outside))
    with sessions.running(f"exec python3 -c '{script}'") as mover:
        assert mover.stdout.readline() == "moving\n"
        for _ in range(60):
            # by every name that it may have by now
            result = sessions.run("for d in tool aside fake; do d=$HOME/$d/sub; echo evil 2>/dev/null >$d/f; mkdir $d/new 2>/dev/null && rmdir $d/new; done; true",
                                  options=options)
            assert result.code in (0, 125, 126), result
            assert "waive" not in result.err, result.err
            ends.add(result.code)
            assert (tree(lab.home), tree(lab.outside)) == before
    listener.close()
    assert ends, ends
