"""pinfold path: what it says of a path is what a command in the box meets. Random paths are held against the box."""
import json
import os
import random
import subprocess

import pytest

from random_paths import Tree, in_the_box
from workbench import PATH

ACCESSES = ("read", "write")


def path(lab, access, *paths, options=(), binary=None, env=None, **more):
    line = [binary or lab.pinfold, "path", "--workspace", lab.ws, *options, access, *paths]
    return lab.plain(line, env={"PATH": PATH, **(env or {})}, **more)


def answers(lab, access, *paths, options=()):
    result = path(lab, access, *paths, options=["--json", *options])
    assert result.code in (0, 1) and result.err == "", result
    return json.loads(result.out)["paths"]


def answer(lab, access, one, *options):
    return answers(lab, access, one, options=options)[0]


def test_each_verdict_is_one_line(lab):
    lab.file(lab.ws / "a"), lab.file(lab.outside / "b")
    result = path(lab, "read", "a", lab.outside / "b", "/tmp", "/no/such")
    verdicts = [line.split()[0] for line in result.out.splitlines()]
    assert (verdicts, result.code, result.err) == (["allowed", "denied", "private", "absent"], 1, "")
    assert result.out.splitlines()[1].endswith(f"; --read {lab.outside / 'b'}")
    assert path(lab, "read", "a", ".", "/etc/passwd").code == 0


def test_what_is_in_the_answers(lab):
    lab.file(lab.outside / "b")
    (lab.ws / "link").symlink_to(lab.outside / "b")
    one = answer(lab, "read", "link")
    assert list(one) == ["path", "access", "verdict", "error", "leads_to", "why", "grant"]
    assert one == {"path": "link", "access": "read", "verdict": "denied", "error": "ENOENT", "leads_to": None,
                   "why": "the box has a /var/tmp of its own (private)",
                   "grant": {"option": "--read", "value": os.fspath(lab.outside / "b")}}
    one = answer(lab, "write", "link", "--write", lab.outside)
    assert (one["verdict"], one["leads_to"], one["why"]) == ("allowed", os.fspath(lab.outside / "b"), None)


@pytest.mark.parametrize("access", ACCESSES)
def test_the_grant_that_is_named_allows_it(lab, access):
    """Also for a file that isn't there yet: then its folder."""
    file = lab.file(lab.outside / "folder" / "file")
    for one in (file, file.parent, file.parent / "new", lab.ws):
        for mode in ("direct", "readonly"):
            grant = answer(lab, access, one, "--mode", mode)["grant"]
            if grant:
                options = ["--mode", mode] if grant["option"] != "--mode" else []
                again = answer(lab, access, one, *options, grant["option"], grant["value"])
                assert again["verdict"] in ("allowed", "absent"), (one, grant, again)


def test_no_grant_is_named_that_would_be_refused(lab):
    lab.file(lab.outside / "policy.json", json.dumps({"never": {"read": [os.fspath(lab.outside)]}}))
    lab.file(lab.outside / "b")
    policy = ["--policy", lab.outside / "policy.json"]
    assert answer(lab, "read", lab.outside / "b")["grant"]   # control
    for access, one, options in (("read", lab.outside / "b", policy), ("write", "/usr/bin/env", []),
                                 ("write", "/etc/new", []), ("write", lab.home / "new", [])):
        found = answer(lab, access, one, *options)
        assert found["verdict"] in ("denied", "private") and found["grant"] is None, found


def test_modes(lab):
    lab.file(lab.ws / "a")
    found = {mode: answer(lab, "write", "a", "--mode", mode) for mode in ("direct", "discard", "readonly")}
    assert {mode: one["verdict"] for mode, one in found.items()} == {"direct": "allowed", "discard": "private",
                                                                     "readonly": "denied"}
    assert found["readonly"]["grant"] == {"option": "--mode", "value": "direct"}


def test_nothing_is_changed_or_waited_for(lab):
    """Not a byte, a name, or a time; a FIFO without another end, and a full one, are no reason to wait."""
    names = [lab.file(lab.ws / name) for name in ("a", "sub/b")]
    os.mkfifo(lab.ws / "fifo"), lab.own(lab.ws / "fifo")
    (lab.ws / "dangling").symlink_to("sub/made")
    state = lambda: sorted((os.fspath(p), os.lstat(p).st_mtime_ns, os.lstat(p).st_ctime_ns)
                           for p in [lab.ws, *lab.ws.rglob("*")])
    before = state()
    asked = [*names, "fifo", "dangling", "new", "sub/new", "sub", "."]
    for mode in ("direct", "discard"):
        for access in ACCESSES:
            answers(lab, access, *asked, options=["--mode", mode])
    assert state() == before
    assert [one["verdict"] for one in answers(lab, "write", *asked)] == ["allowed"] * len(asked)


def test_names_of_every_kind(lab):
    """Spaces, newlines, escape sequences, bytes that are no UTF-8, the longest name, a path that is too long."""
    names = [b"a b", b"line\nbreak", b"\x1b[31m", b"\xff\xfe", b"n" * 255, b"*", b"-x"]
    for name in names:
        lab.file(os.fsdecode(os.path.join(os.fsencode(lab.ws), name)))
    words = [os.fsdecode(os.path.join(os.fsencode(lab.ws), name)) for name in names]
    found = answers(lab, "write", *words)
    assert [one["verdict"] for one in found] == ["allowed"] * len(names)
    assert found[3]["path"] == {"hex": os.fsencode(words[3]).hex()} == found[3]["leads_to"]
    text = path(lab, "read", *words)
    assert text.code == 0 and len(text.out.splitlines()) == len(names) and "\x1b" not in text.out
    for word, error in (("n" * 256, "ENAMETOOLONG"), ("n/" * 2200, "ENAMETOOLONG"), ("-x", None)):
        assert answer(lab, "write", word)["error"] == error


@pytest.mark.parametrize("words, says", [
    ([], "neither read nor write"), (["read"], "no path"), (["raed", "x"], "did you mean read?"),
    (["read", ""], "the path is empty"), (["--reed", "x", "read", "a"], "did you mean --read?"),
    (["--read", "/no/such", "read", "a"], "name a path that exists")])
def test_wrong_use(lab, words, says):
    result = lab.plain([lab.pinfold, "path", "--workspace", lab.ws, *words], env={"PATH": PATH})
    assert result.code == 125 and says in result.err and result.err.count("\n") == 1 and result.out == "", result


def test_no_answer_where_there_would_be_no_box(lab):
    degrade = [lab.attacker.parent / "degrade", "landlock_create_ruleset=ENOSYS", "--"]
    line = [*degrade, lab.pinfold, "path", "--workspace", lab.ws]
    result = lab.plain([*line, "read", "."], env={"PATH": PATH})
    assert result.code == 126 and result.out == "" and "fs-write" in result.err, result
    result = lab.plain([*line, "--waive", "fs-write", "read", "."], env={"PATH": PATH})
    assert result.code == 0, result


def test_output_that_cannot_be_written(lab):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(lab.user.argv([lab.pinfold, "path", "--workspace", lab.ws, "read", "."]), cwd=lab.ws,
                              env=lab.environment(), stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert done.returncode == 125 and b"could not be written" in done.stderr


@pytest.mark.parametrize("count", [pytest.param(250, id="some"), pytest.param(10000, marks=pytest.mark.slow, id="many")])
@pytest.mark.parametrize("mode", ["direct", "discard", "readonly"])
def test_random_paths_as_the_box_has_them(lab, mode, count):
    """Through symlinks, "..", missing parts, folders and files of every mode: what is called allowed works, and what
    is called denied doesn't."""
    seed = os.environ.get("PINFOLD_SEED") or str(random.randrange(1 << 32))
    print(f"seed: PINFOLD_SEED={seed}")
    tree = Tree(lab, random.Random(f"{seed} {mode} {lab.user.uid}"))
    paths, options, wrong, verdicts = tree.paths(count), ["--mode", mode, "--read", tree.read], [], set()
    asked = {}
    for access in ACCESSES:
        asked[access] = []
        for at in range(0, count, 1000):
            asked[access] += answers(lab, access, *paths[at:at + 1000], options=options)
    met = in_the_box(lab, paths, tree.read, options)
    for at, (name, errors) in enumerate(zip(paths, met)):
        for access, error in zip(ACCESSES, errors):
            said = asked[access][at]
            verdicts.add((access, said["verdict"]))
            if (said["error"] is None) != (error is None) or (said["verdict"] in ("allowed", "private")) != (error is None):
                wrong.append((access, name, said, error))
    assert not wrong, wrong[:10]
    assert len(verdicts) >= 6, f"control leg: little was tried: {verdicts}"


def test_protected_paths_and_secrets(lab):
    """What is held, and what no box shows, with what opens it where something does."""
    lab.file(lab.ws / ".git" / "config"), lab.file(lab.ws / ".vscode" / "settings.json"), lab.file(lab.ws / "held")
    key = lab.file(lab.home / ".ssh" / "id_ed25519")
    (lab.ws / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name, options, grant in ((".git/config", [], {"option": "--git", "value": "writable"}),
                                 (".vscode/settings.json", [],
                                  {"option": "--write", "value": os.fspath(lab.ws / ".vscode" / "settings.json")}),
                                 ("held", ["--protect", lab.ws / "held"], None)):
        found = answer(lab, "write", name, *options)
        assert (found["verdict"], found["error"], found["grant"]) == ("denied", "EROFS", grant), found
        if grant:
            assert answer(lab, "write", name, grant["option"], grant["value"])["verdict"] == "allowed"
    result = path(lab, "read", key, env={"HOME": os.fspath(lab.home)})
    assert "one of the secrets" in result.out and "--read" not in result.out, result


def test_a_session_is_what_is_asked(lab):
    """In the kept folders, not in new ones."""
    kept = lab.run(["sh", "-c", ": >/tmp/kept; echo ran"], "--session", "one")
    if kept.code == 125:   # an account whose home isn't there
        assert kept.out == "" and "is not there" in kept.err and path(lab, "read", ".", options=["--session", "one"]).code == 125
        return
    assert (kept.code, kept.out) == (0, "ran\n"), kept
    assert answer(lab, "read", "/tmp/kept")["verdict"] == "absent"
    assert answer(lab, "read", "/tmp/kept", "--session", "one")["verdict"] == "private"
    lab.plain([lab.pinfold, "end", "--workspace", lab.ws, "one"])
