"""The analysers of `make lint`: clang-tidy (.clang-tidy says which checks), cppcheck, gcc -fanalyzer, and the layout.
Each returns findings as the rules do. A tool that isn't installed is a finding, never a pass."""
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, compile_flags, files, name

WORKERS = 2


def sources():
    return files("src", "cli", "lib", "examples", "tests", "bench", "fuzz", endings=(".c",))


# Of what is no product: there assertions that an analyser can't follow stand before what it warns of.
TESTS_TIDY = ",".join(f"-{check}" for check in (
    "clang-analyzer-core.NullDereference", "clang-analyzer-core.NonNullParamChecker", "cert-msc30-c", "cert-msc50-cpp",
    "cert-exp42-c", "bugprone-suspicious-string-compare", "bugprone-suspicious-memory-comparison",
    "bugprone-not-null-terminated-result", "cert-flp37-c"))
TESTS_CPPCHECK = [f"--suppress={check}:*/tests/*" for check in ("constStatement", "uninitvar", "invalidFunctionArg",
                                                                 "nullPointerRedundantCheck")]

TESTS_GCC = [f"-Wno-analyzer-{check}" for check in ("null-dereference", "null-argument", "possible-null-argument", "file-leak",
                                                    "malloc-leak")]


def of_the_tests(path):
    return name(path).split("/")[0] in ("tests", "bench", "fuzz")


def flags_of(path):
    """How a file is compiled: the program's flags, and what the library and the tests have beside."""
    own = {"lib": ["-DPINFOLD_PROGRAM=\"/none\""], "fuzz": ["-iquote", "fuzz"]}
    cmocka = [f"-isystem{folder}" for folder in ROOT.glob("subprojects/cmocka-*/include")]
    return [*compile_flags(), "-Iinclude", *own.get(name(path).split("/")[0], []), *cmocka]


def tool_missing(tool):
    return [] if shutil.which(tool) else [f"{tool} is not installed: tools/install-deps test"]


def each(command, wanted):
    """Run command(path) over the sources; the lines of its output that the pattern finds."""
    def one(path):
        done = subprocess.run(command(path), cwd=ROOT, capture_output=True, text=True)
        lines = (done.stdout + done.stderr).splitlines()
        found = [line for line in lines if re.search(wanted, line)]
        return found or ([f"{name(path)}: status {done.returncode}: {lines[-1:]}"] if done.returncode else [])

    with ThreadPoolExecutor(WORKERS) as pool:
        rows = [row for rows in pool.map(one, sources()) for row in rows]
    return sorted({row.replace(f"{ROOT}/", "") for row in rows})


def clang_tidy():
    def command(path):
        less = [f"--checks={TESTS_TIDY}"] if of_the_tests(path) else []
        return ["clang-tidy", "--quiet", *less, path, "--", *flags_of(path)]

    return tool_missing("clang-tidy") or each(command, r"(?:warning|error): ")


def cppcheck():
    flags = [f for f in compile_flags() if f.startswith("-D")] + [f"-D__{platform.machine()}__"]
    return tool_missing("cppcheck") or each(
        lambda path: ["cppcheck", "--quiet", "--std=c17", "--enable=warning,performance,portability", "--inline-suppr",
                      "--suppress=missingIncludeSystem", *TESTS_CPPCHECK,
                      "--template={file}:{line}: {id}: {message}", "-Isrc", "-Icli", "-Iinclude", "-Ifuzz", *flags,
                      path], r"^\S+:\d+: ")


def gcc_analyzer():
    return tool_missing("gcc") or each(
        lambda path: ["gcc", *flags_of(path), "-O1", "-fanalyzer", "-Wall", "-Wextra",
                      *(TESTS_GCC if of_the_tests(path) else []), "-c", "-o", "/dev/null", path],
        r"(?:warning|error): ")


def layout():
    done = subprocess.run(["tools/fmt", "--check"], cwd=ROOT, capture_output=True, text=True)
    found = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"(?:error|warning): ", line)]
    return sorted({line.replace(f"{ROOT}/", "") for line in found}) or ([done.stderr] if done.returncode else [])


ANALYSERS = [clang_tidy, cppcheck, gcc_analyzer, layout]
