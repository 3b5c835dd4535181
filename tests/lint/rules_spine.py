"""The rules of the spine: every guarantee and every option stands everywhere it must. Findings as in rules_code."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from sources import BUILD, ROOT, document, files, guarantees, name, options

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


def manual_has_each_option():
    text = document("man/pinfold.1")
    if text is None:
        return ["man/pinfold.1: not there"]
    return [f"man/pinfold.1: --{n} is not documented" for n, _, _ in options()
            if not re.search(rf"(?:--|\bFl -){re.escape(n)}(?![\w-])", text)]


def help_prints_each_option():
    found = []
    for subcommand in ("run", "explain"):
        text = subprocess.run([PINFOLD, subcommand, "--help"], capture_output=True, text=True).stdout
        for option, _, subcommands in options():
            there = bool(re.search(rf"^  --{re.escape(option)}(?: |$)", text, re.MULTILINE))
            if there != (subcommand in subcommands):
                found.append(f"{subcommand} --help: --{option} is {'there' if there else 'missing'}")
    return found


def manual_documents_no_other_option():
    text = document("man/pinfold.1") or ""
    known = {n for n, _, _ in options()} | {"version"}
    written = set(re.findall(r"^\.It Fl -([a-z][a-z-]+)", text, re.MULTILINE))
    return [f"man/pinfold.1: --{n} is documented, but pinfold has no such option" for n in sorted(written - known)]


def manual_is_sound():
    pages = [name(p) for p in files("man", endings=(".1", ".3", ".5"))]
    if not shutil.which("mandoc"):
        return ["mandoc is not installed: tools/install-deps test"]
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *pages], cwd=ROOT, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()


RULES = [readme_has_a_row_for_each_guarantee, security_speaks_of_each_guarantee, manual_speaks_of_each_guarantee,
         explain_tells_each_guarantee, json_tells_each_guarantee, each_guarantee_has_attacks, manual_has_each_option,
         help_prints_each_option, manual_documents_no_other_option, manual_is_sound]
