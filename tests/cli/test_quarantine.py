"""pinfold quarantine: what was put aside is listed, shown, taken back and removed."""
import os
import stat

import pytest

from places import clear
from settling import INIT, on_tmpfs, settling, text_of  # noqa: F401 (a fixture)

NASTY = ["with space", "new\nline", "esc\x1b[31m", "caf\udce9", "tab\t'\"$x"]
MAKE = """
import os, sys
for name in sys.argv[1:]:
    os.makedirs(name + '/.git/hooks')
    with open(name + '/.git/hooks/pre-commit', 'w') as f: f.write('#!/bin/sh\\n\\x1b[2J\\ttext\\0 of it\\nlast')
    os.chmod(name + '/.git/hooks/pre-commit', 0o751)
"""


def make(settling, *names):
    """{name: id in the quarantine} of hooks in folders of these names."""
    receipt = settling.run(["/usr/bin/python3", "-c", MAKE, *names])
    rows = settling.aside(receipt)
    assert set(rows) == {f"{name}/.git/hooks/pre-commit" for name in names}, receipt["settlement"]
    return {path.removesuffix("/.git/hooks/pre-commit"): row["quarantine"] for path, row in rows.items()}


def ok(settling, *words):
    result = settling.quarantine(*words)
    assert result.code == 0 and result.err == "", result
    return result.out


def refused(settling, *words, said=()):
    result = settling.quarantine(*words)
    assert result.code == 125 and result.out == "" and result.err.count("\n") == 1, result
    for word in said:
        assert word in result.err, f"{word!r} is not in: {result.err}"


def test_list_and_show(lab, settling):
    """As text, which no name can break, and as JSON, which has each name as it is."""
    ids = make(settling, *NASTY)
    rows = {row["id"]: row for row in settling.list()}
    for name, id in ids.items():
        row = rows[id]
        assert text_of(row["path"]) == f"{lab.ws}/{name}/.git/hooks/pre-commit" and row["kind"] == "file" and row["size"] == 31
        assert "hook" in row["why"]
        shown = ok(settling, "show", id)
        assert shown.startswith(f"{id}  file, 31 bytes\n  path ") and "\x1b" not in shown and "\n  kept as /" in shown
        assert shown.endswith("  | #!/bin/sh\n  | \\x1b[2J text  of it\n  | last\n"), shown
    text = ok(settling, "list")
    assert "\x1b" not in text and all(f"\n{id}  file, 31 bytes\n" in "\n" + text for id in ids.values())
    assert ok(settling, "--json", "list") == ok(settling, "list", "--json")


def test_show_folders_and_links(lab, settling):
    """A folder's entries; where a link leads to."""
    receipt = settling.run(f"mkdir .vscode .idea; touch '.vscode/a b' .vscode/tasks.json; {INIT} x; rm -r x/.git; ln -s 'a\nb' x/.git")
    ids = {path: row["quarantine"] for path, row in settling.aside(receipt).items()}
    assert sorted(ok(settling, "show", ids[".vscode"]).splitlines()[-2:]) == ["  | a b", "  | tasks.json"]
    assert "folder, " in ok(settling, "show", ids[".idea"])
    assert ok(settling, "show", ids["x/.git"]).endswith("  leads to a\\x0ab\n") or "leads to a\\nb\n" in ok(settling, "show", ids["x/.git"])


def test_restore(lab, settling):
    """It is where it was, with its mode and content; the next run leaves it there."""
    ids = make(settling, *NASTY)
    before = len(settling.list())
    out = ok(settling, "restore", *ids.values())
    assert out.count(" is where it was\n") == len(ids) and "\x1b" not in out
    for name in NASTY:
        hook = os.fsencode(lab.ws) + b"/" + os.fsencode(name) + b"/.git/hooks/pre-commit"
        assert stat.S_IMODE(os.stat(hook).st_mode) == 0o751 and os.stat(hook).st_uid == lab.user.uid
    assert len(settling.list()) == before - len(ids)
    refused(settling, "restore", next(iter(ids.values())), said=["there is no "])
    assert not settling.found(settling.run("true"))


def test_restore_to_an_occupied_place(lab, settling):
    """Nothing is overwritten, whatever is there; and where the folder is gone nothing is made."""
    id = make(settling, "r")["r"]
    hook = lab.ws / "r/.git/hooks/pre-commit"
    for put in (lambda: lab.file(hook, "new\n"), hook.mkdir, lambda: hook.symlink_to("/nonexistent")):
        put()
        refused(settling, "restore", id, said=[os.fspath(hook), "something else is there now"])
        assert os.path.lexists(hook)
        hook.rmdir() if hook.is_dir() else hook.unlink()
    clear(lab.ws)
    refused(settling, "restore", id, said=["the folder that it was in is not there"])
    (lab.ws / "r").symlink_to(lab.outside)
    lab.file(lab.outside / ".git/hooks/x")
    refused(settling, "restore", id, said=["the folder that it was in is not there"])
    assert [row["id"] for row in settling.list()] == [id] and not (lab.outside / ".git/hooks/pre-commit").exists()


def test_remove(lab, settling):
    """For good, a folder with what is in it, closed ones too; its run's folder goes with the last."""
    receipt = settling.run("mkdir -p .vscode/a/b .idea; touch .vscode/a/b/c; chmod 0 .vscode/a/b; chmod 0500 .vscode/a")
    ids = [row["quarantine"] for row in settling.aside(receipt).values()]
    place = settling.kept(ids[0]).parent
    assert place.is_dir() and stat.S_IMODE(place.stat().st_mode) == 0o700
    out = ok(settling, "remove", ids[0])
    assert out.endswith(" is removed\n") and place.is_dir() and len(settling.list()) == 1
    ok(settling, "remove", ids[1])
    assert not place.exists() and settling.list() == []


def test_wrong_words(lab, settling):
    """What is misspelt is told with the nearest right thing; nothing is done of a line that is wrong in part."""
    id = make(settling, "a")["a"]
    refused(settling, said=["type list, show ID, restore ID or remove ID"])
    refused(settling, "lst", said=["did you mean list?"])
    refused(settling, "restor", id, said=["did you mean restore?"])
    refused(settling, "list", id, said=["takes no id"])
    refused(settling, "show", said=["takes the ids"])
    refused(settling, "remove", id, id[:-1] + "7", said=[f"did you mean {id}?"])
    refused(settling, "show", "\x1b[2J\n", said=["there is no \\x1b[2J"])
    refused(settling, "show", "../../x/1", said=["there is no "])
    refused(settling, "--jsn", "list", said=["--json"])
    assert [row["id"] for row in settling.list()] == [id]
    assert "quarantine" in ok(settling, "--help")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_across_file_systems(lab, settling, kind):
    """A workspace on another file system than the quarantine: what is put aside is copied, and copied back."""
    place = lab.scratch.path / "disk"
    place.mkdir()
    lab.own(place)
    name = {"file": "r/.git/hooks/pre-commit", "folder": ".vscode"}[kind]
    made = {"file": f"{INIT} r; echo x >r/.git/hooks/pre-commit; chmod 751 r/.git/hooks/pre-commit",
            "folder": "mkdir -p .vscode/d; echo x >.vscode/d/f; ln -s d/f .vscode/l; mkfifo .vscode/p; chmod 500 .vscode/d"}[kind]
    script = f"""
P={lab.pinfold}; cd {place}
$P run -- sh -c '{made}' 2>told || exit 1
id=$(sed -n 's/.*quarantine show //p' told); [ -n "$id" ] || exit 2
[ ! -e {name} ] || exit 3
$P quarantine show $id || exit 4
mkdir -p other; $P quarantine restore $id || exit 5
ls -lR {name}; [ -e {name} ] || exit 6
"""
    done = on_tmpfs(lab, place, script)
    assert done.returncode == 0, done
    assert "-rwxr-x--x" in done.stdout if kind == "file" else "l -> d/f" in done.stdout and "dr-x------" in done.stdout, done
