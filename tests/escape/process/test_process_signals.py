"""Signals from the box to the host: 103 to 106. P: the pid namespace; L: Landlock's signal scope."""
import signal
import subprocess
import time

import pytest
from victims import gone

TERM, KILL, STOP = int(signal.SIGTERM), int(signal.SIGKILL), int(signal.SIGSTOP)


def strike(lab, stage, name, *rest, expect, **more):
    """The legs of an attack on a victim's pid; the control has a victim of its own, which must be seen to die."""
    first, second = stage.process(), stage.process()
    control = [name, *[word if word != "PID" else first.pid for word in rest]]
    attack = [name, *[word if word != "PID" else second.pid for word in rest]]
    control, attack = [[str(word) for word in words] for words in (control, attack)]
    lab.legs(attack, expect, control_argv=control, witness=second.state, without=("landlock",), **more)
    first.process.wait(5)
    assert second.alive()


@pytest.mark.parametrize("call", ["kill", "tkill", "tgkill", "sigqueue", "thread_sigqueue", "pidfd_signal"])
def test_e103_kill_host_process(lab, stage, call):
    """A process of the same user outside is not there to be signalled by its number."""
    strike(lab, stage, call, "PID", KILL, expect={"ESRCH"})


def test_e103_stop_host_process(lab, stage):
    """A process of the same user outside can't be stopped either."""
    first, second = stage.process(), stage.process()
    lab.legs(["kill", str(second.pid), str(STOP)], {"ESRCH"}, control_argv=["kill", str(first.pid), str(STOP)],
             witness=second.state, without=("landlock",))
    assert first.state()["stopped"] and not second.state()["stopped"]


@pytest.mark.parametrize("how", ["setown", "setown_ex", "siocspgrp"])
def test_e106_owner_of_a_socket(lab, stage, how):
    """The kernel sends no SIGIO for the box to a process outside: it can't be made the owner of a descriptor."""
    strike(lab, stage, "owner_signal", how, "PID", expect={"ESRCH"})


def test_e106_owner_group(lab, stage):
    """Nor to a process group outside."""
    first, second = stage.process(), stage.process()
    lab.legs(["owner_signal", "setown", f"-{second.pid}"], {"ESRCH"}, witness=second.state, without=("landlock",),
             control_argv=["owner_signal", "setown", f"-{first.pid}"])
    first.process.wait(5)


def beside(lab, tag, argv, env=None):
    """Runs argv in one process group with a sibling that has this tag; returns (status, output, sibling alive)."""
    script = '"$0" wait_tagged "$1" >/dev/null 2>&1 & shift; sleep .2; exec "$@"'
    group = subprocess.Popen(lab.user.argv(["/bin/sh", "-c", script, lab.attacker, tag, *map(str, argv)]), cwd=lab.ws,
                             env=lab.environment(env), start_new_session=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = group.communicate(timeout=30)
    return group.returncode, out, err, not gone(tag, 0.3)


def boxed(lab, words, binary=None):
    return [binary or lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker, "--", lab.attacker, *words]


def test_e104_kill_own_group(lab, stage):
    """kill(0) reaches the caller's whole process group across pid namespaces: the box has a session of its own, so a
    sibling of pinfold's and pinfold itself live on, and pinfold reports how the command ended (137)."""
    words = ["kill", "0", str(KILL)]
    code, *_, alive = beside(lab, stage.tag("sibling"), [lab.attacker, *words])
    assert code == -KILL and not alive, "control leg: the sibling lives"
    code, out, err, alive = beside(lab, stage.tag("sibling"), boxed(lab, words))
    assert alive, f"the sibling outside was killed: {code} {out} {err}"
    assert code == 128 + KILL, (out, err)


def test_e104_kill_own_group_without_a_session(lab, stage):
    """With the session left out Landlock's signal scope alone keeps kill(0) inside."""
    env = {"PINFOLD_WITHOUT": "session"}
    code, out, err, alive = beside(lab, stage.tag("sibling"), boxed(lab, ["kill", "0", str(KILL)], lab.layers_off), env)
    assert alive, f"the sibling outside was killed: {code} {out} {err}"
    assert code == 128 + KILL, (out, err)


def test_e104_kill_everything(lab, stage):
    """kill(-1) ends with the pid namespace: the sibling and pinfold live on and the answer, that there is nobody else,
    still arrives. The control would end everything of the user, so it runs in a pid namespace of its own."""
    tag = stage.tag("sibling")
    script = f'{lab.attacker} wait_tagged {tag} & sleep .2; {lab.attacker} kill_everything 9; wait $!; test $? = 137'
    control = lab.plain(["/usr/bin/unshare", "-Ur", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script])
    assert control.code == 0 and gone(tag), f"control leg: {control}"
    code, out, err, alive = beside(lab, stage.tag("sibling"), boxed(lab, ["kill_everything", str(KILL)]))
    assert alive and out == "ESRCH\n" and code == 1, (code, out, err)
    script = '"$0" wait_tagged x >/dev/null & exec "$0" kill_everything 9'
    done = lab.run(["/bin/sh", "-c", script, lab.attacker])
    assert done.verdict == "ok", f"the box's own processes can be signalled: {done}"


def test_e104_kill_callers_group_by_number(lab, stage):
    """The number of the caller's group means nothing inside."""
    outer = ["/bin/sh", "-c", 'exec "$@" kill "-$$" 9', "sh"]
    code, *_, alive = beside(lab, stage.tag("sibling"), [*outer, lab.attacker])
    assert code == -KILL and not alive, f"control leg: {code}"
    code, out, err, alive = beside(lab, stage.tag("sibling"), [*outer, *boxed(lab, [])])
    assert alive and out.strip() == "ESRCH" and code == 1, (code, out, err)


def test_e104_renice_own_group(lab, stage):
    """setpriority on `my group` doesn't cross the box either: the sibling keeps its nice value."""
    words = ["priority_set", "group", "0"]
    for argv, nice in ([lab.attacker, *words], 7), (boxed(lab, words), 0):
        tag = stage.tag("sibling")
        script = '"$0" wait_tagged "$1" >/dev/null 2>&1 & shift; sleep .1; "$@"; ' \
                 'cut -d" " -f19 /proc/$!/stat; kill -9 $!'
        done = lab.plain(["/bin/sh", "-c", script, lab.attacker, tag, *map(str, argv)], start_new_session=True)
        assert done.out.splitlines()[-1:] == [str(nice)], done


@pytest.mark.parametrize("number", [STOP, KILL, TERM])
def test_e105_signal_the_first_process(lab, stage, number):
    """pid 1 of the box can't be stopped or ended from inside: the scope of the domain refuses, and the run ends as if
    nothing had been tried."""
    first = stage.process()
    lab.legs(["kill", "1", str(number)], {"EPERM"}, control_argv=["kill", str(first.pid), str(number)])
    done = lab.run(["/bin/sh", "-c", f"kill -{number} 1 2>/dev/null; echo still; exit 7"])
    assert (done.code, done.out) == (7, "still\n"), done


def test_e105_first_process_without_landlock(lab):
    """Without Landlock the kernel drops signals from inside that would end or stop pid 1."""
    start = time.monotonic()
    done = lab.run(["/bin/sh", "-c", "kill -STOP 1; kill -KILL 1; kill -TERM 1; kill -ABRT 1; echo still; exit 7"],
                   binary=lab.layers_off, env={"PINFOLD_WITHOUT": "landlock"})
    assert (done.code, done.out) == (7, "still\n"), done
    assert time.monotonic() - start < 10
