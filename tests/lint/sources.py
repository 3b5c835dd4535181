"""What the rules look at: the project's files, C without comments and strings, the tables, the flags of a compile."""
import json
import os
import re
import shlex
import subprocess
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"
GENERATED = {".git", "__pycache__", ".cache", "subprojects"}


@lru_cache(maxsize=None)
def project_files():
    """Every file of the project: those that git knows or would take; without git, all but what is generated."""
    done = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "-co", "--exclude-standard"],
                          cwd=ROOT, capture_output=True)
    if done.returncode == 0:
        found = [ROOT / os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    else:
        found = [p for p in ROOT.rglob("*")
                 if not any(part in GENERATED or part.startswith("build") for part in p.relative_to(ROOT).parts)]
    return sorted(p for p in found if p.is_file() and not p.is_symlink())


def name(path):
    return os.fspath(Path(path).relative_to(ROOT))


def files(*folders, endings=(".c", ".h")):
    """The project's files below these folders with one of these endings."""
    return [p for p in project_files() if p.suffix in endings and name(p).split("/")[0] in folders]


def code(path):
    """C with comments and the insides of strings blanked, lines kept: what a rule may search without being fooled."""
    blank = lambda match: match.group()[0] + re.sub(r"[^\n]", " ", match.group()[1:-1]) + match.group()[-1]
    skipped = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(skipped, blank, path.read_text(), flags=re.DOTALL)


def matches(path, pattern):
    """Where a pattern stands in the code of a C file: ["path:line: the line", ...]."""
    text, lines = code(path), path.read_text().splitlines()
    numbers = [text.count("\n", 0, m.start()) + 1 for m in re.finditer(pattern, text)]
    return [f"{name(path)}:{n}: {lines[n - 1].strip()}" for n in numbers]


def table(path, macro):
    """The entries of a .def file, each as the list of its arguments as written."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.DOTALL)
    entries = re.findall(rf"^{macro}\((.*?)\)\s*$", text, flags=re.DOTALL | re.MULTILINE)
    return [[a.strip() for a in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', entry)] for entry in entries]


def guarantees():
    return [row[1].strip('"') for row in table("src/guarantees.def", "GUARANTEE")]


def subcommands():
    return [row[1].strip('"') for row in table("cli/subcommands.def", "SUBCOMMAND")]


def options():
    """(name, takes an argument, subcommands) of each option."""
    return [(row[1].strip('"'), row[2] != "NULL", row[3].lower()) for row in table("cli/options.def", "OPTION")]


def document(path):
    """The text of a document, roff escapes resolved; None when it isn't there."""
    path = ROOT / path
    if not path.is_file():
        return None
    text = path.read_text()
    return text.replace("\\-", "-").replace("\\&", "") if path.suffix == ".1" else text


@lru_cache(maxsize=None)
def compile_flags():
    """Include folders, definitions and the standard, as the build has them."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    command = next(c for c in commands if c["file"].endswith("plan/describe_json.c"))
    words, kept = shlex.split(command["command"]), []
    for word, following in zip(words, words[1:] + [""]):
        if word in ("-iquote", "-isystem", "-I"):
            kept += [word, os.path.join(command["directory"], following)]
        elif word.startswith(("-isystem", "-I")):
            flag = "-isystem" if word.startswith("-isystem") else "-I"
            kept += [flag, os.path.join(command["directory"], word[len(flag):])]
        elif word.startswith(("-D", "-std=")):
            kept.append(word)
    return kept
