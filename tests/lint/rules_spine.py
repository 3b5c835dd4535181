"""The rules of the spine: every guarantee and every option stands everywhere it must. Findings as in rules_code."""
import json
import os
import platform
import re
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import yaml

from sources import BUILD, ROOT, document, files, guarantees, name, options, subcommands

PINFOLD = os.fspath(BUILD / "pinfold")


@lru_cache(maxsize=None)
def printed():
    """What pinfold says of a plan and a run, in a fresh workspace: {"text", "json", "receipt"}."""
    with tempfile.TemporaryDirectory(prefix="pinfold-lint-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        work, receipt = Path(folder, "work"), Path(folder, "receipt.json")
        work.mkdir()

        def run(*words):
            done = subprocess.run([PINFOLD, *words], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"pinfold {' '.join(words)}: status {done.returncode}: {done.stderr}")
            return done.stdout

        text, as_json = run("explain"), run("explain", "--json")
        run("run", "--receipt", os.fspath(receipt), "--", "/bin/true")
        return {"text": text, "json": json.loads(as_json), "receipt": json.loads(receipt.read_text())}


def missing_in(path, wanted):
    """Names without a mention in a document."""
    text = document(path)
    if text is None:
        return [f"{path}: not there"]
    return [f"{path}: {n} is not mentioned" for n in wanted
            if not re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", text)]


def readme_has_a_row_for_each_guarantee():
    text = document("README.md")
    if text is None:
        return ["README.md: not there"]
    return [f"README.md: no row `{g}` in the table" for g in guarantees()
            if not re.search(rf"^\|\s*\**`{re.escape(g)}`\**\s*\|", text, re.MULTILINE)]


def security_speaks_of_each_guarantee():
    return missing_in("SECURITY.md", guarantees())


def manual_speaks_of_each_guarantee():
    return missing_in("man/pinfold.1", guarantees())


def explain_tells_each_guarantee():
    return [f"explain: {g} is not in the text" for g in guarantees()
            if not re.search(rf"^  {g} ", printed()["text"], re.MULTILINE)]


def json_tells_each_guarantee():
    found = []
    for what in ("json", "receipt"):
        told = printed()[what].get("guarantees", {})
        found += [f"{what}: {g} is missing" for g in guarantees() if g not in told]
        found += [f"{what}: {g} is not in guarantees.def" for g in told if g not in guarantees()]
    held = printed()["receipt"].get("guarantees", {})
    return found + [f"receipt: {g} is {row['state']}, not held" for g, row in held.items() if row["state"] != "held"]


def each_guarantee_has_attacks():
    found = []
    for g in guarantees():
        folder = ROOT / "tests" / "escape" / g
        if not list(folder.glob("test_*.py")):
            found.append(f"tests/escape/{g}/: no test file")
    folders = {p.parent.name for p in files("tests", endings=(".py",)) if name(p).startswith("tests/escape/")}
    others = sorted(folders - set(guarantees()) - {"attacker", "escape"})
    return found + [f"tests/escape/{f}/: no guarantee of this name" for f in others]


def help_prints_each_option():
    found = []
    for subcommand in subcommands():
        text = subprocess.run([PINFOLD, subcommand, "--help"], capture_output=True, text=True).stdout
        for option, _, takers in options():
            there = bool(re.search(rf"^  --{re.escape(option)}(?: |$)", text, re.MULTILINE))
            if there != (subcommand in takers):
                found.append(f"{subcommand} --help: --{option} is {'there' if there else 'missing'}")
    return found


def sizes_of_the_filters_are_as_told():
    """Those of x86_64: what the unit test prints, and HACKING tells."""
    if platform.machine() != "x86_64":
        return []
    printed = subprocess.run([BUILD / "tests/unit-seccomp"], capture_output=True, text=True).stdout
    rows = {kind: (size, int(path)) for kind, size, path in
            re.findall(r"^# (.+): (\d+) instructions, longest path (\d+)", printed, re.MULTILINE)}
    sizes = [rows.get(kind, ("?", 0))[0] for kind in ("command, one id", "command, mapped ids", "relay")]
    sentence = "The programs have {} instructions (a user's command), {} (root's) and {} (the relay); " \
               "the longest path is {}.".format(*sizes, max((path for _, path in rows.values()), default="?"))
    return [] if sentence in " ".join(document("HACKING.md").split()) else [f"HACKING.md: doesn't say: {sentence}"]


def workflows_can_run():
    """.github/workflows: reads alone, nothing of others is executed, and what is called exists."""
    targets, found = re.findall(r"^([a-z-][a-z -]*):", document("Makefile"), re.MULTILINE), []
    targets = {word for row in targets for word in row.split()}
    for path in files(".github", endings=(".yml",)):
        text = path.read_text()
        flow = yaml.safe_load(text)
        if flow.get("permissions") != {"contents": "read"}:
            found.append(f"{name(path)}: permissions are more than to read")
        found += [f"{name(path)}: uses {used}, which others can change" for used in re.findall(r"\buses: *(\S+)", text)]
        script = "\n".join(step["run"] for job in flow["jobs"].values() for step in job["steps"])
        found += [f"{name(path)}: make {word} is no target" for word in re.findall(r"\bmake ([a-z-]+)", script) if word not in targets]
        found += [f"{name(path)}: {tool} is not there" for tool in re.findall(r"(?<![\w/])tools/[\w-]+", script)
                  if not (ROOT / tool).exists()]
        if "Confirms" not in text.split("name:")[0]:
            found.append(f"{name(path)}: doesn't say first what it confirms")
    return found


RULES = [workflows_can_run, sizes_of_the_filters_are_as_told, readme_has_a_row_for_each_guarantee, security_speaks_of_each_guarantee, manual_speaks_of_each_guarantee,
         explain_tells_each_guarantee, json_tells_each_guarantee, each_guarantee_has_attacks, help_prints_each_option]
