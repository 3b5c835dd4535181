"""Shared package caches of the host (entry 98), and programs in the workspace named like one of the system's (101)."""
import os
import shutil

import pytest

import harness

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
PACKAGE = '{"name": "dep", "version": "1.0.0"}'

# name: (folder below the home, variable that may name it, the program, a build of it that uses its cache)
CACHES = {
    "pip": (".cache/pip", None, "pip", "python3 -m pip wheel --no-index --no-deps --no-build-isolation -q -w out ./py"),
    "npm": (".npm/_cacache", None, "npm", "cd js && npm pack --silent >/dev/null && cd ../app && npm install --offline --no-audit --no-fund --silent ../js/dep-1.0.0.tgz"),
    "cargo": (".cargo/registry", "CARGO_HOME", "cargo", "cd rs && cargo build --offline -q"),
    "go": ("go/pkg/mod", "GOMODCACHE", "go", "cd go && go build -o ../out/x ."),
    "go-build": (".cache/go-build", "GOCACHE", "go", "cd go && go build -o ../out/x ."),
    "ccache": (".cache/ccache", None, "ccache", "ccache gcc -c c.c -o out/c.o"),
    "maven": (".m2/repository", None, "mvn", "cd mvn && mvn -o -q -Duser.home=$HOME validate"),
    "uv": (".cache/uv", None, "uv", "true"),
    "gradle": (".gradle/caches", None, "gradle", "true"),
}


def projects(lab):
    lab.file(lab.ws / "py/setup.py", "from setuptools import setup\nsetup(name='p', version='1', py_modules=[])\n")
    lab.file(lab.ws / "js/package.json", PACKAGE)
    lab.file(lab.ws / "app/package.json", '{"name": "app"}')
    lab.file(lab.ws / "rs/Cargo.toml", '[package]\nname = "p"\nversion = "0.1.0"\n')
    lab.file(lab.ws / "rs/src/main.rs", "fn main() {}\n")
    lab.file(lab.ws / "go/go.mod", "module p\n")
    lab.file(lab.ws / "go/main.go", "package main\nfunc main() {}\n")
    lab.file(lab.ws / "mvn/pom.xml", "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>"
                                     "<artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>")
    lab.file(lab.ws / "c.c", "int x;\n")
    lab.file(lab.ws / "out/.made")


@pytest.mark.parametrize("name", CACHES)
def test_e098_poison_a_cache(lab, name):
    """A file of a cache of the host's can't be replaced: without a grant it isn't there, and what is written in its place
    is the box's own; with toolchains shown, with the variable, and by a build of the program itself where it is here."""
    place, variable, program, build = CACHES[name]
    entry = lab.home / place / "entry"
    tools = [lab.file(lab.home / tool, "#!/bin/sh\n", 0o755) for tool in (".cargo/bin/y", "go/bin/y", ".local/bin/uv", ".local/bin/y")]
    env = {"PATH": ":".join([*(os.fspath(tool.parent) for tool in tools), SYSTEM])}
    if variable:
        env[variable] = os.fspath((lab.home / place).parent if variable == "CARGO_HOME" else lab.home / place)

    def scene():
        lab.file(entry, "clean\n")

    lab.legs(["append", entry], {"ENOENT"}, prepare=scene, witness=lambda: harness.tree(lab.home), env=env,
             grant=["--write", entry.parent], without=("landlock", "mounts-readonly", "seccomp"))
    scene()
    projects(lab)
    before = harness.tree(lab.home)
    result = lab.run(["sh", "-c", f"mkdir -p {entry.parent} && echo poison >{entry} && cat {entry}"], env=env)
    assert result.out == "poison\n", result
    if shutil.which(program, path=SYSTEM) or name == "pip":
        result = lab.run(["sh", "-c", build], env=env, timeout=300)
        assert result.code == 0, result
    assert harness.tree(lab.home) == before and entry.read_text() == "clean\n"


@pytest.mark.parametrize("where", ["node_modules/.bin", ".", "bin"])
def test_e101_programs_of_the_workspace(lab, where):
    """Whatever stands in the workspace under the name of a program, pinfold starts none of them itself, also where it is
    first in PATH."""
    mark = lab.outside / "ran"
    for name in ("git", "rg", "bwrap", "socat", "uv", "node", "pyenv", "rustup", "newuidmap", "sh", "modprobe", "pinfold", "true"):
        lab.file(lab.ws / where / name, f"#!/bin/sh\necho {name} >>{mark}\necho {name} >>{lab.ws}/ran\n", 0o755)
    folder = lab.ws / where
    env = {"PATH": f"{folder}:{lab.home}/.cargo/bin:{SYSTEM}"}
    lab.file(lab.home / ".cargo/bin/x", "#!/bin/sh\n", 0o755)
    lab.file(lab.ws / ".git/HEAD", "ref: refs/heads/main\n")
    # control: the folder's own is what a search finds
    assert lab.plain(["/bin/sh", "-c", "git"], env=env).code == 0 and mark.read_text() == "git\n"
    for path in (mark, lab.ws / "ran"):
        path.unlink()
    for words in (["run", "--", "/bin/true"], ["run", "--mode", "discard", "--", "/bin/true"], ["explain"], ["doctor"], ["trust", "--list"]):
        done = lab.plain([lab.pinfold, *words], env=env, timeout=60)
        assert done.code in (0, 125), done
        assert not mark.exists() and not (lab.ws / "ran").exists(), words
    assert lab.run(["git"], env=env).code == 0 and (lab.ws / "ran").read_text() == "git\n"   # inside it is what PATH says
