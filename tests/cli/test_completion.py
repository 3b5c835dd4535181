"""Completion in bash, zsh and fish: what a line may go on with. No test starts pinfold itself."""
import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

import harness

sys.path.insert(0, os.fspath(harness.ROOT / "tests" / "lint"))
import sources  # noqa: E402

MADE = harness.BUILD / "tools"
NEVER_WAIVED = {"environment", "descriptors"}
PROFILES = {p.stem for p in (harness.ROOT / "policies").glob("*.json") if not p.name.endswith(".schema.json")}

BASH = r"""
COMP_LINE=$1; COMP_POINT=${#1}; COMP_TYPE=9
words() { # as readline does, for these words: blanks part, and = and : stand alone
    local rest=$1 word=; COMP_WORDS=()
    while [[ -n $rest ]]; do
        case ${rest:0:1} in
        ' ') [[ -z $word ]] || COMP_WORDS+=("$word"); word= ;;
        [=:]) [[ -z $word ]] || COMP_WORDS+=("$word"); COMP_WORDS+=("${rest:0:1}"); word= ;;
        *) word+=${rest:0:1} ;;
        esac
        rest=${rest:1}
    done
    [[ -z $word && ( $1 == *= || $1 == *: ) ]] || COMP_WORDS+=("$word")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}
compopt() { :; } # there is no readline here
words "$1"
_pinfold
printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(lab, line, library=True):
    front = "source /usr/share/bash-completion/bash_completion\n" if library else ""
    script = f"{front}source {MADE / 'pinfold'}\n{BASH}"
    done = lab.plain(["bash", "--norc", "--noprofile", "-c", script, "bash", line])
    assert done.code == 0 and done.err == "", done
    return set(done.out.split("\n")) - {""}


def bash_alone(lab, line):
    return bash(lab, line, library=False)


def fish(lab, line):
    done = lab.plain(["fish", "--no-config", "-c", f"source {MADE / 'pinfold.fish'}; complete -C $argv[1]", line])
    assert done.code == 0 and done.err == "", done
    return {row.split("\t")[0] for row in done.out.splitlines()}


SHELLS = pytest.mark.parametrize("complete", [bash, bash_alone, fish], ids=lambda shell: shell.__name__)


def value(found):
    """Values without the option that fish and readline put in front of them."""
    return {word.partition("=")[2] if word.startswith("--") else word for word in found}


@pytest.fixture
def lab():
    one = harness.Lab(harness.users()[-1])
    one.file(one.ws / "afile.txt")
    (one.ws / "afolder").mkdir()
    one.own(one.ws / "afolder")
    yield one
    one.close()


@SHELLS
def test_subcommands(lab, complete):
    known = set(sources.subcommands())
    assert complete(lab, "pinfold ") - {"--help", "--version"} == known
    for name in known:
        assert name in complete(lab, f"pinfold {name[:-1]}")
    assert complete(lab, "pinfold nothing --") in (set(), {"--"})


@SHELLS
def test_options(lab, complete):
    for subcommand in sources.subcommands():
        takes = {f"--{name}" for name, _, where in sources.options() if subcommand in re.split(r"\W+", where)}
        assert complete(lab, f"pinfold {subcommand} --") == takes
    assert complete(lab, "pinfold run --wa") == {"--waive"}
    assert complete(lab, "pinfold run --read /etc --waive ipc --wa") == {"--waive"}
    assert complete(lab, "pinfold explain --js") == {"--json"} and complete(lab, "pinfold run --js") == set()


@SHELLS
def test_values(lab, complete):
    waivable = set(sources.guarantees()) - NEVER_WAIVED
    assert complete(lab, "pinfold run --waive ") == waivable
    assert complete(lab, "pinfold run --waive fs-w") == {"fs-write"}
    assert complete(lab, "pinfold run --mode ") == {"direct", "discard", "readonly"}
    assert complete(lab, "pinfold run --profile ") == PROFILES
    assert complete(lab, "pinfold run --backend n") == {"native"}
    assert "PATH" in complete(lab, "pinfold run --env PA")
    for line in ("pinfold run --waive=fs-w", "pinfold run --timeout 5s --waive=fs-w"):
        assert value(complete(lab, line)) == {"fs-write"}
    assert value(complete(lab, "pinfold run --waive=")) == waivable


@SHELLS
def test_files_and_folders(lab, complete):
    slashless = lambda line: {word.rstrip("/") for word in complete(lab, line)}
    assert slashless("pinfold run --read af") == {"afile.txt", "afolder"}
    assert slashless("pinfold run --workspace af") == {"afolder"}
    assert slashless("pinfold run --receipt af") == {"afile.txt", "afolder"}
    assert "fd:" in complete(lab, "pinfold run --receipt f") and "fd:" in complete(lab, "pinfold run --policy f")
    assert not complete(lab, "pinfold run --timeout af") & {"afile.txt", "afolder"}


@SHELLS
@pytest.mark.parametrize("front", ["run --", "run", "run --read /etc --", "run --waive=ipc", "explain --json --",
                                   "run --receipt fd:3 --"])
def test_command(lab, complete, front):
    """After the options a command and its own files; no option of pinfold's."""
    assert "setsid" in complete(lab, f"pinfold {front} setsi")
    found = {word.rstrip("/") for word in complete(lab, f"pinfold {front} cat af")}
    assert found == {"afile.txt", "afolder"}, found
    assert "--waive" not in complete(lab, f"pinfold {front} cat --wa")


@contextlib.contextmanager
def zsh_session(lab):
    """An interactive zsh on a terminal; yields a function from a line to what Tab makes of it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(lab.ws)
        words = lab.user.argv(["zsh", "-f", "-i"])
        os.execvpe(words[0], words, {**lab.environment(), "TERM": "dumb", "PS1": "", "fpath": ""})

    def read_until(mark, seconds=10):
        text, stop = "", time.monotonic() + seconds
        while mark not in text:
            assert select.select([fd], [], [], max(0, stop - time.monotonic()))[0], f"no {mark!r} in {text!r}"
            text += os.read(fd, 65536).decode(errors="replace")
        return text

    def tell(line):
        os.write(fd, line.encode())

    try:
        tell(f"fpath=({MADE} $fpath); PROMPT=; RPROMPT=; stty -echo; autoload -Uz compinit; compinit -u -D; "
             "KEYTIMEOUT=1; setopt no_list_ambiguous no_auto_list no_beep\n")
        tell("show() { print -r -- \"<<$BUFFER>>\"; BUFFER=; zle redisplay }; zle -N show; bindkey '^]' show; "
             "bindkey '^I' complete-word; print re''ady\n")
        read_until("ready")

        def complete(line):
            tell(line + "\t\x1d")
            return re.search(r"<<(.*?)>>", read_until(">>"), re.DOTALL)[1]

        yield complete
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(fd)


def test_zsh(lab):
    with zsh_session(lab) as complete:
        for name in sources.subcommands():
            assert complete(f"pinfold {name[:-1]}") == f"pinfold {name} "
        for typed, made in (
                ("run --wa", "run --waive="), ("run --waive fs-w", "run --waive fs-write "),
                ("run --waive=fs-w", "run --waive=fs-write "), ("run --read /etc --wa", "run --read /etc --waive="),
                ("run --mode disc", "run --mode discard "), ("run --backend n", "run --backend native "),
                ("run --workspace af", "run --workspace afolder/"), ("run --read afi", "run --read afile.txt "),
                ("run --receipt fd", "run --receipt fd:"), ("run --receipt afi", "run --receipt afile.txt "),
                ("explain --js", "explain --json "), ("run --js", "run --js"), ("run --env PWD", "run --env PWD "),
                ("run -- setsi", "run -- setsid "), ("run setsi", "run setsid "), ("run -- cat afi", "run -- cat afile.txt "),
                ("run cat afi", "run cat afile.txt "), ("run --read /etc -- cat afi", "run --read /etc -- cat afile.txt "),
                ("run -- cat --wa", "run -- cat --wa"), ("run cat --wa", "run cat --wa"), ("--vers", "--version ")):
            assert complete(f"pinfold {typed}") == f"pinfold {made}", typed
        for name, argument, where in sources.options():
            for subcommand in (s for s in sources.subcommands() if s in re.split(r"\W+", where)):
                made = complete(f"pinfold {subcommand} --{name}")
                assert made == f"pinfold {subcommand} --{name}" + ("=" if argument else " "), made


def test_scripts_are_sound(lab):
    for shell, script in (("bash", "pinfold"), ("zsh", "_pinfold"), ("fish", "pinfold.fish")):
        done = subprocess.run([shell, "-n", MADE / script], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done
        made = subprocess.run([harness.ROOT / "tools" / "completions", shell], capture_output=True, text=True)
        assert made.stdout == (MADE / script).read_text(), "the build's completion isn't up to date"
