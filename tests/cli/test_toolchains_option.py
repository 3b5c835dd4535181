"""--toolchains, its key in policy files, what never does, and what explain tells."""
import json
import os

import pytest

from accounts import account, needs_root  # noqa: F401 (a fixture)

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
TOOL = "#!/bin/sh\necho tool\n"


def scene(lab):
    """cargo in the home, a folder on PATH that nobody knows; the environment with both."""
    lab.file(lab.home / ".cargo/bin/x", TOOL, 0o755)
    lab.file(lab.home / "foo/bin/y", TOOL, 0o755)
    return {"PATH": f"{lab.home}/.cargo/bin:{lab.home}/foo/bin:{lab.home}/absent/bin:{lab.outside}:{SYSTEM}"}


def explain(lab, *options, env):
    done = lab.plain([lab.pinfold, "explain", *options], env=env)
    assert done.code == 0, done
    return done.out


def test_explain(lab):
    env = scene(lab)
    text = explain(lab, env=env)
    assert f"{lab.home}/.cargo/bin  (toolchain cargo)" in text
    assert f"on PATH and not shown (--read PATH shows it):\n    {lab.home}/foo/bin  (no toolchain that pinfold knows)\n" in text
    assert "absent" not in text and os.fspath(lab.outside) not in text
    told = json.loads(explain(lab, "--json", env=env))
    assert told["toolchains"] == {"asked": "auto", "left_out": [{"path": f"{lab.home}/foo/bin", "why": "no toolchain that pinfold knows"}]}
    assert "not shown" not in explain(lab, "--read", lab.home / "foo", env=env)
    text = explain(lab, "--toolchains", "none", env=env)
    assert "toolchain cargo" not in text and "toolchains of the home: none (--toolchains)" in text


def test_command_that_is_not_shown(lab):
    env = scene(lab)
    result = lab.run(["y"], env=env)
    assert (result.code, result.err) == (127, f"pinfold: y: No such file or directory in the box; outside it is in {lab.home}/foo/bin, "
                                              f"which the box isn't shown: --read {lab.home}/foo/bin\n"), result
    assert lab.run(["y"], "--read", lab.home / "foo/bin", env=env).out == "tool\n"


def test_wrong_words(lab):
    for word in ("", "all", "Auto", "auto "):
        result = lab.run(["true"], "--toolchains", word)
        assert result.code == 125 and "auto (those of the home that PATH shows, read-only) or none" in result.err, result


def test_digests_tell_them_apart(lab):
    env = scene(lab)
    plans = [json.loads(explain(lab, *options, "--json", env=env)) for options in ((), ("--toolchains", "auto"), ("--toolchains", "none"))]
    assert plans[0]["policy_digest"] == plans[1]["policy_digest"] != plans[2]["policy_digest"]
    assert plans[0]["plan_digest"] == plans[1]["plan_digest"] != plans[2]["plan_digest"]


def test_grants_beside_toolchains(lab):
    """A --write of a toolchain's folder is written to; a --read of all of it shows all; the workspace in it is the workspace."""
    env = scene(lab)
    credentials = lab.file(lab.home / ".cargo/credentials.toml", "SECRET\n")
    assert lab.run(["sh", "-c", "x && echo >~/.cargo/bin/new"], "--write", lab.home / ".cargo/bin", env=env).out == "tool\n"
    assert (lab.home / ".cargo/bin/new").exists()
    assert lab.run(["cat", credentials], "--read", lab.home / ".cargo", env=env).out == ""   # fs-secret
    shown = lab.file(lab.home / ".cargo/env", "text\n")
    assert lab.run(["cat", shown], "--read", lab.home / ".cargo", env=env).out == "text\n"
    lab.file(lab.home / ".pyenv/libexec/pyenv", TOOL, 0o755)
    hidden = lab.file(lab.home / ".pyenv/versions/1/pip.conf", "SECRET\n")
    env["PATH"] = f"{lab.home}/.pyenv/bin:{env['PATH']}"
    assert lab.run(["cat", hidden], env=env).out == ""
    for option in (hidden, hidden.parent, lab.home / ".pyenv"):
        assert lab.run(["cat", hidden], "--read", option, env=env).out == "SECRET\n"
    inner = lab.file(lab.home / ".pyenv/versions/work/file").parent
    done = lab.plain([lab.pinfold, "run", "--", "sh", "-c", "echo new >file; ls ~/.pyenv/versions; ls ~/.pyenv"], cwd=inner, env=env)
    assert done.out == "work\nlibexec\nversions\n" and (inner / "file").read_text() == "new\n", done


def test_workspace_file(lab):
    """.pinfold.json may say none; auto opens nothing there."""
    env = scene(lab)
    lab.file(lab.ws / ".pinfold.json", '{"toolchains": "none"}')
    assert lab.run(["x"], env=env).code == 127 and lab.run(["x"], "--toolchains", "auto", env=env).code == 127
    lab.file(lab.ws / ".pinfold.json", '{"toolchains": "auto"}')
    assert lab.run(["x"], env=env).out == "tool\n" and lab.run(["x"], "--toolchains", "none", env=env).code == 127


@needs_root
def test_never_and_layers(account):  # noqa: F811
    """A ban on reading leaves a toolchain out and refuses nothing; a ban on toolchains keeps none."""
    lab = account.lab
    env = scene(lab)

    def shown(*options):
        plan = account.explain(*options, env=env)
        return any(mount["why"] == "toolchain cargo" for mount in plan["mounts"])

    assert shown()
    for path in (lab.home / ".cargo", lab.home / ".cargo/bin", lab.home / ".cargo/bin/x", lab.home):
        account.system({"never": {"read": [os.fspath(path)]}})
        assert not shown()
        why = [row["why"] for row in account.explain(env=env)["toolchains"]["left_out"] if row["path"] == f"{lab.home}/.cargo/bin"]
        assert why and why[0].startswith("/etc/pinfold/policy.json:1:"), why
        account.runs(env=env)
    account.system({"never": {"read": True}})
    assert not shown()
    account.system({"toolchains": "none"})
    assert not shown() and shown("--toolchains", "auto")
    account.user({"toolchains": "auto"})
    assert shown()
    account.system({"toolchains": "none", "never": {"toolchains": True}})
    account.refused(words=["toolchains auto: forbidden by /etc/pinfold/policy.json:1:"], env=env)
    account.user({})
    assert not shown()
    account.refused("--toolchains", "auto", words=["--toolchains auto: forbidden by /etc/pinfold/policy.json:1:"], env=env)
    account.system({"never": {"toolchains": True}})
    assert shown() and shown("--toolchains", "auto") and not shown("--toolchains", "none")


@pytest.mark.parametrize("profile", ["default", "readonly", "verify"])
def test_in_every_profile(lab, profile):
    assert lab.run(["x"], "--profile", profile, env=scene(lab)).out == "tool\n"
