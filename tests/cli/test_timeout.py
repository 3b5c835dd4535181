"""--timeout and --grace: the whole tree ends, in time, and the command may tidy up first."""
import subprocess
import time

import pytest

from workbench import PATH, PYTHON, box_argv, eventually, raw, sleepers, started, unique_seconds


def timed(lab, script, *options):
    begin = time.monotonic()
    done = raw(lab, box_argv(lab, ["sh", "-c", script], *options), timeout=30)
    return done, time.monotonic() - begin


def test_ends_in_time_with_124(lab):
    done, seconds = timed(lab, "echo begun; sleep 30", "--timeout", "400ms")
    assert done.returncode == 124 and done.stdout == b"begun\n" and 0.4 <= seconds < 3
    lines = done.stderr.splitlines()
    assert len(lines) <= 1 and all(line.startswith(b"pinfold: ") for line in lines), done


def test_in_time_changes_nothing(lab):
    done, seconds = timed(lab, "echo out; exit 3", "--timeout", "1h")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"") and seconds < 5


@pytest.mark.parametrize("value,least", [("300ms", 0.3), ("1s", 1), ("1", 1), ("0.01m", None)])
def test_units(lab, value, least):
    done, seconds = timed(lab, "sleep 20", "--timeout", value)
    if done.returncode == 125:   # a spelling that isn't one is said, never guessed at
        assert done.stderr.startswith(b"pinfold: ") and value in ("1", "0.01m") and seconds < 5
    else:
        assert done.returncode == 124 and least <= seconds < least + 3


def test_whole_tree_is_killed(lab):
    mark = unique_seconds()
    script = f"setsid sleep {mark} & nohup sleep {mark} >/dev/null 2>&1 & (setsid sleep {mark} &) ; sleep {mark}"
    with started(lab, ["sh", "-c", script], "--timeout", "1s") as process:
        assert eventually(lambda: len(sleepers(mark)) == 4)
        assert process.wait(10) == 124
        assert sleepers(mark) == []


def test_command_that_ignores_the_signal(lab):
    mark = unique_seconds()
    script = f"trap '' TERM INT HUP; while :; do sleep {mark} & sleep {mark}; done"
    done, seconds = timed(lab, script, "--timeout", "300ms", "--grace", "300ms")
    assert done.returncode == 124 and 0.55 <= seconds < 3 and sleepers(mark) == []


def test_grace_lets_the_command_tidy_up(lab):
    script = "trap 'echo tidy; sleep .3; echo done; exit 5' TERM; echo ready; while :; do sleep .05; done"
    done, seconds = timed(lab, script, "--timeout", "400ms", "--grace", "10s")
    assert done.returncode == 124 and done.stdout == b"ready\ntidy\ndone\n" and seconds < 5


def test_grace_that_runs_out(lab):
    script = "trap 'echo tidy; sleep 20; echo late' TERM; echo ready; while :; do sleep .05; done"
    done, seconds = timed(lab, script, "--timeout", "300ms", "--grace", "500ms")
    assert done.returncode == 124 and done.stdout == b"ready\ntidy\n" and seconds < 4


def test_no_grace(lab):
    script = "trap 'echo tidy' TERM; echo ready; while :; do sleep .05; done"
    done, seconds = timed(lab, script, "--timeout", "400ms", "--grace", "0s")
    assert done.returncode == 124 and seconds < 3


def test_stopped_command_is_ended_too(lab):
    done, seconds = timed(lab, "kill -STOP $$", "--timeout", "300ms", "--grace", "300ms")
    assert done.returncode == 124 and seconds < 4


def test_reader_that_does_not_read_holds_nothing_up(lab):
    """A caller who does not take the output does not keep the box alive."""
    mark = unique_seconds()
    with started(lab, ["sh", "-c", f"yes & sleep {mark}"], "--timeout", "500ms", stdout=subprocess.PIPE) as process:
        assert eventually(lambda: sleepers(mark))
        assert eventually(lambda: not sleepers(mark), 3), "still alive, since nobody reads its output"
        process.stdout.close()
        assert process.wait(10) == 124
        process.stdout = None


def test_output_up_to_the_end_arrives(lab):
    code = "import sys, time; sys.stdout.write('x' * 300000); sys.stdout.flush(); time.sleep(30)"
    done = raw(lab, box_argv(lab, [PYTHON, "-c", code], "--timeout", "1s"), env={"PATH": PATH})
    assert done.returncode == 124 and done.stdout == b"x" * 300000


def test_signal_during_the_grace_time(lab):
    """A second signal from outside does not undo the timeout."""
    script = "trap '' TERM INT; echo ready; while :; do sleep .05; done"
    with started(lab, ["sh", "-c", script], "--timeout", "300ms", "--grace", "1s", stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.6)
        process.terminate()
        assert process.wait(10) == 124
