"""Mutants: the sources with one thing taken out of them, found by what stands there and not by where.

Two sorts. A Rule is a pattern in some files and what to put in its place. Conditions are read from the code: of each
`if (A || B) return -1;` and its like, A and B once each come to nothing (`ignored`: the call is made and its failure
is not looked at), and where A is a call it is not made at all (`left out`); of each `if (A) return 0;` in a file of
checks, what comes after it is never reached (`passed by`).
"""
import hashlib
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lint"))
from sources import code  # noqa: E402

FAILS = re.compile(r"return\s+(?:-1|-2|error|failure_set|error_\w+|refuse\w*|cannot\w*|wrong|is_too_large|can_write|"
                   r"ended_as_it_began|failure_told|\(struct confined\))\b|\bfail\(|\b_exit\(1\)|launch_fail\(|"
                   r"\bfailed = true|return\s+\(struct confined\)")
FAILING_VALUE = re.compile(r"\s*(?:-1\b|error_\w+\(|failure_set\(|refuse\(|cannot\w*\(|wrong\(|can_write\()")
PROOF = re.compile(r"must_(?:be|fail)\(|checks\[i\]")
MEMORY = re.compile(r"\s*(?:\? )?(?:return )?error_memory\(err\)")   # nothing is let through for lack of memory: fuzzed
PASSES = re.compile(r"^\s*return (?:0|true);")
# These only ask; without the answer there is nothing to go on with.
QUESTIONS = re.compile(r"[fl]?stat(?:at|fs)?|str\w+|mem\w+|get\w+|\w+_get|poll|sn?printf|sscanf|layer_on|\w*open\w*|"
                       r"is_\w+|\w+_is|has_\w+|makedev|\w*read\w*|find\w*|\w*receive|lookup\w*|access|real_?path|"
                       r"\w+_compare|arena\w*|[cm]alloc|sizeof")
CALL = re.compile(r"\b([a-z]\w*)\(")
FUNCTION = re.compile(r"^(?:STEP\(|(?!return|else|typedef|STEP)(?:[A-Za-z_]\w*[ \*]+)+\**)(\w+)(?:\(|\[|\s=|,)", re.M)


@lru_cache(maxsize=None)
def source(file):
    """A file as it was when it was first read: one that is edited meanwhile changes no mutant."""
    return (ROOT / file).read_text()


@dataclass(frozen=True)
class Mutant:
    kind: str
    file: str
    where: str
    label: str
    start: int
    end: int
    new: str
    compiled: tuple   # the sources to compile anew: the file itself, or those that include it

    @property
    def id(self):
        return f"{self.kind}: {self.file.removeprefix('src/')}: {self.where}: {self.label}"

    def text(self):
        old = source(self.file)
        return old[:self.start] + self.new + old[self.end:]

    def digest(self):
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Rule:
    kind: str
    files: tuple
    pattern: str
    new: tuple        # each is one mutant, as re's templates
    within: str = ""  # the name of the function or table
    compiled: tuple = ()


def short(text, size=90):
    text = re.sub(r"\s+", " ", text.strip())
    return text if len(text) <= size else text[:size - 3] + "..."


def tail(text, size):
    text = re.sub(r"\s+", " ", text.strip())
    return text if len(text) <= size else "..." + text[3 - size:]


def function_at(blanked, at):
    found = [m for m in FUNCTION.finditer(blanked, 0, at + 1)]
    return found[-1][1] if found else "-"


def closing(text, at):
    """Where the parenthesis that opens at `at` is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return i
    raise ValueError("unbalanced")


def split(text, start, end, separator):
    """The parts of text[start:end] between separators that are in no parentheses, as (start, end) without spaces."""
    parts, depth, begin = [], 0, start
    for i in range(start, end):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        if not depth and text.startswith(separator, i) and i >= begin:
            parts.append((begin, i))
            begin = i + len(separator)
    parts.append((begin, end))
    trim = lambda a, b: (a + len(text[a:b]) - len(text[a:b].lstrip()), b - len(text[a:b]) + len(text[a:b].rstrip()))
    return [trim(a, b) for a, b in parts]


def operands(text, start, end):
    """What a condition is an `or` of, also in parentheses of its own."""
    parts = split(text, start, end, "||")
    if len(parts) == 1:
        if text[start] == "(" and closing(text, start) == end - 1:
            return operands(text, start + 1, end - 1)
        return parts
    return [one for part in parts for one in operands(text, *part)]


def conditions(text):
    """(start, end, fails, passes) of each condition that a failure or a pass depends on."""
    for match in re.finditer(r"\bif \(", text):
        end = closing(text, match.end() - 1)
        rest = text[end + 1:]
        block = re.match(r"\s*\{.{,900}?\n    \}", rest, re.S)
        body = block[0] if block else rest[:rest.index(";") + 1]
        yield match.end(), end, bool(FAILS.search(body)) and not MEMORY.match(body), bool(PASSES.match(rest))
    for match in re.finditer(r"\breturn (?!\()", text):
        stop = text.index(";", match.end())
        depth, mark = 0, None
        for i in range(match.end(), stop):
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            if text[i] == "?" and not depth:
                mark = i
                break
        if mark and not MEMORY.match(text[mark + 1:stop]) and FAILING_VALUE.match(text[mark + 1:stop]):
            yield match.end(), mark, True, False


def of_conditions(file, checks, acts):
    raw, found = source(file), []
    text = code(ROOT / file)
    add = lambda kind, start, end, new: found.append(Mutant(
        kind, file, function_at(text, start), short(raw[start:end]), start, end, new, (file,)))
    for start, end, fails, passes in conditions(text):
        if passes and checks:
            add("passed by", start, end, f"({raw[start:end]}) || 1")
        if not fails:
            continue
        for a, b in operands(text, start, end):
            one = raw[a:b]
            if PROOF.match(one):
                continue   # rules take these
            add("ignored", a, b, f"(({one}) && 0)")
            done = [name for name in CALL.findall(text[a:b]) if not QUESTIONS.fullmatch(name)]
            if acts and done and not re.search(r"[^=!<>]=[^=]", one):
                add("left out", a, b, "0")
    return found


def of_rule(rule):
    found = []
    for file in rule.files:
        raw = source(file)
        text = code(ROOT / file) if file.endswith((".c", ".h")) else raw
        for match in re.finditer(rule.pattern, raw, re.M):
            where = function_at(text, match.start())
            if text[match.start():match.start() + 1] != raw[match.start():match.start() + 1]:
                continue   # in a comment
            if rule.within and where != rule.within:
                continue
            match = re.compile(rule.pattern, re.M).match(raw, match.start()) or match
            for new in rule.new:
                put = match.expand(new)
                shown = put.strip() not in ("", "0") and not put.startswith("0 * ")
                label = short(match[0], 90) + (f" -> {tail(put, 50)}" if shown else "")
                found.append(Mutant(rule.kind, file, where, label, match.start(), match.end(), put,
                                    rule.compiled or (file,)))
    if not found:
        raise LookupError(f"mutation: the rule {rule.kind}: {rule.pattern} finds nothing in {', '.join(rule.files)}")
    return found


def all_mutants(rules, condition_files, check_files):
    found = [mutant for rule in rules for mutant in of_rule(rule)]
    for file in condition_files:
        found += of_conditions(file, file in check_files, file.startswith("src/linux/") and file not in check_files)
    if len([mutant for mutant in found if mutant.kind == "ignored"]) < 200:
        raise LookupError("mutation: conditions are not found any more")
    seen, named = {}, []
    for mutant in found:   # the same words twice in a function are told apart by a number
        seen[mutant.id] = seen.get(mutant.id, 0) + 1
        again = f" #{seen[mutant.id]}" if seen[mutant.id] > 1 else ""
        named.append(Mutant(**{**mutant.__dict__, "label": mutant.label + again}))
    return named
