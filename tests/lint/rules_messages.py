"""The rules of messages: what pinfold says stands in tests/lint/messages, which somebody has read. Findings as in rules_code.

`python3 tests/lint/rules_messages.py` writes that file anew; what `git diff` then shows is to be read before it is kept."""
import re
from pathlib import Path

from sources import ROOT, files, name

LIST = Path(__file__).with_name("messages")
# Pieces of C that hold texts, comments out of the way first: literals side by side are one text.
COMMENT = r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|^[ \t]*#[ \t]*include[^\n]*'
LITERALS = r'"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI\w+\s*)?"(?:\\.|[^"\\\n])*")*'
# How nothing is said here: the cause and the remedy are named instead, in plain words.
NEVER = {r"\b[Ff]ailed to\b": "say what could not be done: can't ...", r"\b[Uu]nable to\b": "can't",
         r"\b[Ii]nvalid\b": "say what is wrong with it", r"\b[Ii]llegal\b": "say what is wrong with it",
         r"\b[Pp]lease\b": "leave it out", r"\bcannot\b": "can't", r"!$": "no exclamation mark",
         r"\b[Ee]rror:": "leave it out", r"\b(?:is|are|does|do|could|did|was) not (?:able|possible)\b": "can't"}
WHOLE_SENTENCES = {"cli/print.c", "cli/subcommands.def", "src/plan/describe_text.c", "src/plan/diagnosis_text.c"}
NAMES = r"Landlock|Docker|Podman|Kubernetes|Seccomp|UDP|TCP"


def messages():
    """Every text of the program and the library with words in it: [(file, text)], in the order of the files."""
    found = []
    for path in files("src", "cli", "lib", endings=(".c", ".def")):
        if path.name == "toolchains.def":   # lists of paths
            continue
        code = re.sub(COMMENT, lambda match: match[1] or "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        for run in re.findall(LITERALS, code):
            text = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', run))
            if re.search(r"[a-z]{2,} [a-z(%]|%s [a-z]{2,}", text):
                found.append((name(path), text))
    return found


def listed():
    return [f"{file}: {text}\n" for file, text in messages()]


def every_message_was_read():
    kept, said = LIST.read_text().splitlines(keepends=True), listed()
    return [f"{line.strip()}: not in tests/lint/messages; read it, then run rules_messages.py"
            for line in said if line not in kept] + \
           [f"tests/lint/messages: {line.strip()}: no longer said" for line in kept if line not in said]


def messages_are_plain():
    found = []
    for file, text in messages():
        found += [f"{file}: {text}: {why}" for what, why in NEVER.items() if re.search(what, text)]
        if file in WHOLE_SENTENCES:
            continue
        if re.search(r"[a-z]\.(?:\\n)?$", text):
            found.append(f"{file}: {text}: no period at the end")
        if re.match(r"[A-Z][a-z]+ ", text) and not re.match(NAMES, text):
            found.append(f'{file}: {text}: begins with a small letter, since "pinfold: " stands before it')
    return found


RULES = [every_message_was_read, messages_are_plain]

if __name__ == "__main__":
    LIST.write_text("".join(listed()))
