"""Processes: background work ends with the run, status and signals arrive, many runs at once, orphans are reaped."""
import os
import select
import signal
import subprocess
import time

import pytest

from workbench import (PATH, PYTHON, box_argv, end, eventually, installed, keeps, python_keeps, raw, repository,
                       run_with_mounts, shell, sleepers, started, unique_seconds)


@pytest.mark.parametrize("script", [
    "sleep {} >/dev/null 2>&1 </dev/null & echo started",
    "setsid -f sleep {} >/dev/null 2>&1 </dev/null; echo started",
    "(sleep {} >/dev/null 2>&1 </dev/null &); echo started",
    "nohup setsid sh -c 'trap \"\" TERM HUP INT; sleep {} & sleep {}' >/dev/null 2>&1 & echo started",
    "(setsid sleep {} &) & echo started",
])
def test_background_processes_end_with_the_run(lab, script):
    """However a process was sent to the background; and pinfold does not wait for it."""
    mark = unique_seconds()
    begin = time.monotonic()
    done = raw(lab, box_argv(lab, ["sh", "-c", script.replace("{}", mark)]), timeout=15)
    assert (done.returncode, done.stdout) == (0, b"started\n"), done
    assert time.monotonic() - begin < 5
    assert eventually(lambda: not sleepers(mark), 1.5), "left behind"


def test_background_child_does_not_hold_the_callers_pipe(lab):
    begin = time.monotonic()
    done = raw(lab, box_argv(lab, ["sh", "-c", "sleep 20 & echo hi; exit 3"]), timeout=15)
    assert (done.returncode, done.stdout) == (3, b"hi\n") and time.monotonic() - begin < 5


def test_closing_output_early_is_seen_at_once(lab):
    """A command that closes its output but goes on: the reader gets end of file while the command runs."""
    mark = unique_seconds()
    with started(lab, ["sh", "-c", f"echo hi; exec >&- 2>&-; sleep {mark}"], stdout=subprocess.PIPE) as process:
        reader = select.poll()
        reader.register(process.stdout, select.POLLIN | select.POLLHUP)
        assert reader.poll(5000) and os.read(process.stdout.fileno(), 99) == b"hi\n"
        assert reader.poll(5000), "no end of file"
        assert os.read(process.stdout.fileno(), 99) == b"" and process.poll() is None


@pytest.mark.parametrize("code", [0, 1, 2, 7, 42, 77, 100, 124, 125, 126, 127, 128, 137, 255])
def test_exit_status_is_the_commands_own(lab, code):
    assert shell(lab, f"exit {code}").code == code


@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "ABRT", "PIPE", "INT", "HUP", "USR1", "SYS", "RTMIN"])
def test_death_by_signal_is_128_and_its_number(lab, name):
    number = signal.Signals["SIG" + name].value
    result = lab.run([PYTHON, "-c", f"import os, time; os.kill(os.getpid(), {number}); time.sleep(9)"])
    # Python handles INT itself and ignores PIPE, so these two are sent to a shell.
    if name in ("INT", "PIPE"):
        result = shell(lab, f"kill -{name} $$; sleep 9")
    assert result.code == 128 + number, result


def test_command_not_found_and_not_executable(lab):
    lab.file(lab.ws / "plain")
    for argv, code in ((["./nope"], 127), (["no-such-command"], 127), (["./plain"], 126), (["/usr"], 126)):
        result = lab.run(argv)
        assert result.code == code and result.err.startswith("pinfold: ") and argv[0] in result.err, result


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1])
def test_signals_sent_to_pinfold_reach_the_command(lab, number):
    script = "trap 'echo got; exit 9' TERM INT HUP QUIT USR1; echo ready; while :; do sleep .05; done"
    with started(lab, ["sh", "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.read() == b"got\n" and process.wait(10) == 9


def test_killed_pinfold_leaves_nothing(lab):
    places = [lab.home, lab.ws, lab.scratch.path, lab.outside]
    mine = lambda: [sorted(os.listdir(p)) for p in places]
    before, mounts = mine(), open("/proc/self/mountinfo").read()
    for _ in range(3):
        mark = unique_seconds()
        with started(lab, ["sh", "-c", f"setsid sleep {mark} & sleep {mark}"]) as process:
            assert eventually(lambda: len(sleepers(mark)) == 2)
            end(process)
            assert eventually(lambda: not sleepers(mark), 1), "processes inside are alive"
    assert open("/proc/self/mountinfo").read() == mounts and mine() == before


def test_killed_pinfold_leaves_no_temporary_files(lab):
    """In a mount namespace whose shared folders nobody else uses."""
    shared = "/tmp /dev/shm /run"
    mounts = f"for d in {shared}; do mount -t tmpfs -o mode=1777 t $d; done"
    line = [installed(lab), "run", "--workspace", lab.ws, "--", "sh", "-c", "echo up >up; sleep 60"]
    script = ('"$@" & for i in $(seq 99); do [ -e up ] || sleep .1; done; kill -9 $!; wait $! 2>/dev/null; rm up; '
              f'ls -A {shared}; "$0" true; ls -A {shared}')
    code, out, err = run_with_mounts(lab, mounts, ["sh", "-c", script, "env", *line])
    assert code == 0 and out == "/dev/shm:\n\n/run:\n\n/tmp:\n" * 2, (code, out, err)


def test_many_runs_at_once_in_one_workspace(lab):
    repository(lab, lab.ws)
    env = lab.environment({"PATH": PATH})
    runs = []
    for i in range(24):
        script = f"sleep .0{i % 7}; echo {i} >o.{i}; cat o.{i}; cat /tmp/other 2>/dev/null; echo {i} >/tmp/other"
        runs.append(subprocess.Popen(box_argv(lab, ["sh", "-c", script]), cwd=lab.ws, env=env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    for i, process in enumerate(runs):
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, f"{i}\n".encode(), b"")
        assert (lab.ws / f"o.{i}").read_text() == f"{i}\n"
        (lab.ws / f"o.{i}").unlink()
    assert lab.plain(["git", "status", "--porcelain", "--ignored"]).out == ""


def test_orphans_are_reaped_and_children_left_alone(lab):
    script = ("for i in $(seq 60); do sh -c 'true & exit'; done; sleep .5; "
              "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z' || true")
    assert int(shell(lab, script).out) <= 2
    keeps(lab, ["sh", "-c", "(sleep .2; exit 5) & p=$!; sleep .4; wait $p; test $? = 5"])


def test_pipelines_are_quick_and_lose_nothing(lab):
    script = 'for i in $(seq 150); do r=$(echo abc | cat | cat) || exit 1; [ "$r" = abc ] || exit 2; done'
    begin = time.monotonic()
    assert lab.plain(["sh", "-c", script]).code == 0
    outside = time.monotonic() - begin
    begin = time.monotonic()
    result = shell(lab, script)
    inside = time.monotonic() - begin
    assert result.code == 0 and inside < outside * 3 + 1.5, f"{inside:.2f} s inside, {outside:.2f} s outside: {result}"
    for _ in range(20):
        assert shell(lab, ":", timeout=10).code == 0


def test_signals_do_not_break_quick_calls(lab):
    lab.file(lab.ws / "f")
    python_keeps(lab, """if True:
        import os, signal, socket
        signal.signal(signal.SIGALRM, lambda *a: None); signal.siginterrupt(signal.SIGALRM, True)
        signal.setitimer(signal.ITIMER_REAL, .002, .002)
        for i in range(3000):
            os.close(os.open("f", os.O_RDONLY)); socket.socket().close()
        for i in range(100):
            pid = os.fork()
            if pid == 0: os._exit(0)
            while True:
                try: os.waitpid(pid, 0); break
                except InterruptedError: pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        """)
