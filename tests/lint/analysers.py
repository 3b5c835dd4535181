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
    return files("src", "cli", endings=(".c",))


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
    return tool_missing("clang-tidy") or each(lambda path: ["clang-tidy", "--quiet", path, "--", *compile_flags()],
                                              r"(?:warning|error): ")


def cppcheck():
    flags = [f for f in compile_flags() if f.startswith("-D")] + [f"-D__{platform.machine()}__"]
    return tool_missing("cppcheck") or each(
        lambda path: ["cppcheck", "--quiet", "--std=c17", "--enable=warning,performance,portability", "--inline-suppr",
                      "--suppress=missingIncludeSystem", "--template={file}:{line}: {id}: {message}", "-Isrc", "-Icli",
                      *flags, path], r"^\S+:\d+: ")


def gcc_analyzer():
    return tool_missing("gcc") or each(
        lambda path: ["gcc", *compile_flags(), "-O1", "-fanalyzer", "-Wall", "-Wextra", "-c", "-o", "/dev/null", path],
        r"(?:warning|error): ")


def layout():
    done = subprocess.run(["tools/fmt", "--check"], cwd=ROOT, capture_output=True, text=True)
    found = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"(?:error|warning): ", line)]
    return sorted({line.replace(f"{ROOT}/", "") for line in found}) or ([done.stderr] if done.returncode else [])


ANALYSERS = [clang_tidy, cppcheck, gcc_analyzer, layout]
