"""--deny and the key deny: what can be said, what is refused, and with which words."""
import json

import pytest

from workbench import PATH


def refused(lab, *options, status=125, **more):
    done = lab.run(["/bin/true"], *options, **more)
    assert done.code == status and done.out == "" and done.err.count("\n") == 1, done
    return done.err


CONTRADICTIONS = {
    "": "the path is empty", "{ws}": "is denied by --deny", ".": "is denied by --deny", "{ws}/..": "is denied by",
    "/": "is denied by", "/etc": "every box has /etc", "/us?": "every box has /usr", "{ws}/*.pem": "can't be held below",
    "{ws}/plain": "type --mode readonly", "{ws}/absent": "only folders that exist", "{ws}/link": "only folders that exist",
    "{outside}": "leave out one of them", "{outside}/..": "is denied by",
    "/**/x": "can't be held below", "{outside}/*/../x": "no .. in it",
}


@pytest.mark.parametrize("word", CONTRADICTIONS)
def test_what_can_not_be_denied(lab, word):
    lab.file(lab.ws / "plain")
    (lab.ws / "link").symlink_to("plain")
    told = refused(lab, "--read", lab.outside, "--deny", word.format(ws=lab.ws, outside=lab.outside))
    assert CONTRADICTIONS[word] in told


def test_what_is_not_shown_can_be_denied(lab):
    """Nothing is there to be kept from the box, so nothing is done; nor is anything made."""
    for word in ("/srv/none", "/home/*/x", lab.outside / "none", "none/../../none"):
        done = lab.run(["/bin/true"], "--deny", word, "--mode", "readonly")
        assert done.code == 0 and done.err == "", done
    assert not list(lab.outside.iterdir())


def test_too_much_to_look_at(lab):
    """Words that would make a start slow are refused, with what to do."""
    for name in range(210):
        folder = lab.outside / f"d{name}"
        folder.mkdir()
        for file in range(100):
            (folder / f"{file}").touch()
    told = refused(lab, "--read", lab.outside, "--deny", f"{lab.outside}/**/x")
    assert "more than 20000 entries" in told and "name a folder further down" in told
    told = refused(lab, "--read", lab.outside, "--deny", f"{lab.outside}/d1*/1*")
    assert "or 1000 paths" in told
    assert lab.run(["/bin/true"], "--read", lab.outside, "--deny", f"{lab.outside}/d1?/1?").code == 0
    done = lab.run(["/bin/sh", "-c", f"ls {lab.outside}/d*/*5 | wc -l"], "--read", lab.outside, "--deny",
                   f"{lab.outside}/d20?/**", env={"PATH": PATH})
    assert done.out.strip() == "2000", done   # 210 folders without ten of them, ten names in each
    assert lab.run(["/bin/true"], "--read", lab.outside, "--deny", f"{lab.outside}/d1/nowhere/**/x").code == 0


def test_too_many_words(lab):
    """The limits are for all words together, since anybody may have written the workspace's file."""
    lab.file(lab.ws / ".pinfold.json", json.dumps({"deny": [f"d{n}" for n in range(1001)]}))
    assert "more than 1000 paths" in refused(lab, "--mode", "readonly")
    for name in range(3000):
        (lab.ws / f"f{name}").touch()
    lab.file(lab.ws / ".pinfold.json", json.dumps({"deny": [f"{n}*" for n in range(500)]}))
    assert "more than 20000 entries" in refused(lab, "--mode", "readonly")


def test_a_folder_that_can_only_be_entered(lab):
    """Where names can't be listed and still be opened, nobody knows what a wildcard stands for."""
    lab.file(lab.outside / "in" / "k.pem")
    (lab.outside / "in").chmod(0o311)
    done = lab.run(["/bin/true"], "--read", lab.outside, "--deny", f"{lab.outside}/in/*.pem")
    assert done.code == (0 if lab.user.uid == 0 else 125), done
    assert lab.user.uid == 0 or "can't be listed" in done.err
    done = lab.run(["/bin/cat", lab.outside / "in" / "k.pem"], "--read", lab.outside, "--deny", lab.outside / "in" / "k.pem")
    assert done.code != 0 and "host" not in done.out, done


def test_current_folder(lab):
    lab.file(lab.outside / "in" / "f")
    told = refused(lab, "--read", lab.outside, "--deny", lab.outside / "in", cwd=lab.outside / "in")
    assert "the current folder" in told and "cd " in told


@pytest.mark.parametrize("mode", ["readonly", "discard"])
def test_the_workspace_may_deny(lab, mode):
    """Its own file can narrow: relative to the workspace, untrusted, and beside what stands on the command line."""
    for name in ("keys/k", "a.pem", "b.pem", "plain"):
        lab.file(lab.ws / name)
    lab.file(lab.ws / ".pinfold.json", json.dumps({"deny": ["keys", "*.pem"]}))
    done = lab.run(["/usr/bin/find", ".", "-type", "f"], "--mode", mode, "--deny", "plain", env={"PATH": PATH})
    assert done.out.split() == ["./.pinfold.json"], done


def test_policy_file(lab):
    """In an operator's file the place is named; ~ is the account's home."""
    lab.file(lab.ws / "plain")
    policy = lab.file(lab.scratch.path / "policy.json", json.dumps({"deny": [f"{lab.ws}/plain"]}))
    told = refused(lab, "--policy", policy)
    assert f"{policy}:1:11: deny" in told
    assert lab.run(["/bin/cat", "plain"], "--policy", policy, "--mode", "discard").code == 1


def test_explain(lab):
    """Paths that are there, or were named, are listed; the others of the floor are counted."""
    lab.file(lab.home / ".config" / "gh" / "hosts.yml")
    front = [lab.pinfold, "explain", "--workspace", lab.ws, "--read", lab.home / ".config", "--deny",
             lab.home / ".config" / "absent"]
    told = lab.plain(front).out
    assert f"{lab.home}/.config/gh  (built in, kept absent)" in told
    assert f"{lab.home}/.config/absent  (--deny, kept absent)" in told
    assert "built-in names that aren't there now" in told and "gcloud" not in told
    rows = json.loads(lab.plain([*front, "--json"]).out)["denied"]
    assert {"path": f"{lab.home}/.config/gcloud", "way": "absent", "why": "built in"} in rows
