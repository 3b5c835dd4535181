"""The rules of the manuals, of help and of the receipt's schema, against the tables. Findings as in rules_code."""
import json
import re
import shutil
import subprocess

from rules_spine import PINFOLD
from sources import ROOT, document, guarantees, options, subcommands, table

SCHEMA = "policies/receipt.schema.json"
SCREEN = (40, 100)   # lines and columns of one --help


def manuals():
    return sorted(p for p in (ROOT / "man").iterdir() if re.fullmatch(r"\.[1-9]", p.suffix))


def manuals_are_sound():
    if not shutil.which("mandoc"):
        return ["mandoc is not installed: tools/install-deps test"]
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *[f"man/{p.name}" for p in manuals()]], cwd=ROOT,
                          capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()


def manuals_are_installed():
    listed = " ".join(re.findall(r"install_man\(([^)]*)\)", (ROOT / "meson.build").read_text()) +
                      re.findall(r"install_man\('\.\./([^)]*)\)", (ROOT / "lib" / "meson.build").read_text()))
    return [f"meson.build: man/{p.name} is not installed" for p in manuals() if f"man/{p.name}" not in listed]


def section(text, title):
    """The source of one section of a manual."""
    found = re.search(rf"^\.Sh {title}\n(.*?)(?=^\.Sh )", text or "", re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def manual_has_each_option():
    """With its argument: each word of it stands on the option's line."""
    text, found = document("man/pinfold.1") or "", []
    for row in table("cli/options.def", "OPTION"):
        name, argument = row[1].strip('"'), "" if row[2] == "NULL" else row[2].strip('"')
        line = re.search(rf"^\.It Fl -{re.escape(name)}(?![\w-])(.*)$", text, re.MULTILINE)
        if not line:
            found.append(f"man/pinfold.1: --{name} is not documented")
            continue
        told = set(re.findall(r"[a-z]+", re.sub(r"\b(?:Ar|Cm|Ns|Op)\b", "", line[1]).lower()))
        wanted = set(re.findall(r"[a-z]+", argument.lower()))
        if told != wanted:
            found.append(f"man/pinfold.1: --{name} takes {argument or 'nothing'}, told is {line[1].strip() or 'nothing'}")
    return found


def manual_documents_no_other_option():
    text = document("man/pinfold.1") or ""
    known = {n for n, _, _ in options()}
    written = set(re.findall(r"^\.It Fl -([a-z][a-z-]+)", text, re.MULTILINE))
    return [f"man/pinfold.1: --{n} is documented, but pinfold has no such option" for n in sorted(written - known)]


def manual_has_each_subcommand():
    text, found = document("man/pinfold.1"), []
    for name in subcommands():
        if not re.search(rf"^\.Cm {name}$", section(text, "SYNOPSIS"), re.MULTILINE):
            found.append(f"man/pinfold.1: {name} is not in the synopsis")
        if not re.search(rf"^\.It Cm {name}$", section(text, "DESCRIPTION"), re.MULTILINE):
            found.append(f"man/pinfold.1: {name} is not among the subcommands")
    return found


def manual_has_each_exit_status():
    told = section(document("man/pinfold.1"), "EXIT STATUS")
    numbers = re.findall(r"EXIT_\w+ = (\d+)", (ROOT / "src/base/error.h").read_text())
    return [f"man/pinfold.1: the exit status {n} is not told" for n in [*numbers, "128 [+] n"]
            if not re.search(rf"^\.It {n}$", told, re.MULTILINE)]


def each_help_fits_a_screen():
    found = []
    for words in ([], *[[name] for name in subcommands()]):
        lines = subprocess.run([PINFOLD, *words, "--help"], capture_output=True, text=True).stdout.splitlines()
        what = " ".join(["pinfold", *words, "--help"])
        if len(lines) > SCREEN[0]:
            found.append(f"{what}: {len(lines)} lines, at most {SCREEN[0]}")
        found += [f"{what}: {len(line)} columns, at most {SCREEN[1]}: {line}" for line in lines if len(line) > SCREEN[1]]
    return found


def usage_lists_each_subcommand():
    text = subprocess.run([PINFOLD, "--help"], capture_output=True, text=True).stdout
    return [f"pinfold --help: {name} is missing" for name in subcommands()
            if not re.search(rf"^  {name} +\w", text, re.MULTILINE)]


def fields_of(schema, node, front=""):
    """The fields that a schema names, inner ones as OUTER.INNER or OUTER[].INNER; those that hold others don't count."""
    for name, inner in node.get("properties", {}).items():
        inner = next((one for one in inner.get("anyOf", []) if "$ref" in one and one["$ref"] == "#/$defs/settlement"), inner)
        ref = inner.get("$ref", "").removeprefix("#/$defs/")
        inner = schema["$defs"][ref] if ref else inner
        items = inner.get("items", {})
        items = schema["$defs"][items["$ref"].removeprefix("#/$defs/")] if "$ref" in items else items
        if items.get("type") == "object":
            yield from fields_of(schema, items, f"{front}{name}[].")
        elif inner.get("properties"):
            yield from fields_of(schema, inner, f"{front}{name}.")
        else:
            yield front + name


def receipt_schema():
    return json.loads((ROOT / SCHEMA).read_text())


def manual_has_each_field_of_the_receipt():
    text, schema = document("man/pinfold-receipt.5") or "", receipt_schema()
    told = re.findall(r"^\.It Li (\S+)$", text, re.MULTILINE)
    named = {re.sub(r"^guarantees\.[^.]+", "guarantees.NAME", field) for field in fields_of(schema, schema)}
    return [f"man/pinfold-receipt.5: {f} is not documented" for f in sorted(named - set(told))] + \
           [f"man/pinfold-receipt.5: {f} is not in the schema" for f in sorted(set(told) - named)] + \
           [f"man/pinfold-receipt.5: {f} stands twice" for f in sorted({f for f in told if told.count(f) > 1})]


def words_of(node):
    """The words that a field may be, wherever they stand in the schema; not those of its conditions."""
    if isinstance(node, dict):
        yield from node.get("enum", [])
        for key, inner in node.items():
            if key not in ("if", "then", "else", "allOf"):
                yield from words_of(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from words_of(inner)


def manual_has_each_word_of_the_receipt():
    text = re.sub(r"[\s,]+", " ", document("man/pinfold-receipt.5") or "")
    return [f"man/pinfold-receipt.5: the word {word} is not documented" for word in sorted(set(words_of(receipt_schema())))
            if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)]


def schema_has_the_guarantees_and_modes():
    schema, found = receipt_schema(), []
    told = schema["properties"]["guarantees"]
    if list(told["properties"]) != guarantees() or told["required"] != guarantees():
        found.append(f"{SCHEMA}: its guarantees are not those of guarantees.def, in their order")
    modes = re.findall(r'\[MODE_\w+\] = "(\w+)"', (ROOT / "src/policy/merge.c").read_text())
    if schema["properties"]["mode"]["enum"] != modes:
        found.append(f"{SCHEMA}: its modes are not {modes}")
    return found


RULES = [manuals_are_sound, manuals_are_installed, manual_has_each_option, manual_documents_no_other_option,
         manual_has_each_subcommand, manual_has_each_exit_status, each_help_fits_a_screen, usage_lists_each_subcommand,
         manual_has_each_field_of_the_receipt, manual_has_each_word_of_the_receipt, schema_has_the_guarantees_and_modes]
