"""The rules of the code: each function returns findings, ["path:line: what", ...]; none means that the rule holds."""
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, code, compile_flags, document, files, guarantees, matches, name, project_files

PRINTERS = {"cli/print.c", "cli/explain.c", "src/plan/describe_text.c", "cli/doctor.c", "src/plan/diagnosis_text.c"}
C_FOLDERS = ("src", "cli", "lib", "include", "examples", "tests", "bench", "fuzz")
TEXT = {".c", ".h", ".def", ".py", ".md", ".sh", ".build", ".1", ".txt", ""}
LONGEST = {".c": 400, ".h": 80, ".py": 400}
STARTERS = r"\b(?:execl|execle|execlp|execv|execve|execvp|execvpe|fexecve|execveat|posix_spawnp?|system|popen)\s*\("


def raw_system_calls_stand_in_one_file():
    return [found for path in files("src", "cli") if name(path) != "src/linux/sys.c"
            for found in matches(path, r"\bsyscall\s*\(")]


def one_place_starts_a_program():
    found = [row for path in files("src", "cli") for row in matches(path, STARTERS)]
    return [] if len(found) == 1 else [f"{len(found)} places start a program, not 1:", *found]


def no_goto():
    return [row for path in files(*C_FOLDERS) for row in matches(path, r"\bgoto\b")]


def one_place_prints():
    streams = r"\b(?:v?f?printf|puts|putchar|perror|fput[sc]|fwrite)\s*\(|\bstd(?:out|err)\b"
    return [row for path in files("src", "cli", "lib") if name(path) not in PRINTERS for row in matches(path, streams)]


def files_are_short():
    found = []
    for path in project_files():
        limit = LONGEST.get(path.suffix)
        if path.suffix == ".h" and name(path).startswith("tests/"):
            limit = LONGEST[".c"]
        if name(path) == "include/pinfold.h":   # it is a document as well
            limit = 200
        lines = len(path.read_bytes().splitlines()) if limit else 0
        if limit and lines > limit:
            found.append(f"{name(path)}: {lines} lines, at most {limit}")
    return found


def every_c_file_says_what_it_is():
    return [f"{name(path)}: no comment on its first line" for path in files(*C_FOLDERS)
            if not path.read_text().startswith("/*")]


def headers_compile_alone():
    def compile_one(path):
        done = subprocess.run(["gcc", *compile_flags(), "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                               "-Iinclude", "-x", "c", "-include", path, "/dev/null"], cwd=ROOT, capture_output=True, text=True)
        return [f"{name(path)}: {done.stderr.strip()}"] if done.returncode else []

    with ThreadPoolExecutor(2) as pool:
        headers = [p for p in files("src", "cli", "lib", "include") if p.suffix == ".h"]
        return [row for rows in pool.map(compile_one, headers) for row in rows]


def headers_are_guarded():
    found = []
    for path in (p for p in files("src", "cli", "lib", "include") if p.suffix == ".h"):
        guard = re.search(r"^#ifndef (PINFOLD_\w+_H)\n#define (\w+)\n", path.read_text(), re.MULTILINE)
        if not guard or guard[1] != guard[2]:
            found.append(f"{name(path)}: no include guard PINFOLD_..._H")
    headers = [p.read_text() for p in files("src", "cli", "lib", "include") if p.suffix == ".h"]
    guards = [m[1] for m in (re.search(r"^#ifndef (\w+)", text, re.MULTILINE) for text in headers) if m]
    return found + [f"the guard {g} stands in two headers" for g in sorted(set(guards)) if guards.count(g) > 1]


def every_source_is_built():
    found = []
    for folder in ("src", "cli", "lib"):
        listed = (ROOT / folder / "meson.build").read_text()
        found += [f"{name(p)}: not in {folder}/meson.build" for p in files(folder, endings=(".c",))
                  if f"'{name(p).removeprefix(folder + '/')}'" not in listed]
    return found


def nothing_names_the_workplace():
    """The project stands on its own: no path or document of the place where it was written."""
    words = ["/work/" + "shared", "ESCAPES" + ".md", "CASES" + ".md", "TESTBED" + ".md", "DESIGN" + ".md"]
    words = [w for w in words if w not in {p.name for p in project_files()}]
    found = []
    for path in project_files():
        if path.suffix in TEXT:
            text = path.read_text(errors="replace")
            found += [f"{name(path)}:{text.count(chr(10), 0, text.index(w)) + 1}: names {w}" for w in words
                      if w in text]
    return found


def the_map_is_complete():
    """HACKING.md names every folder and file of the code (a header is named with its .c)."""
    text = document("HACKING.md")
    if text is None:
        return ["HACKING.md: not there"]
    found, folders = [], set()
    for path in files("src", "cli", "lib", "include", "examples", endings=(".c", ".h", ".def", ".py", ".mjs")):
        folders.add(name(path.parent))
        stem = re.escape(path.stem)
        endings = r"c|h|def" if path.suffix == ".h" else path.suffix[1:]
        if not re.search(rf"(?<![\w-]){stem}\.(?:{endings}|\{{)|`{stem}`", text):
            found.append(f"HACKING.md: {name(path)} is not in the map")
    found += [f"HACKING.md: the folder {f}/ is not in the map" for f in sorted(folders)
              if not re.search(rf"(?<![\w-]){re.escape(f.split('/')[-1])}/", text)]
    return found


def the_map_names_what_is_there():
    """Every path that HACKING.md names in the project's folders is one, and every folder of tests/ and each tool stands there."""
    text, found = document("HACKING.md") or "", []
    folders = {name(p).split("/")[0] for p in project_files() if "/" in name(p)}
    for path in sorted(set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*)(?=[` ])", text))):
        placeholder = re.search(r"(?:^|/)[A-Z]{3,}(?:\.|/|$)", path)
        if path.split("/")[0] in folders and not placeholder and not (ROOT / path).exists():
            found.append(f"HACKING.md: {path} is not there")
    shown = {name(p).split("/")[1] for p in files("tests", endings=(".c", ".py", ".plan")) if name(p).count("/") > 1}
    found += [f"HACKING.md: tests/{folder} is not among the tests" for folder in sorted(shown) if f"`tests/{folder}" not in text]
    return found + [f"HACKING.md: {name(p)} is not told" for p in project_files()
                    if name(p).startswith("tools/") and p.suffix != ".build" and p.name not in text]


def guarantees_are_checked_by_name_only_in_tables():
    """No code decides by the text of a guarantee's name: only by its id."""
    quoted = "|".join(guarantees())
    return [f"{name(path)}: compares the name of a guarantee" for path in files("src", "cli", endings=(".c",))
            if re.search(rf'str(?:n?cmp|str)\([^;]*"(?:{quoted})"', path.read_text()) and code(path)]


def only_doctor_rehearses():
    """A launch that ends without its command is out of run's reach, and a command out of doctor's."""
    allowed = {r"\blaunch_rehearse\s*\(": {"src/linux/launch.c", "src/linux/launch.h", "src/linux/native.c"},
               r"\bcommand_rehearsed\b": {"src/linux/command.c", "src/linux/launch.c", "src/linux/prepared.h"},
               r"->rehearse\s*\(": {"src/box/box.c"},
               r"\bbox_ask\s*\(": {"src/box/box.c", "src/box/box.h", "cli/path.c"},
               r"\bbox_rehearse\s*\(": {"src/box/box.c", "src/box/box.h", "src/box/doctor.c"},
               r"\bdoctor_examine\s*\(": {"src/box/doctor.c", "src/box/doctor.h", "cli/doctor.c"},
               r"\bbox_start\s*\(": {"src/box/box.c", "src/box/box.h", "cli/run.c"}}
    return [row for pattern, places in allowed.items() for path in files("src", "cli") if name(path) not in places
            for row in matches(path, pattern)]


def policy_and_plan_know_no_host():
    """They are data in, data out: what looks at a host stands in other folders and calls them."""
    inner, outer = r"src/(?:base|policy|plan)/", r'#include "(?:linux|box|supervise)/'
    return [f"{name(path)}:{n}: {line}" for path in files("src") if re.match(inner, name(path))
            for n, line in enumerate(path.read_text().splitlines(), 1) if re.match(outer, line)]


RULES = [raw_system_calls_stand_in_one_file, one_place_starts_a_program, no_goto, one_place_prints, files_are_short,
         every_c_file_says_what_it_is, headers_compile_alone, headers_are_guarded, every_source_is_built,
         nothing_names_the_workplace, the_map_is_complete, the_map_names_what_is_there, guarantees_are_checked_by_name_only_in_tables,
         only_doctor_rehearses, policy_and_plan_know_no_host]
