"""Toolchains of the home: what PATH shows of them works inside, read-only, without credentials and caches."""
import os
import re

import pytest

import harness
from layouts import LAYOUTS, SAYS, rows
from workbench import PATH, PYTHON

SYSTEM = "/usr/local/bin:/usr/bin:/bin"


def box(lab, argv, *options, **more):
    more.setdefault("cwd", lab.ws)
    return lab.run(argv, *options, **more)


def test_each_row_has_a_layout():
    assert sorted(LAYOUTS) == sorted(rows())


def test_the_manual_names_each_row():
    text = (harness.ROOT / "man/pinfold.1").read_text()
    listed = re.search(r"knows the layouts of these:\n(.*?)\.\n", text, re.DOTALL)[1]
    assert re.split(r",\s+| and ", listed) == rows()


@pytest.mark.parametrize("name", LAYOUTS)
def test_row(lab, name):
    """The tool works and is found by the launcher and by a shell; it can't be changed; credentials and caches are hidden."""
    layout, tool = LAYOUTS[name], "pnpm" if name == "pnpm" else "x"
    layout.make(lab, lab.home)
    env, before = layout.environment(lab.home), harness.tree(lab.home)
    assert lab.plain([tool], env=env).out == "tool\n", "control leg"
    assert box(lab, [tool], env=env).out == "tool\n"
    hidden = [lab.home / file for file in layout.secret + layout.beside]
    assert all("SECRET" in lab.plain(["cat", file]).out for file in hidden), "control leg"
    script = [f'test "$({tool})" = tool && echo shell', f'test "$PATH" = "{env["PATH"]}" && echo same',
              f"f=$(command -v {tool}); (: >>$f) 2>/dev/null || echo kept", "(rm -f $f) 2>/dev/null; test -e $f && echo there",
              *[f"cat {file} 2>/dev/null" for file in hidden],
              *[f"cat {lab.home / file}" for file in layout.plain], "echo new >~/.new && cat ~/.new"]
    result = box(lab, ["sh", "-c", "\n".join(script)], env=env)
    assert result.out == "shell\nsame\nkept\nthere\n" + "plain\n" * len(layout.plain) + "new\n", result
    assert box(lab, [tool], "--toolchains", "none", env=env).code == 127
    assert harness.tree(lab.home) == before


def test_shown_by_name(lab):
    LAYOUTS["pyenv"].make(lab, lab.home)
    result, told = lab.receipt(["x"], env=LAYOUTS["pyenv"].environment(lab.home))
    assert result.out == "tool\n"
    rows_ = {m["path"]: m for m in told["mounts"]}
    assert rows_[f"{lab.home}/.pyenv/versions"]["why"] == "toolchain pyenv"
    assert not rows_[f"{lab.home}/.pyenv/versions"]["writable"]
    assert rows_[f"{lab.home}/.pyenv/versions/1.2/pip.conf"]["kind"] == "cover"
    assert told["toolchains"] == {"asked": "auto", "left_out": []} and told["confined"] == "full"


def test_link_of_local_bin(lab):
    """A link in ~/.local/bin to a toolchain that PATH doesn't name; an entry of PATH that can't be entered."""
    lab.file(lab.home / ".nvm/v1/bin/mytool", SAYS, 0o755)
    lab.file(lab.home / ".local/bin/other", SAYS, 0o755)
    (lab.home / ".local/bin/mytool").symlink_to("../../.nvm/v1/bin/mytool")
    denied = lab.file(lab.outside / "denied" / "x").parent
    denied.chmod(0)
    path = f"{denied}:{lab.home}/.local/bin:{PATH if isinstance(PATH, str) else SYSTEM}"
    for argv in (["mytool"], ["sh", "-c", "mytool"]):
        result = box(lab, argv, env={"PATH": path})
        assert (result.code, result.out) == (0, "tool\n"), result
    result = box(lab, [PYTHON, "-c", "import subprocess; subprocess.run(['mytool'], check=True)"], env={"PATH": path})
    assert (result.code, result.out) == (0, "tool\n"), result
    assert box(lab, ["sh", "-c", 'echo "$PATH"'], env={"PATH": path}).out == path + "\n"


def test_homes_that_hold_nothing(lab):
    """Nothing is made in a home, and its absence refuses nothing."""
    absent = lab.outside / "absent"
    for home in (lab.home, absent, "", "/"):
        path = f"{home}/.local/bin:{home}/.cargo/bin:{SYSTEM}"
        assert box(lab, ["true"], env={"HOME": os.fspath(home), "PATH": path}).code == 0
    assert os.listdir(lab.home) == [] and not absent.exists()


@pytest.fixture
def venv(lab):
    """A real virtual environment in the home, made by the caller."""
    made = lab.plain(["/usr/bin/python3", "-m", "venv", "--without-pip", lab.home / "envs/e"], timeout=120)
    assert made.code == 0, made
    lab.file(lab.home / "envs/e/pip.conf", "SECRET\n")
    return lab.home / "envs/e"


def test_real_venv(lab, venv):
    env = {"PATH": f"{venv}/bin:{SYSTEM}", "VIRTUAL_ENV": os.fspath(venv)}
    script = "import os, sys; print(sys.prefix); print(os.path.exists(sys.prefix + '/pip.conf')); print(os.path.islink(sys.prefix + '/lib64'))"
    result = box(lab, ["python", "-c", script], env=env)
    assert result.out == f"{venv}\nFalse\n{(venv / 'lib64').is_symlink()}\n", result


def test_real_venv_in_the_workspace_of_a_known_interpreter(lab):
    """The interpreter is in ~/.local/share/uv, which uv in ~/.local/bin shows; the workspace's links decide nothing."""
    base = lab.home / ".local/share/uv/python/cpython-3"
    for folder in (base / "bin", lab.home / ".local/bin"):
        lab.file(folder / ".made").unlink()
    lab.file(lab.home / ".local/bin/uv", SAYS, 0o755)
    lab.file(base / "bin/python", "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n", 0o755)
    lab.file(lab.ws / ".venv/pyvenv.cfg", f"home = {base}/bin\n")
    lab.file(lab.ws / ".venv/bin/.made").unlink()
    (lab.ws / ".venv/bin/python").symlink_to(base / "bin/python")
    argv = [".venv/bin/python", "-c", "print('py')"]
    assert box(lab, argv, env={"PATH": f"{lab.home}/.local/bin:{SYSTEM}"}).out == "py\n"
    assert box(lab, argv, env={"PATH": f"{lab.ws}/.venv/bin:{SYSTEM}", "VIRTUAL_ENV": f"{lab.ws}/.venv"}).code in (126, 127)


def test_npm_prefix(lab):
    """npm install -g --prefix: a bin folder of links into lib/node_modules."""
    lab.file(lab.ws / "p/package.json", '{"name": "p", "version": "1.0.0", "bin": {"p-tool": "p.js"}}')
    lab.file(lab.ws / "p/p.js", "#!/usr/bin/env node\nconsole.log('tool')\n", 0o755)
    assert lab.plain(["npm", "pack", "--silent"], cwd=lab.ws / "p", env={"npm_config_cache": f"{lab.outside}/c"}, timeout=120).code == 0
    made = lab.plain(["npm", "install", "-g", "--offline", "--no-audit", "--no-fund", "--silent", "--prefix",
                      lab.home / ".npm-global", lab.ws / "p/p-1.0.0.tgz"], env={"npm_config_cache": f"{lab.outside}/c"}, timeout=120)
    assert made.code == 0, made
    lab.file(lab.home / ".npm-global/etc/npmrc", "SECRET\n")
    env = {"PATH": f"{lab.home}/.npm-global/bin:{SYSTEM}"}
    assert box(lab, ["p-tool"], env=env).out == "tool\n"
    assert "SECRET" not in box(lab, ["cat", lab.home / ".npm-global/etc/npmrc"], env=env).out


def test_real_rust_in_a_home(lab):
    """Debian's cargo and rustc behind the folders of rustup: a package is built, and the registry is the box's own."""
    for name in ("cargo", "rustc"):
        if not os.path.exists(f"/usr/bin/{name}"):
            pytest.fail(f"{name} is not installed")
        lab.file(lab.home / f".rustup/toolchains/debian/bin/{name}", f'#!/bin/sh\nexec /usr/bin/{name} "$@"\n', 0o755)
        lab.file(lab.home / f".cargo/bin/{name}", f'#!/bin/sh\nexec {lab.home}/.rustup/toolchains/debian/bin/{name} "$@"\n', 0o755)
    lab.file(lab.home / ".cargo/credentials.toml", "SECRET\n")
    lab.file(lab.ws / "Cargo.toml", '[package]\nname = "p"\nversion = "0.1.0"\n')
    lab.file(lab.ws / "src/main.rs", 'fn main() { println!("built"); }\n')
    before = harness.tree(lab.home)
    env = {"PATH": f"{lab.home}/.cargo/bin:{SYSTEM}"}
    result = box(lab, ["sh", "-c", "cargo run --offline -q && touch ~/.cargo/registry && cat ~/.cargo/credentials.toml"], env=env, timeout=300)
    assert result.out == "built\n" and "SECRET" not in result.err, result
    assert harness.tree(lab.home) == before


def test_cargo_home_elsewhere(lab):
    """A home of cargo outside of the home, by its variable: what is shown, and what is written beside it. Golden plans
    have one where nothing is writable."""
    lab.file(lab.outside / "cargo/bin/x", SAYS, 0o755)
    env = {"PATH": f"{lab.outside}/cargo/bin:{SYSTEM}", "CARGO_HOME": f"{lab.outside}/cargo"}
    result = box(lab, ["sh", "-c", 'x; mkdir -p "$CARGO_HOME/registry" && echo "$CARGO_HOME"'], env=env)
    assert result.out == f"tool\n{lab.outside}/cargo\n", result
    assert not (lab.outside / "cargo/registry").exists()


def test_profile_links(lab):
    """Links of the home that lead to what every box has (Nix profiles) stand in the box."""
    lab.file(lab.home / ".local/state/nix/.made").unlink()
    (lab.home / ".local/state/nix/profile").symlink_to("/usr")
    (lab.home / ".nix-profile").symlink_to(".local/state/nix/profile")
    result = box(lab, ["sh", "-c", "command -v env; env true && echo ran"], env={"PATH": f"{lab.home}/.nix-profile/bin"})
    assert result.out == f"{lab.home}/.nix-profile/bin/env\nran\n", result


@pytest.mark.skipif(not os.path.isdir("/root/.pyenv") or os.geteuid() != 0, reason="a real pyenv, of root")
def test_real_pyenv_of_root():
    lab = harness.Lab(harness.User(0))
    try:
        env = {"HOME": "/root", "PATH": f"/root/.pyenv/shims:/root/.pyenv/bin:{SYSTEM}"}
        outside = lab.plain(["python3", "-c", "import sys; print(sys.prefix)"], env=env)
        inside = box(lab, ["python3", "-c", "import sys, ssl, sqlite3; print(sys.prefix)"], env=env)
        assert inside.out == outside.out and inside.out.startswith("/root/.pyenv/versions/"), inside
        assert box(lab, ["pyenv", "versions", "--bare"], env=env).out == lab.plain(["pyenv", "versions", "--bare"], env=env).out
    finally:
        lab.close()
