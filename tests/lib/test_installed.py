"""A harness author's first hour: with nothing but what `make install` puts there and the manual pages."""
import json
import os
import re
import shutil
import subprocess

import pytest

from harness import BUILD, ROOT, Lab, users


@pytest.fixture
def installed():
    """The library, configured for a prefix of its own and installed there, with the program."""
    lab = Lab(users()[0])
    prefix, build = lab.scratch.path / "prefix", lab.scratch.path / "build-lib"
    environment = {**os.environ, "CC": "gcc"}
    for words in (["meson", "setup", build, ROOT / "lib", f"-Dprefix={prefix}"], ["ninja", "-C", build],
                  ["meson", "install", "-C", build, "--no-rebuild"]):
        subprocess.run(words, check=True, capture_output=True, env=environment)
    (prefix / "bin").mkdir()
    shutil.copy(BUILD / "pinfold", prefix / "bin" / "pinfold")
    yield lab, prefix
    lab.close()


def pkg_config(prefix, *words):
    folder = next(prefix.rglob("pinfold.pc")).parent
    out = subprocess.run(["pkg-config", *words, "pinfold"], env={**os.environ, "PKG_CONFIG_PATH": os.fspath(folder)},
                         capture_output=True, text=True, check=True).stdout
    return out.split()


def libraries(prefix):
    return {"LD_LIBRARY_PATH": os.fspath(next(prefix.rglob("libpinfold.so.0")).parent)}


def build(prefix, source, program, *more):
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", source, *pkg_config(prefix, "--cflags", "--libs", *more),
                    "-pthread", "-o", program], check=True)


def what_is_there(lab, prefix):
    names = {os.fspath(path.relative_to(prefix)).replace("/x86_64-linux-gnu", "").replace("/aarch64-linux-gnu", "")
             for path in prefix.rglob("*") if not path.is_dir()}
    wanted = {"bin/pinfold", "include/pinfold.h", "lib/libpinfold.so", "lib/libpinfold.so.0", "lib/libpinfold.a",
              "lib/pkgconfig/pinfold.pc", "share/man/man3/pinfold.3", "share/pinfold/pinfold.py",
              "share/doc/pinfold/examples/host.c", "share/doc/pinfold/examples/pinfold.mjs"}
    assert wanted <= names, wanted - names
    assert pkg_config(prefix, "--variable=program") == [os.fspath(prefix / "bin" / "pinfold")]


def the_example_in_c(lab, prefix):
    """By the compiled-in path."""
    for program, more in ((lab.outside / "host", []), (lab.outside / "host-static", ["--static"])):
        build(prefix, prefix / "share/doc/pinfold/examples/host.c", program, *more)
        result = lab.plain([program, "16"], env=libraries(prefix))
        assert result.out == "16 boxes, 8 threads, 0 wrong\n", result


def the_example_of_the_manual(lab, prefix):
    """As it is printed there, with the folder of this test."""
    text = (prefix / "share/man/man3/pinfold.3").read_text()
    source = re.search(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.DOTALL | re.MULTILINE)[1].replace("\\en", "\\n")
    assert "/home/me/project" in source
    lab.file(lab.outside / "example.c", source.replace("/home/me/project", os.fspath(lab.ws)))
    lab.file(lab.ws / "Makefile", "test:\n\t@echo tests ran; exit 3\n")
    build(prefix, lab.outside / "example.c", lab.outside / "example")
    result = lab.plain([lab.outside / "example"], env=libraries(prefix), cwd="/")
    assert result.code == 2 and result.out == "tests ran\n" and "Error 3" in result.err, result
    (prefix / "bin" / "pinfold").rename(prefix / "bin" / "away")
    try:
        result = lab.plain([lab.outside / "example"], env=libraries(prefix), cwd="/")
        assert result.code == 126 and "the pinfold program is not there; remedy: install it" in result.err
    finally:
        (prefix / "bin" / "away").rename(prefix / "bin" / "pinfold")


def the_module_for_python(lab, prefix):
    script = "import json, pinfold; done = pinfold.run(['sh', '-c', 'echo hi; exit 3']);" \
             "print(json.dumps([done.result.exit, done.result.confined, done.stdout.decode(), done.result.receipt['outcome']]))"
    result = lab.plain(["/usr/bin/python3", "-B", "-c", script],
                       env={**libraries(prefix), "PYTHONPATH": os.fspath(prefix / "share" / "pinfold")})
    assert json.loads(result.out) == [3, "full", "hi\n", "exited"], result


def the_module_for_node(lab, prefix):
    path = f"{prefix / 'bin'}:{os.environ['PATH']}"
    result = lab.plain(["node", prefix / "share/doc/pinfold/examples/pinfold.mjs", "true"], env={"PATH": path})
    assert json.loads(result.out)["confined"] == "full", result


def the_manual_pages(lab, prefix):
    pages = sorted(path.name for path in (prefix / "share/man/man3").iterdir())
    assert "pinfold_box_start.3" in pages and len(pages) == 17
    for page in pages:
        shown = subprocess.run(["mandoc", "-Tutf8", prefix / "share/man/man3" / page], capture_output=True, text=True)
        assert "pinfold_box_start" in shown.stdout


def uninstalled(lab, prefix):
    """All of it goes, by meson's list; what the installation did not put there stays."""
    subprocess.run(["ninja", "-C", lab.scratch.path / "build-lib", "uninstall"], check=True, capture_output=True)
    assert [path for path in prefix.rglob("*") if not path.is_dir()] == [prefix / "bin" / "pinfold"]


def test_first_hour(installed):
    """In one test, since the library is built for it."""
    for step in (what_is_there, the_example_in_c, the_example_of_the_manual, the_module_for_python, the_module_for_node,
                 the_manual_pages, uninstalled):
        step(*installed)
