"""Header, export list, manual and the module for Python say the same; the header is clean C and C++."""
import re
import subprocess

import pytest

from harness import BUILD, ROOT
from library import BUILD_LIB, LIBRARY

HEADER = (ROOT / "include" / "pinfold.h").read_text()
MANUAL = (ROOT / "man" / "pinfold.3").read_text()
CODE = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)


def declared():
    """{function: [types of its parameters]} of the header."""
    found = {}
    for name, parameters in re.findall(r"^PINFOLD_API [^;(]*?\b(pinfold_\w+)\(([^;]*)\);", CODE, re.MULTILINE | re.DOTALL):
        found[name] = [re.sub(r"\w+$", "", " ".join(one.split())).strip() for one in parameters.split(",")]
    return found


def fields(struct):
    return re.findall(r"(\w+)(?:\[\d+\])?;", re.search(rf"^struct {struct} {{(.*?)^}};", CODE, re.DOTALL | re.MULTILINE)[1])


def symbols(*words):
    out = subprocess.run(["nm", *words], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines() if len(line.split()) == 3}


def test_there_are_about_a_dozen():
    assert 12 <= len(declared()) <= 18, sorted(declared())


def test_the_shared_library_exports_the_header_and_nothing_else():
    assert symbols("-D", "--defined-only", LIBRARY) - {"LIBPINFOLD_0"} == set(declared())


def test_the_static_library_takes_no_other_names():
    found = symbols("-g", "--defined-only", BUILD_LIB / "libpinfold.a")
    assert set(declared()) <= found and all(name.startswith("pinfold_") for name in found), found


def test_it_needs_libc_alone():
    out = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"\(NEEDED\).*\[(.*)\]", out) == ["libc.so.6"]
    assert re.findall(r"\(SONAME\).*\[(.*)\]", out) == ["libpinfold.so.0"]


def test_the_manual_has_every_function_with_its_parameters():
    synopsis = MANUAL[MANUAL.index(".Sh SYNOPSIS"):MANUAL.index(".Sh DESCRIPTION")]
    body = MANUAL[MANUAL.index(".Sh DESCRIPTION"):]
    documented = {}
    for name, block in re.findall(r"^\.Fo (\w+)\n(.*?)^\.Fc", synopsis, re.DOTALL | re.MULTILINE):
        documented[name] = re.findall(r'^\.Fa "(.*)"$', block, re.MULTILINE)
    for name, line in re.findall(r"^\.Fn (\w+) (.*)$", synopsis, re.MULTILINE):
        documented[name] = re.findall(r'"(.*?)"', line) or [line]
    bare = {name: [re.sub(r"(?<=[ *])\w+$", "", one).strip() if " " in one else one for one in parameters]
            for name, parameters in documented.items()}
    assert bare == {name: parameters if parameters != [""] else ["void"] for name, parameters in declared().items()}
    named = set(re.findall(r"^\.Nm (pinfold_\w+)", MANUAL, re.MULTILINE))
    assert named == set(declared())
    for name in declared():
        assert re.search(rf"^\.Fn {name}\b", body, re.MULTILINE), f"{name} is not described"


def test_the_manual_has_every_field():
    body = MANUAL[MANUAL.index(".Sh DESCRIPTION"):]
    for struct, without in (("pinfold_run", {"size"}), ("pinfold_result", set())):
        for field in set(fields(struct)) - without:
            assert re.search(rf"^\.It Fa .*\b{field}\b", body, re.MULTILINE), f"{struct}.{field}"


def test_each_function_has_a_page():
    built = (ROOT / "lib" / "meson.build").read_text()
    pages = {f"pinfold_{name}" for name in re.findall(r"'(\w+)'", built[built.index("foreach page"):built.index("install_symlink")])}
    assert pages == set(declared())


def test_the_module_for_python_knows_every_function_and_field():
    text = (ROOT / "examples" / "pinfold.py").read_text()
    load = text[text.index("def _load"):text.index("def _list")]
    assert {f"pinfold_{name}" for name in re.findall(r'\("(\w+)", (?:number|None|text|ctypes)', load)} == set(declared())
    for struct, cls in (("pinfold_run", "_Run"), ("pinfold_result", "_Result"), ("pinfold_error", "_Error"),
                        ("pinfold_descriptor", "_Descriptor")):
        listed = re.search(rf"^class {cls}\(.*?_fields_ = \[(.*?)\]\n\n", text, re.DOTALL | re.MULTILINE)[1]
        assert re.findall(r'\("(\w+)",', listed) == fields(struct), struct


USE = """
#include <pinfold.h>
#include <pinfold.h>
int use(struct pinfold_box **box);
int use(struct pinfold_box **box) {
    struct pinfold_run run = PINFOLD_RUN_INIT;
    struct pinfold *pinfold;
    if (pinfold_open(&pinfold, 0, 0)) return 1;
    return run.standard[2] + pinfold_box_start(pinfold, &run, box, 0);
}
"""


@pytest.mark.parametrize("compiler", [
    ["gcc", "-x", "c", "-std=c99"], ["gcc", "-x", "c", "-std=c17"], ["clang", "-x", "c", "-std=c99", "-Weverything",
     "-Wno-declaration-after-statement", "-Wno-padded"],
    ["g++", "-x", "c++", "-std=c++11"], ["g++", "-x", "c++", "-std=c++20"], ["clang++", "-x", "c++", "-std=c++17"]],
    ids=lambda words: f"{words[0]} {words[3]}")
def test_the_header_is_clean(compiler):
    done = subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT / "include", "-fsyntax-only", "-"],
                          input=USE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_version():
    """Of the program, the library, and both projects."""
    project = [re.search(r"version: '([\d.]+)'", (ROOT / folder / "meson.build").read_text())[1] for folder in (".", "lib")]
    program = subprocess.run([BUILD / "pinfold", "--version"], capture_output=True, text=True).stdout.split()[1]
    built = re.search(rb"\0(\d+\.\d+\.\d+)\0", LIBRARY.read_bytes())[1].decode()
    assert project == [program, program] and built == program
