"""Two runs at once in one workspace, and the death of one of them: 225."""
import os
import signal
import subprocess
import time

import pytest
from victims import gone


def start(lab, script, *arguments, options=()):
    argv = [lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker, *options, "--", "/bin/sh", "-c", script,
            lab.attacker, *arguments]
    return subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda n: n.name)
def test_e225_death_of_one_run(lab, stage, number):
    """While the first run starts, lives and dies, the second stays as closed as it was: the file outside, the host's
    socket in the workspace and its process are out of reach before and after."""
    secret = lab.file(lab.outside / "secret")
    listener, victim = stage.listener(lab.ws / "service"), stage.process()
    attack = f'try() {{ cat {secret} 2>/dev/null && echo READ; echo x 2>/dev/null >>{secret} && echo WROTE; ' \
             f'"$0" unix_connect stream service; "$0" kill {victim.pid} 9; }}'
    wait = "while ! [ -e go ]; do sleep .02; done"
    tag = stage.tag("first")
    second = start(lab, f"{attack}; try; echo started >&2; {wait}; try", stage.tag("second"))
    assert second.stderr.readline() == "started\n"
    first = start(lab, f'"$0" wait_tagged {tag}')
    assert first.stdout.readline().startswith("ok")
    first.send_signal(number)
    first.communicate(timeout=10)
    assert gone(tag)
    assert second.poll() is None, "the second run died with the first"
    lab.file(lab.ws / "go", "")
    out, err = second.communicate(timeout=10)
    words = out.split()
    assert words == [words[0], "ESRCH"] * 2 and words[0] in ("ECONNREFUSED", "EACCES"), (out, err)
    assert secret.read_text() == "host\n" and listener.seen() == 0 and victim.alive()


def test_e225_same_files(lab):
    """Both write in the one workspace and see each other's files there, but not each other's home, /tmp or /dev/shm."""
    wait = 'for i in $(seq 500); do [ -e {0} ] && break; sleep .02; done; sleep .1; cat {0}; '
    second = start(lab, wait.format("one") + "ls ~ /tmp /dev/shm; echo 2 >two")
    first = start(lab, "echo a >~/f; echo a >/tmp/f; echo a >/dev/shm/f; echo 1 >one; " + wait.format("two"))
    outs = [run.communicate(timeout=20)[0] for run in (first, second)]
    assert outs[0] == "2\n" and outs[1].splitlines()[0] == "1" and "f\n" not in outs[1], outs


def test_e225_many_at_once(lab):
    """Twelve runs at once all hold and all end; nothing stays in the workspace but what they made."""
    begin = time.monotonic()
    runs = [start(lab, f'echo {n} >made-{n}; "$0" call 272 0x10000000') for n in range(12)]
    for run in runs:
        out, err = run.communicate(timeout=60)
        assert (run.returncode, out) == (1, "EPERM\n"), (out, err)
    assert sorted(os.listdir(lab.ws)) == sorted(f"made-{n}" for n in range(12))
    assert time.monotonic() - begin < 30
