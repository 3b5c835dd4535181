"""Terminals: Ctrl-C once, sizes, colours, no injection, prompts that nobody can answer fail at once."""
import time
from pathlib import Path

from ptyrun import Terminal
from workbench import PATH, PYTHON, box_argv, eventually, raw, shell, sleepers, unique_seconds


def terminal(lab, argv, size=(24, 80), boxed=True, env=None):
    line = box_argv(lab, argv) if boxed else lab.user.argv(argv)
    return Terminal(line, lab.user.uid, size, cwd=lab.ws, env=lab.environment({"PATH": PATH, **(env or {})}))


HANDLER = 'n=0; trap \'n=$((n+1)); echo INT$n; sleep .5; exit 42\' INT; echo ready; while :; do sleep .1; done'
ONWARDS = "trap 'echo handled' INT; echo ready; read line; echo \"got $line\"; exit 7"


def test_interrupt_reaches_a_handler_once(lab):
    for boxed in (False, True):
        with terminal(lab, ["bash", "-c", HANDLER], boxed=boxed) as one:
            one.expect(b"ready")
            one.type(b"\x03")
            code, out = one.finish()
            assert code == 42 and "INT1" in out and "INT2" not in out, (boxed, code, out)


def test_interrupt_that_is_handled_does_not_end_the_run(lab):
    for boxed in (False, True):
        with terminal(lab, ["bash", "-c", ONWARDS], boxed=boxed) as one:
            one.expect(b"ready")
            one.type(b"\x03")
            time.sleep(0.3)
            one.type(b"word\n")
            code, out = one.finish()
            assert code == 7 and "got word" in out, (boxed, code, out)


def test_interrupt_ends_a_plain_command(lab):
    mark = unique_seconds()
    with terminal(lab, ["sleep", mark]) as one:
        assert eventually(lambda: sleepers(mark))
        one.type(b"\x03")
        assert one.finish()[0] == 130
    assert eventually(lambda: not sleepers(mark), 1)


def test_quit_and_end_of_input(lab):
    mark = unique_seconds()
    with terminal(lab, ["sleep", mark]) as one:
        assert eventually(lambda: sleepers(mark))
        one.type(b"\x1c")
        assert one.finish()[0] == 131
    with terminal(lab, ["sh", "-c", "echo ready; exec cat"]) as one:
        one.expect(b"ready")
        time.sleep(0.2)
        one.type(b"line\n")
        one.expect(b"line\r\nline\r\n")
        one.type(b"\x04")
        assert one.finish() == (0, "ready\nline\nline\n")


def test_what_was_typed_before_the_start_arrives(lab):
    """Keys that are pressed while the box is being built, the end of input among them."""
    for boxed in (False, True):
        with terminal(lab, ["cat"], boxed=boxed) as one:
            one.type(b"line\n\x04")
            code, out = one.finish()
            assert code == 0 and out.endswith("line\n"), (boxed, code, out)


def test_size_and_that_it_is_a_terminal(lab):
    script = "stty size; test -t 0 && test -t 1 && test -t 2 && echo tty; tty; test -c /dev/tty && echo dev >/dev/tty"
    with terminal(lab, ["sh", "-c", script], size=(40, 123)) as one:
        code, out = one.finish()
        assert code == 0 and out.startswith("40 123\ntty\n/dev/pts/") and out.endswith("dev\n"), out


def test_resize_arrives(lab):
    script = "trap 'stty size; exit 5' WINCH; echo ready; for i in $(seq 100); do sleep .1; done"
    for boxed in (False, True):
        with terminal(lab, ["bash", "-c", script], boxed=boxed) as one:
            one.expect(b"ready")
            one.resize(50, 131)
            code, out = one.finish()
            assert code == 5 and "50 131" in out, (boxed, code, out)


def test_large_output_on_a_terminal_is_whole(lab):
    with terminal(lab, ["seq", "50000"]) as one:
        code, out = one.finish(30)
        assert code == 0 and out.split() == [str(i) for i in range(1, 50001)]


def test_keys_are_seen_one_by_one_in_raw_mode(lab):
    code = "import os, tty; tty.setraw(0); os.write(1, b'ready'); print(os.read(0, 1) + os.read(0, 1))"
    with terminal(lab, [PYTHON, "-c", code]) as one:
        one.expect(b"ready")
        one.type(b"\x03")
        time.sleep(0.1)
        one.type(b"q")
        status, out = one.finish()
        assert status == 0 and r"b'\x03q'" in out, out


def test_callers_terminal_settings_are_as_before(lab):
    """Also when the command leaves its own terminal in raw mode, or is killed."""
    script = '"$@"; stty -a | md5sum'
    for inner in (["stty", "raw", "-echo"], ["true"], ["sh", "-c", "kill -KILL $$"]):
        line = lab.user.argv(["bash", "-c", "stty -a | md5sum; " + script, "bash",
                              lab.pinfold, "run", "--workspace", lab.ws, "--", *inner])
        with Terminal(line, lab.user.uid, cwd=lab.ws, env=lab.environment({"PATH": PATH})) as one:
            sums = [x for x in one.finish()[1].splitlines() if x.endswith("-") and len(x) > 30]
            assert len(sums) == 2 and sums[0] == sums[1], (inner, sums)


def test_colour_variables_and_pipes_that_stay_pipes(lab):
    env = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    assert shell(lab, "echo $TERM $COLORTERM", env=env).out == "xterm-256color truecolor\n"
    assert shell(lab, "for n in 0 1 2; do test -t $n && echo tty; done; true").out == ""
    with terminal(lab, ["sh", "-c", "test -t 1 || echo piped"], boxed=True) as one:
        assert one.finish() == (0, "")


def test_only_the_streams_that_are_terminals_are_terminals(lab):
    """Input from a pipe, output to a terminal."""
    line = lab.user.argv(["sh", "-c", 'echo x | "$@"', "sh", lab.pinfold, "run", "--workspace", lab.ws, "--",
                          "sh", "-c", "test -t 0 && echo wrong; test -t 1 && echo right; cat"])
    with Terminal(line, lab.user.uid, cwd=lab.ws, env=lab.environment({"PATH": PATH})) as one:
        assert one.finish() == (0, "right\nx\n")


INJECT = """
import fcntl, sys, termios
for fd in (0, 1, 2):
    for call in (termios.TIOCSTI, termios.TIOCSTI | 1 << 32):
        for byte in sys.argv[1] + chr(10):
            try: fcntl.ioctl(fd, call, byte.encode())
            except (OSError, OverflowError): pass
"""


def test_nothing_can_be_typed_into_the_callers_terminal(lab):
    lab.file(lab.ws / "inject.py", INJECT)
    mark = lab.outside / "pwned"
    reader = '; read -r -t 1 line && eval "$line"; true'
    inject = f"{PYTHON} inject.py 'touch {mark}'"
    box = f"{lab.pinfold} run --workspace {lab.ws} --"
    env = lab.environment({"PATH": PATH})
    switch = Path("/proc/sys/dev/tty/legacy_tiocsti")
    if lab.user.uid == 0 or not switch.exists() or switch.read_text() == "1\n":
        with Terminal(lab.user.argv(["bash", "-c", inject + reader]), lab.user.uid, cwd=lab.ws, env=env) as one:
            one.finish()
        assert mark.exists(), "control: injection does not work without a box"
        mark.unlink()
    for inner in (f"{box} {inject}", f"{box} sh -c \"exec 0</dev/tty 1>/dev/tty; {inject}\""):
        with Terminal(lab.user.argv(["bash", "-c", inner + reader]), lab.user.uid, cwd=lab.ws, env=env) as one:
            one.finish()
        assert not mark.exists(), inner


def test_su_without_a_terminal_does_not_hang(lab):
    line = ["setsid", "-w", *box_argv(lab, ["su", "-c", "true", "root" if lab.user.uid else "nobody"])]
    done = raw(lab, line, timeout=15)
    assert done.returncode != 124


def test_git_prompt_without_a_terminal_fails_at_once(lab):
    lab.file(lab.ws / "ask.py", """
import http.server, subprocess, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(401); self.send_header("WWW-Authenticate", "Basic realm=x")
        self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/x.git"
git = subprocess.run(["git", "ls-remote", url], stderr=subprocess.PIPE, timeout=10)
sys.exit(0 if git.returncode == 128 and b"could not read Username" in git.stderr else f"{git}")
""")
    for line in (lab.user.argv([PYTHON, "ask.py"]), box_argv(lab, [PYTHON, "ask.py"])):
        done = raw(lab, ["setsid", "-w", *line], timeout=20)
        assert done.returncode == 0, done
