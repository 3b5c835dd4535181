"""pinfold's own voice: silent when nothing went wrong, and bytes pass as they are."""
import os

from ptyrun import Terminal
from workbench import PYTHON, box_argv, raw


def test_silent_on_success(lab):
    done = raw(lab, box_argv(lab, ["printf", '{"a":1}']))
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"a":1}', b"")


def test_silent_when_the_command_fails(lab):
    done = raw(lab, box_argv(lab, ["sh", "-c", "exit 3"]))
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")


def test_binary_output_and_input_through_pipes(lab):
    data = os.urandom(3_000_000)
    done = raw(lab, box_argv(lab, ["cat"]), data)
    assert done.returncode == 0 and done.stdout == data and done.stderr == b""


def test_binary_output_and_input_through_files(lab):
    data = os.urandom(3_000_000)
    source, target, errors = (lab.outside / n for n in ("in", "out", "err"))
    source.write_bytes(data)
    with open(source, "rb") as i, open(target, "wb") as o, open(errors, "wb") as e:
        done = raw(lab, box_argv(lab, ["sh", "-c", "cat; cat /dev/null >&2; echo e >&2"]), stdin=i, stdout=o, stderr=e)
    assert done.returncode == 0 and target.read_bytes() == data and errors.read_bytes() == b"e\n"


def test_appending_to_a_file_of_the_callers(lab):
    target = lab.file(lab.outside / "log", "first\n")
    with open(target, "ab") as out:
        done = raw(lab, box_argv(lab, ["sh", "-c", "echo second; echo third"]), stdout=out)
    assert done.returncode == 0 and target.read_text() == "first\nsecond\nthird\n"


def test_unread_input_is_given_back(lab):
    """A regular file as input stands where the command stopped to read, for whoever reads on."""
    source = lab.file(lab.outside / "in", "1\n2\n3\n" + "x" * 100_000)
    with open(source, "rb", buffering=0) as handle:
        done = raw(lab, box_argv(lab, [PYTHON, "-c", "import os; print(os.read(0, 2))"]), stdin=handle)
        assert done.returncode == 0 and done.stdout == b"b'1\\n'\n"
        assert handle.read(2) == b"2\n"


def test_output_that_nobody_reads_ends_the_command(lab):
    """`pinfold run -- yes | head -1` ends."""
    line = 'set -o pipefail; "$@" | head -1; echo "${PIPESTATUS[0]}"'
    done = raw(lab, ["bash", "-c", line, "bash", *box_argv(lab, ["yes"])], timeout=20)
    assert done.stdout.splitlines()[0] == b"y" and done.stdout.splitlines()[1] in (b"141", b"1"), done


def test_no_extra_text_on_a_terminal(lab):
    with Terminal(box_argv(lab, ["printf", "one"]), lab.user.uid, cwd=lab.ws, env=lab.environment()) as terminal:
        assert terminal.finish() == (0, "one")


def test_many_denials_print_little(lab):
    code = """if True:
        for i in range(30000):
            try: open("/etc/x%d" % (i % 50), "w")
            except OSError: pass
        """
    done = raw(lab, box_argv(lab, [PYTHON, "-c", code]))
    assert done.returncode == 0 and done.stdout == b"" and len(done.stderr) < 20_000
