"""The key never: what an earlier layer forbids, no later one opens. Each has a control leg without the ban."""
import json
import os
import socket

import pytest

from accounts import account, needs_root, readable  # noqa: F401 (a fixture)

pytestmark = needs_root


def ban(account, never, **more):
    account.system({"never": never, **more})


@pytest.fixture
def scene(account):
    """Folders of the user's to be granted: outside/tree/leaf/f, and a socket."""
    lab = account.lab
    account.tree = lab.file(lab.outside / "tree" / "leaf" / "f").parent.parent
    account.leaf = account.tree / "leaf"
    account.socket = lab.outside / "s"
    one = socket.socket(socket.AF_UNIX)
    one.bind(os.fspath(account.socket))
    lab.own(account.socket)
    yield account
    one.close()


def ways(account, option, key, value):
    """The same grant from each later layer: options of the command line, and a word of the message."""
    text = os.fspath(value)
    account.user({"profiles": {"p": {key: [text]}}})
    yield [option, value], option
    yield ["--policy", account.option({key: [text]})], "option.json:1:"
    yield ["--profile", "p"], f"{account.user_file}:1:"
    account.user({key: [text]})
    yield [], f"{account.user_file}:1:"
    account.user({})


@pytest.mark.parametrize("option, key, place", [
    ("--read", "read", "tree"), ("--write", "write", "tree"), ("--unix-socket", "unix-socket", "socket")])
def test_grants_from_every_later_layer(scene, option, key, place):
    value = getattr(scene, place)
    for options, _ in ways(scene, option, key, value):
        scene.explain(*options)
    for never in (True, [os.fspath(value)]):
        ban(scene, {key: never})
        for options, word in ways(scene, option, key, value):
            scene.refused(*options, words=[word, os.fspath(value), "forbidden by /etc/pinfold/policy.json:1:", f"never {key}"])
    ban(scene, {key: [os.fspath(scene.lab.home)]})
    for options, _ in ways(scene, option, key, value):
        scene.explain(*options)


def test_below_and_above(scene):
    ban(scene, {"read": [os.fspath(scene.leaf)]})
    for path in (scene.leaf, scene.tree, scene.leaf / "f", scene.lab.outside):
        for option in ("--read", "--write"):
            scene.refused(option, path, words=[option, "forbidden by", os.fspath(scene.leaf)])
    scene.lab.file(scene.tree / "other" / "f")
    scene.explain("--read", scene.tree / "other")
    ban(scene, {"write": [os.fspath(scene.leaf)]})
    for path in (scene.leaf, scene.tree, scene.leaf / "f"):
        scene.refused("--write", path, words=["--write", "forbidden by"])
        scene.explain("--read", path)


def test_other_spellings(scene):
    """Dots, links of root's and mounts don't lead around a ban."""
    lab = scene.lab
    ban(scene, {"read": [os.fspath(scene.leaf)]})
    scene.refused("--read", f"{scene.tree}/../tree/./leaf/", words=["forbidden by"])
    ban(scene, {"read": [f"{scene.tree}//x/../leaf"]})
    scene.refused("--read", scene.leaf, words=["forbidden by"])
    link = lab.scratch.path / "link"
    link.symlink_to(scene.leaf)
    ban(scene, {"read": [os.fspath(link)]})
    scene.refused("--read", scene.leaf, words=["forbidden by"])
    ban(scene, {"read": [os.fspath(scene.leaf)]})
    lab.file(lab.home / "x" / "f")
    before = f"mount --bind {scene.leaf} {lab.home}/x"
    scene.refused("--read", lab.home / "x", words=["forbidden by"], before=before)
    scene.explain("--read", lab.home / "x")
    for shown in (scene.tree, lab.outside):   # what is above it shows it too
        scene.refused("--read", lab.home / "x", words=["forbidden by"], before=f"mount --bind {shown} {lab.home}/x")
    lab.file(scene.leaf / "in" / "f")         # and what is below it is part of it
    scene.refused("--read", lab.home / "x", words=["forbidden by"], before=f"mount --bind {scene.leaf}/in {lab.home}/x")


def test_a_ban_on_what_is_not_there(scene):
    ban(scene, {"read": ["~/.ssh", os.fspath(scene.lab.outside / "none" / "x")]})
    scene.runs()
    scene.refused("--read", scene.lab.outside, words=["forbidden by"])
    scene.lab.file(scene.home / ".ssh" / "id")
    scene.refused("--read", scene.home / ".ssh", words=["forbidden by", ".ssh"])
    loop = scene.lab.scratch.path / "loop"
    loop.symlink_to(loop)
    ban(scene, {"read": [os.fspath(loop)]})
    scene.refused(words=["/etc/pinfold/policy.json:1:21: never read", "ymbolic link"])


def test_the_workspace(scene):
    ws = os.fspath(scene.lab.ws)
    scene.runs()
    for never in ({"read": [ws]}, {"write": [ws]}, {"read": [os.fspath(scene.lab.scratch.path)]}):
        ban(scene, never)
        scene.refused(words=["--workspace", "forbidden by"])
    ban(scene, {"write": [ws]})
    scene.explain("--mode", "readonly")
    scene.explain("--mode", "discard")
    ban(scene, {"read": [ws]})
    scene.refused("--mode", "readonly", words=["forbidden by"])
    inner = scene.lab.file(scene.lab.ws / "inner" / "f").parent
    ban(scene, {"write": [os.fspath(inner)]})
    scene.refused(words=["--workspace", "forbidden by"])
    ban(scene, {"read": True, "write": True})   # the keys, not the workspace
    scene.runs()


def test_the_work_tree_around_the_workspace(scene):
    """It would be shown for reading; under a ban it isn't."""
    lab = scene.lab
    lab.file(lab.ws / ".git" / "HEAD")
    inner = lab.file(lab.ws / "inner" / "f").parent
    lab.file(lab.ws / "secret" / "f")
    look = lambda: json.loads(scene.pinfold("explain", "--json", "--workspace", inner, cwd=inner).out)
    assert os.fspath(lab.ws) in readable(look())
    for never in ({"read": [os.fspath(lab.ws / "secret")]}, {"read": True}):
        ban(scene, never)
        assert os.fspath(lab.ws) not in readable(look())


def test_earlier_grants_stay(scene):
    """Nor is the file itself bound that says never."""
    ban(scene, {"read": True, "env": True}, read=[os.fspath(scene.tree)], env=["A=1"])
    assert os.fspath(scene.tree) in readable(scene.explain())
    scene.user({"never": {"read": [os.fspath(scene.tree)]}})
    assert os.fspath(scene.tree) in readable(scene.explain())
    scene.system({"read": [os.fspath(scene.tree)]})
    assert os.fspath(scene.tree) in readable(scene.explain())
    scene.refused("--read", scene.leaf, words=["--read", os.fspath(scene.user_file)])


@pytest.mark.parametrize("never, options, key", [
    ({"env": True}, ["--env", "A=1"], {"env": ["A=1"]}),
    ({"env": ["A"]}, ["--env", "A=1"], {"env": ["A"]}),
    ({"waive": True}, ["--waive", "ipc"], {"waive": ["ipc"]}),
    ({"waive": ["ipc"]}, ["--waive", "ipc"], {"waive": ["net-local", "ipc"]}),
    ({"mode": True}, ["--mode", "direct"], {"mode": "direct"}),
    ({"limits": True}, ["--timeout", "20s"], {"timeout": "20s"}),
    ({"limits": True}, ["--output-limit", "20K"], {"output-limit": "20K"}),
    ({"limits": True}, ["--grace", "20s"], {"grace": "20s"}),
    ({"profile": True}, ["--profile", "verify"], {"profile": "verify"}),
], ids=lambda v: json.dumps(v))
def test_other_kinds(account, never, options, key):
    base = {"mode": "discard", "timeout": "10s", "output-limit": "10K", "grace": "10s"}
    account.system(base)
    option = account.option(key)
    account.explain(*options)
    account.explain("--policy", option)
    account.system({**base, "never": never})
    word = "never " + next(iter(never))
    account.refused(*options, words=[options[0], "forbidden by /etc/pinfold/policy.json:1:", word])
    account.refused("--policy", option, words=["option.json:1:", "forbidden by /etc/pinfold/policy.json:1:", word])
    account.user(key)
    account.refused(words=[f"{account.user_file}:1:", "forbidden by", word])


def test_narrower_is_not_forbidden(account):
    account.system({"mode": "discard", "timeout": "10s", "grace": "1s", "never": {"mode": True, "limits": True}})
    account.explain("--mode", "readonly", "--timeout", "5s", "--grace", "0", "--output-limit", "1K")
    account.explain("--mode", "discard", "--timeout", "10s")
    account.explain("--profile", "verify")
    account.refused("--profile", "default", words=["built-in profile default", "forbidden by"])


def test_other_names_are_not_forbidden(account):
    account.system({"never": {"env": ["A"], "waive": ["ipc"]}})
    account.explain("--env", "AB=1", "--env", "B", "--waive", "net-local")


def test_descriptors(account):
    reading, writing = os.pipe()
    os.write(writing, b"x\n")
    os.close(writing)
    words = ["run", "--workspace", account.lab.ws, "--fd", reading, "--", "true"]
    assert account.pinfold(*map(str, words), pass_fds=[reading]).code == 0
    account.system({"never": {"fd": True}})
    account.refused("--fd", str(reading), words=["--fd: forbidden by", "never fd"], pass_fds=[reading])
    result = account.pinfold("run", "--workspace", account.lab.ws, "--", "cat", f"/dev/fd/{reading}", pass_fds=[reading])
    assert result.code != 0 and result.out == "", result
    os.close(reading)


def test_a_trusted_file_is_bound_too(scene):
    scene.workspace({"read": [os.fspath(scene.tree)]})
    assert scene.pinfold("trust", "--workspace", scene.lab.ws).code == 0
    assert os.fspath(scene.tree) in readable(scene.explain())
    ban(scene, {"read": [os.fspath(scene.leaf)]})
    scene.refused(words=[".pinfold.json:1:11: read", "forbidden by"])
    ban(scene, {"read": True})
    scene.refused(words=[".pinfold.json:1:11: read", "forbidden by"])
