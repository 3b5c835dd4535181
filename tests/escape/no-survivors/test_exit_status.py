"""The status of the command is pinfold's own, and pinfold's own failures can be told from it: 119."""
import signal

import pytest

SIGNALS = [signal.Signals["SIG" + name] for name in
           ("HUP INT QUIT ILL ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO SYS RTMIN "
            "RTMAX").split()]


def test_e119_exit_status(lab):
    """Every exit status comes through as it is, those that pinfold uses itself too."""
    for status in [*range(0, 10), 42, 77, 100, *range(120, 131), 137, 143, 200, 254, 255]:
        done = lab.run(["/bin/sh", "-c", f"exit {status}"])
        assert (done.code, done.err) == (status, ""), done


def test_e119_death_by_signal(lab):
    """Death by signal n is 128 + n, as in a shell, and pinfold itself exits with it."""
    for number in SIGNALS:
        done = lab.run(["/usr/bin/python3", "-c", "import os, signal, sys; n = int(sys.argv[1]); "
                        "n in (9, 19) or signal.signal(n, signal.SIG_DFL); os.kill(os.getpid(), n)", str(int(number))])
        assert done.code == 128 + number, (number.name, done)


def test_e119_child_of_the_command(lab):
    """What a command learns of its own children is exact: a status, a signal, a wait for an orphan."""
    done = lab.run(["/bin/sh", "-c", '(exit 5); a=$?; sh -c "kill -9 \\$\\$" 2>/dev/null; b=$?; '
                    "(sleep .1; exit 6) & wait $!; echo $a $b $?"])
    assert done.out == "5 137 6\n", done


def test_e119_not_found(lab):
    """A command that isn't there is 127: by name, by path, and a name in a folder that is not in the box."""
    lab.file(lab.outside / "tool", "#!/bin/sh\n", 0o755)
    for command in "pinfold-no-such-command", "./no-such-command", "/usr/bin/no-such-command", lab.outside / "tool":
        done = lab.run([command])
        assert done.code == 127 and done.err.startswith("pinfold: ") and done.out == "", done


def test_e119_not_executable(lab):
    """A command that can't be executed is 126: a file without the bit, a folder."""
    lab.file(lab.ws / "plain", "echo hello\n")
    for command in "./plain", "/usr/bin", "./":
        done = lab.run([command])
        assert done.code == 126 and done.err.startswith("pinfold: ") and done.out == "", done


@pytest.mark.parametrize("options", [["--no-such-option"], ["--waive", "no-such-guarantee"], ["--timeout", "soon"],
                                     ["--workspace", "/no/such/folder"], ["--read"]], ids=lambda o: o[0])
def test_e119_usage(lab, options):
    """A wrong call is 125 and nothing is started."""
    marker = lab.ws / "marker"
    done = lab.plain([lab.pinfold, "run", *options, "--", "/bin/touch", marker])
    assert done.code == 125 and done.err.startswith("pinfold: ") and not marker.exists(), done


def test_e119_no_command(lab):
    """No command without a terminal is a wrong call too."""
    assert lab.plain([lab.pinfold, "run"]).code == 125
    assert lab.plain([lab.pinfold, "run", "--"]).code == 125


def test_e119_timeout(lab):
    """A timeout is 124, also when the command would have said something else on SIGTERM."""
    done = lab.run(["/bin/sh", "-c", 'trap "exit 3" TERM; sleep 30 & wait'], "--timeout", "200ms", "--grace", "500ms")
    assert done.code == 124, done
    done = lab.run(["/bin/sh", "-c", "exit 3"], "--timeout", "20s")
    assert done.code == 3, done
