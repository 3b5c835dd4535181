"""Minimal installations of each toolchain of src/plan/toolchains.def, as it lays out a home.

`tools` are scripts that say "tool", but where a text is given: there PLACE is the home. `plain` files hold a text that
the tool may need, `secret` ones what no box may see, `beside` a cache or settings that aren't shown either.
"""
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SAYS = "#!/bin/sh\necho tool\n"


def rows():
    """The names of the table, in its order."""
    text = (ROOT / "src/plan/toolchains.def").read_text()
    return list(dict.fromkeys(re.findall(r'^TOOLCHAIN\("([^"]+)"', text, re.MULTILINE)))


@dataclass
class Layout:
    path: str                                     # the entry of PATH, below the home
    tools: tuple
    links: dict = field(default_factory=dict)
    plain: tuple = ()
    secret: tuple = ()
    beside: tuple = ()
    env: dict = field(default_factory=dict)       # values are below the home

    def make(self, lab, home):
        for tool in self.tools:
            name, text = tool if isinstance(tool, tuple) else (tool, SAYS)
            lab.file(home / name, text.replace("PLACE", os.fspath(home)), 0o755)
        for name in self.plain:
            lab.file(home / name, "plain\n")
        for name in self.secret + self.beside:
            lab.file(home / name, "SECRET\n", 0o600)
        for name, target in self.links.items():
            link = home / name
            lab.file(link.parent / ".made").unlink()
            link.symlink_to(target.replace("PLACE", os.fspath(home)))
            lab.own(link)

    def environment(self, home):
        return {"PATH": f"{home}/{self.path}:/usr/local/bin:/usr/bin:/bin",
                **{name: f"{home}/{place}" for name, place in self.env.items()}}


def exec_of(place):
    return f'#!/bin/sh\nexec PLACE/{place} "$@"\n'


def versions(root, program, secret=()):
    """pyenv and those made after it: a shim calls the program in libexec, which calls a version's."""
    return Layout(f"{root}/shims",
                  ((f"{root}/shims/x", exec_of(f"{root}/libexec/{program}")),
                   (f"{root}/libexec/{program}", exec_of(f"{root}/versions/1.2/bin/x")), f"{root}/versions/1.2/bin/x"),
                  {f"{root}/bin/{program}": f"../libexec/{program}"}, (f"{root}/version",), secret, (f"{root}/cache/y",))


VENV = ("bin/x", "lib/y", "pyvenv.cfg")
LAYOUTS = {
    "pyenv": versions(".pyenv", "pyenv", (".pyenv/versions/1.2/pip.conf", ".pyenv/versions/1.2/envs/e/pip.conf")),
    "nodenv": versions(".nodenv", "nodenv", (".nodenv/versions/1.2/etc/npmrc",)),
    "rbenv": versions(".rbenv", "rbenv", (".rbenv/versions/1.2/etc/gemrc",)),
    "goenv": versions(".goenv", "goenv"),
    "jenv": versions(".jenv", "jenv"),
    "nvm": Layout(".nvm/versions/node/v20.1.0/bin", (".nvm/versions/node/v20.1.0/bin/x",), plain=(".nvm/nvm.sh", ".nvm/alias/default"),
                  secret=(".nvm/versions/node/v20.1.0/etc/npmrc",), beside=(".nvm/.cache/bin/x",), env={"NVM_DIR": ".nvm"}),
    "fnm": Layout(".local/state/fnm_multishells/1_2/bin", (".local/share/fnm/node-versions/v20/installation/bin/x",),
                  {".local/state/fnm_multishells/1_2": "PLACE/.local/share/fnm/node-versions/v20/installation"},
                  secret=(".local/share/fnm/node-versions/v20/installation/etc/npmrc",)),
    "volta": Layout(".volta/bin", (("v", SAYS), (".volta/bin/volta-shim", exec_of(".volta/tools/image/node/20/bin/x")),
                                   ".volta/tools/image/node/20/bin/x"),
                    {".volta/bin/x": "volta-shim"}, (".volta/layout.v4",),
                    (".volta/tools/image/node/20/etc/npmrc", ".volta/tools/image/packages/@s/p/etc/npmrc"),
                    (".volta/cache/y", ".volta/hooks.json")),
    "n": Layout("n/bin", ("n/bin/x",), plain=("n/n/versions/node/20/bin/x",),
                secret=("n/n/versions/node/20/etc/npmrc", "n/etc/npmrc"), env={"N_PREFIX": "n"}),
    "asdf": Layout(".asdf/shims", ((".asdf/shims/x", "#!/bin/sh\ngrep -q plain PLACE/.tool-versions && "
                                                     "exec PLACE/.asdf/installs/nodejs/20/bin/x\n"), ".asdf/installs/nodejs/20/bin/x"),
                   plain=(".asdf/asdf.sh", ".tool-versions"),
                   secret=(".asdf/installs/nodejs/20/etc/npmrc", ".asdf/installs/python/3/pip.conf",
                           ".asdf/installs/python/3/.condarc", ".asdf/installs/maven/3/conf/settings.xml"), beside=(".asdf/downloads/y",)),
    "mise": Layout(".local/share/mise/installs/node/20/bin", (".local/share/mise/installs/node/20.1/bin/x",),
                   {".local/share/mise/installs/node/20": "./20.1"},
                   secret=(".local/share/mise/installs/node/20.1/etc/npmrc", ".local/share/mise/installs/python/3/pip.conf"),
                   beside=(".config/mise/config.toml",)),
    "proto": Layout(".proto/shims", ((".proto/shims/x", exec_of(".proto/tools/node/20/bin/x")), ".proto/tools/node/20/bin/x"),
                    secret=(".proto/tools/node/20/etc/npmrc",), beside=(".proto/cache/y",)),
    "cargo": Layout(".cargo/bin", (".cargo/bin/x",), beside=(".cargo/credentials.toml", ".cargo/config.toml",
                                                              ".cargo/registry/y")),
    "rustup": Layout(".cargo/bin", ((".cargo/bin/x", "#!/bin/sh\ngrep -q plain PLACE/.rustup/settings.toml && "
                                                     "exec PLACE/.rustup/toolchains/stable/bin/x\n"), ".rustup/toolchains/stable/bin/x"),
                     plain=(".rustup/settings.toml",), beside=(".rustup/downloads/y",)),
    "elan": Layout(".elan/bin", ((".elan/bin/x", exec_of(".elan/toolchains/4/bin/x")), ".elan/bin/elan", ".elan/toolchains/4/bin/x")),
    "goroot": Layout("sdk/go1.22/bin", (("sdk/go1.22/bin/x", exec_of("sdk/go1.22/pkg/tool/x")), "sdk/go1.22/pkg/tool/x"),
                     plain=("sdk/go1.22/src/runtime/r.go", "sdk/go1.22/VERSION")),
    "go": Layout("go/bin", ("go/bin/x",), beside=("go/pkg/mod/y",)),
    "deno": Layout(".deno/bin", (".deno/bin/deno", ".deno/bin/x"), beside=(".deno/gen/y",)),
    "bun": Layout(".bun/bin", (".bun/bin/bun", (".bun/bin/x", exec_of(".bun/install/global/node_modules/x/x")),
                               ".bun/install/global/node_modules/x/x"), beside=(".bun/install/cache/y",)),
    "pnpm": Layout(".local/share/pnpm", ((".local/share/pnpm/pnpm", SAYS), (".local/share/pnpm/pnpx", SAYS),
                                         (".local/share/pnpm/bin/x", SAYS)), beside=(".local/share/pnpm/store/y",)),
    "sdkman": Layout(".sdkman/candidates/java/current/bin", (".sdkman/candidates/java/21/bin/x",),
                     {".sdkman/candidates/java/current": "21"}, secret=(".sdkman/candidates/maven/3/conf/settings.xml",),
                     beside=(".sdkman/archives/y",)),
    "conda": Layout("miniconda3/envs/e/bin", ("miniconda3/envs/e/bin/x",), plain=("miniconda3/conda-meta/history",
                                                                                  "miniconda3/envs/e/conda-meta/history"),
                    secret=("miniconda3/envs/e/conda-meta/state", "miniconda3/conda-meta/state"),
                    beside=("miniconda3/.condarc", "miniconda3/envs/e/.condarc", "miniconda3/pkgs/y", "miniconda3/envs/other/bin/y")),
    "pixi": Layout(".pixi/bin", ((".pixi/bin/x", exec_of(".pixi/envs/e/bin/x")), ".pixi/bin/pixi", ".pixi/envs/e/bin/x"),
                   secret=(".pixi/envs/e/conda-meta/state", ".pixi/envs/e/etc/y")),
    "uv": Layout(".local/bin", (".local/share/uv/tools/t/bin/y", ".local/share/uv/python/cpython-3/bin/python"),
                 {".local/bin/x": "PLACE/.local/share/uv/tools/t/bin/x", ".local/share/uv/tools/t/bin/x":
                  "PLACE/.local/share/uv/python/cpython-3/bin/python"}, (".local/share/uv/tools/t/pyvenv.cfg",),
                 (".local/share/uv/python/cpython-3/pip.conf",),
                 (".local/share/uv/credentials/credentials.toml", ".local/share/uv/tools/other/bin/y", ".local/share/uv/tools/t/pip.conf")),
    "pipx": Layout(".local/bin", tuple(f".local/share/pipx/venvs/x/{name}" for name in VENV),
                   {".local/bin/x": "../share/pipx/venvs/x/bin/x"},
                   beside=(".local/share/pipx/venvs/x/pip.conf", ".local/share/pipx/venvs/other/bin/y", ".local/share/pipx/logs/y")),
    "poetry": Layout(".local/bin", tuple(f".local/share/pypoetry/venv/{name}" for name in VENV),
                     {".local/bin/x": "PLACE/.local/share/pypoetry/venv/bin/x"}, beside=(".config/pypoetry/auth.toml",)),
    "rvm": Layout(".rvm/rubies/ruby-3/bin", (".rvm/rubies/ruby-3/bin/x", ".rvm/scripts/rvm"), secret=(".rvm/rubies/ruby-3/etc/gemrc",),
                  beside=(".rvm/user/db", ".rvm/archives/y")),
    "gem": Layout(".local/share/gem/ruby/3.1.0/bin", ((".local/share/gem/ruby/3.1.0/bin/x",
                                                       exec_of(".local/share/gem/ruby/3.1.0/gems/x-1/x")), ".local/share/gem/ruby/3.1.0/gems/x-1/x"),
                  plain=(".local/share/gem/ruby/3.1.0/specifications/x",), beside=(".local/share/gem/credentials", ".gem/credentials")),
    "ghcup": Layout(".ghcup/bin", (".ghcup/ghc/9/bin/x",), {".ghcup/bin/x": "../ghc/9/bin/x"}, beside=(".ghcup/cache/y",)),
    "cabal": Layout(".cabal/bin", (".cabal/store/ghc-9/x-1/bin/x",), {".cabal/bin/x": "../store/ghc-9/x-1/bin/x"},
                    beside=(".cabal/config", ".cabal/packages/y", ".cabal/store/ghc-9/other-1/bin/y")),
    "opam": Layout(".opam/default/bin", (".opam/default/bin/x",), plain=(".opam/default/lib/y",), beside=(".opam/config", ".opam/repo/y", ".opam/other/bin/y")),
    "juliaup": Layout(".juliaup/bin", ((".juliaup/bin/x", exec_of(".julia/juliaup/j/bin/x")), ".julia/juliaup/j/bin/x"), beside=(".julia/registries/y",)),
    "julia": Layout(".juliaup/bin", ((".juliaup/bin/x", exec_of(".julia/juliaup/j/bin/x")), ".julia/juliaup/j/bin/x")),
    "swiftly": Layout(".local/share/swiftly/bin", (".local/share/swiftly/toolchains/6/usr/bin/x",),
                      {".local/share/swiftly/bin/x": "../toolchains/6/usr/bin/x"}, (".local/share/swiftly/config.json",)),
    "dotnet": Layout(".dotnet/tools", ((".dotnet/tools/x", exec_of(".dotnet/dotnet")), ".dotnet/dotnet"), plain=(".dotnet/sdk/9/y",),
                     beside=(".dotnet/corefx/cryptography/x509stores/my/key.pfx",)),
    "composer": Layout(".config/composer/vendor/bin", (".config/composer/vendor/p/x",), {".config/composer/vendor/bin/x": "../p/x"},
                       beside=(".config/composer/auth.json",)),
    "perl5": Layout("perl5/bin", ("perl5/bin/x",), plain=("perl5/lib/perl5/y",)),
    "claude": Layout(".local/bin", (".local/share/claude/versions/1.0",), {".local/bin/x": "PLACE/.local/share/claude/versions/1.0"},
                     beside=(".claude/credentials.json",)),
    "homebrew": Layout(".linuxbrew/bin", (".linuxbrew/Cellar/x/1/bin/x", ".linuxbrew/bin/brew"), {".linuxbrew/bin/x": "../Cellar/x/1/bin/x"},
                       secret=(".linuxbrew/Homebrew/.git/config",), beside=(".linuxbrew/etc/npmrc", ".linuxbrew/var/y")),
    "local": Layout(".local/bin", ((".local/bin/x", "#!/bin/sh\ngrep -q plain PLACE/.local/lib/python3.11/site-packages/m && echo tool\n"),),
                    plain=(".local/lib/python3.11/site-packages/m",), beside=(".local/share/keyrings/y", ".local/state/y")),
    "home-bin": Layout("bin", ("bin/x",), secret=("bin/.git/config", "bin/.env", "bin/.netrc")),
    "venv": Layout("work/env/bin", tuple(f"work/env/{name}" for name in VENV), {"work/env/lib64": "lib"}, beside=("work/env/pip.conf", "work/y")),
    "conda-environment": Layout("work/env/bin", ("work/env/bin/x",), plain=("work/env/conda-meta/history",),
                                secret=("work/env/conda-meta/state",), beside=("work/env/.condarc",)),
    "jdk": Layout("jdks/21/bin", ("jdks/21/bin/x",), plain=("jdks/21/lib/modules", "jdks/21/conf/security/java.security"), beside=("jdks/21/y",)),
    "node": Layout("node/bin", ("node/lib/node_modules/x/x",), {"node/bin/x": "../lib/node_modules/x/x"},
                   beside=("node/etc/npmrc", "node/.env")),
}
