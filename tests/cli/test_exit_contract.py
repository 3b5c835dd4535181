"""The exit contract: which status means what, and how pinfold speaks when it speaks."""
import signal

import pytest

from workbench import PATH, PYTHON, shell

ENV = {"PATH": PATH}


def pinfold(lab, *words, **more):
    return lab.plain([lab.pinfold, *words], env=ENV, **more)


def one_message(result):
    """One line on stderr that starts with pinfold's name, nothing on stdout."""
    lines = result.err.splitlines()
    return result.out == "" and len(lines) == 1 and lines[0].startswith("pinfold: ") and len(lines[0]) > 20


@pytest.mark.parametrize("code", [0, 1, 3, 63, 124, 125, 126, 127, 128, 200, 255])
def test_status_of_the_command(lab, code):
    result = shell(lab, f"exit {code}")
    assert (result.code, result.out, result.err) == (code, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGHUP])
def test_signal_of_the_command(lab, number):
    result = lab.run([PYTHON, "-c", f"import os; os.kill(os.getpid(), {int(number)})"], env=ENV)
    assert (result.code, result.out, result.err) == (128 + number, "", "")


def test_timeout_is_124(lab):
    result = lab.run(["sleep", "30"], "--timeout", "200ms", env=ENV, timeout=20)
    assert result.code == 124


def test_not_found_is_127(lab):
    lab.file(lab.ws / "sub" / "there", "#!/bin/sh\n", 0o755)
    for name in ("no-such-program", "./nope", "/no/such/program", "there", "sub/there/x", ""):
        result = lab.run([name], env=ENV)
        assert result.code == 127 or (name == "sub/there/x" and result.code == 126), f"{name!r}: {result}"
        assert one_message(result) and name in result.err, f"{name!r}: {result}"


def test_not_executable_is_126(lab):
    lab.file(lab.ws / "plain", "text\n")
    for name in ("./plain", ".", "/usr"):
        result = lab.run([name], env=ENV)
        assert result.code == 126 and one_message(result), f"{name}: {result}"


def test_program_that_only_the_host_has_is_127(lab):
    """A program outside the box's roots is not there."""
    program = lab.file(lab.outside / "tool", "#!/bin/sh\necho ran\n", 0o755)
    assert lab.plain([program]).out == "ran\n"
    result = lab.run([program], env=ENV)
    assert result.code == 127 and one_message(result) and "--read" in result.err
    assert lab.run([program], "--read", lab.outside, env=ENV).out == "ran\n"


@pytest.mark.parametrize("words,near", [
    (["--reed", "/usr"], "--read"), (["--workspac", "."], "--workspace"), (["--time-out", "5s"], "--timeout"),
    (["--wave", "fs-read"], "--waive"), (["--recipt=x"], "--receipt"), (["--unix-sockets", "x"], "--unix-socket"),
    (["--outputlimit", "5"], "--output-limit"), (["--jso"], None), (["-x"], None), (["-w", "."], None),
    (["--zzzzzzzzzzzzzzz"], None), (["--allow", "example.test"], None), (["--json"], None),
])
def test_unknown_option_names_the_nearest(lab, words, near):
    result = pinfold(lab, "run", *words, "--", "touch", "ran")
    assert result.code == 125 and one_message(result) and words[0].split("=")[0] in result.err, result
    assert near is None or f"did you mean {near}?" in result.err, result
    assert not (lab.ws / "ran").exists()


def test_options_are_not_abbreviated(lab):
    for word in ("--work=.", "--rea=/usr", "--out=5", "--time=5s", "--rec=/tmp/x", "--hel"):
        result = pinfold(lab, "run", word, "--", "touch", "ran")
        assert result.code == 125 and one_message(result) and not (lab.ws / "ran").exists(), result


@pytest.mark.parametrize("words", [
    ["--timeout", "5x"], ["--timeout", "-1s"], ["--timeout", ""], ["--timeout", "0"], ["--timeout", "9" * 40 + "h"],
    ["--timeout", "1 s"], ["--grace", "soon"], ["--output-limit", "1Q"], ["--output-limit", "-5"],
    ["--output-limit", ""], ["--output-limit", "99999999999999999999"], ["--fd", "x"], ["--fd", "-1"],
    ["--fd", "1"], ["--fd", "999"], ["--fd", ""], ["--env", ""], ["--env", "=x"], ["--waive", "everything"],
    ["--waive", ""], ["--waive", "fs-reed"], ["--backend", "none"], ["--backend", ""], ["--workspace", ""],
    ["--read", ""], ["--write", ""], ["--receipt", ""], ["--receipt", "fd:"], ["--receipt", "fd:x"],
    ["--receipt", "fd:999"], ["--unix-socket", ""], ["--read", "/no/such"], ["--workspace", "/no/such"],
])
def test_bad_value_is_125_before_anything_starts(lab, words):
    result = pinfold(lab, "run", *words, "--", "touch", "ran")
    assert result.code == 125 and one_message(result) and words[0] in result.err + " --fd", result
    assert not (lab.ws / "ran").exists()


def test_value_that_is_missing(lab):
    for name in ("--workspace", "--read", "--timeout", "--env", "--receipt"):
        result = pinfold(lab, "run", name)
        assert result.code == 125 and one_message(result) and name in result.err, result


def test_missing_command(lab):
    for words in (["run"], ["run", "--"], ["run", "--workspace", lab.ws], ["run", "--workspace", lab.ws, "--"]):
        result = pinfold(lab, *words)
        assert result.code == 125 and one_message(result) and "command" in result.err, result


def test_missing_and_unknown_subcommand(lab):
    for words, near in (([], None), (["rum", "--", "true"], "run"), (["explian"], "explain"), (["--verison"], None),
                        (["--", "run"], None), (["true"], None)):
        result = pinfold(lab, *words)
        assert result.code == 125 and one_message(result), result
        assert near is None or near in result.err.split("did you mean")[1], result


def test_options_stop_at_the_first_word_that_is_none(lab):
    """What stands after the command is the command's, also what looks like an option of pinfold's."""
    words = ["printf", "%s|", "--read", "/no/such", "--", "--help", "-x"]
    for line in (words, ["--", *words]):
        result = pinfold(lab, "run", "--workspace", lab.ws, *line)
        assert (result.code, result.out, result.err) == (0, "--read|/no/such|--|--help|-x|", ""), result


def test_word_after_the_double_dash_is_the_command(lab):
    result = pinfold(lab, "run", "--", "--read")
    assert result.code == 127 and "--read" in result.err, result
    result = pinfold(lab, "run", "--", "--", "true")
    assert result.code == 127, result


def test_help_and_version(lab):
    for words, held in ((["--help"], "usage: "), (["--version"], "pinfold "), (["run", "--help"], "--workspace"),
                        (["explain", "--help"], "--json")):
        result = pinfold(lab, *words)
        assert result.code == 0 and held in result.out and result.err == "", result


def test_help_lists_every_option_once(lab):
    names = [w for w in pinfold(lab, "run", "--help").out.split() if w.startswith("--")]
    options = ["--workspace", "--read", "--write", "--unix-socket", "--fd", "--env", "--waive", "--timeout", "--grace",
               "--output-limit", "--receipt", "--backend"]
    assert {n: names.count(n) for n in options} == {n: 1 for n in options}


def test_messages_hide_control_characters(lab):
    """A name from the command line can't play with the terminal through pinfold's messages."""
    for words in (["--\x1b[31m"], ["--read", "/no/\x1b]0;x\x07"], ["--env", "=\x1b[1m"], ["--", "./\x1b[2J\nx"]):
        result = pinfold(lab, "run", *words)
        assert result.code in (125, 127) and "\x1b" not in result.err and len(result.err.splitlines()) == 1, result
