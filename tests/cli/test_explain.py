"""pinfold explain: the plan in words and as JSON, and nothing started."""
import json
import os

from workbench import PATH, end, started

NAMES = ["fs-read", "fs-write", "fs-metadata", "fs-secret", "fs-protect", "fs-settle", "net-egress", "net-local", "unix-socket", "process", "ipc", "privilege",
         "kernel-surface", "environment", "descriptors", "no-survivors"]


def explain(lab, *words, env=None):
    line = [lab.pinfold, "explain", "--workspace", lab.ws, *words]
    return lab.plain(line, env={"PATH": PATH, **(env or {})})


def test_text_names_every_guarantee_and_root(lab):
    result = explain(lab, "--read", lab.outside, "--", "touch", "ran")
    assert result.code == 0 and result.err == ""
    assert [n for n in [*NAMES, os.fspath(lab.ws), os.fspath(lab.outside), "native"] if n not in result.out] == []
    assert not (lab.ws / "ran").exists()


def test_json(lab):
    words = ["--read", lab.outside, "--timeout", "5s", "--waive", "net-local", "--", "touch", "ran"]
    result = explain(lab, "--json", *words, env={"MY_TOKEN": "value-of-it"})
    plan = json.loads(result.out)
    assert result.code == 0 and result.err == "" and not (lab.ws / "ran").exists()
    assert list(plan["guarantees"]) == NAMES and plan["confined"] == "waived" and plan["backend"] == "native"
    assert plan["guarantees"]["net-local"]["state"] == "waived" and plan["guarantees"]["fs-read"]["state"] == "planned"
    mounts = {m["path"]: m for m in plan["mounts"]}
    assert mounts[os.fspath(lab.ws)]["writable"] and not mounts[os.fspath(lab.outside)]["writable"]
    assert plan["limits"]["timeout_ms"] == 5000
    assert "MY_TOKEN" in plan["environment"]["dropped"] and "value-of-it" not in result.out


def test_without_a_command(lab):
    for words in ([], ["--"], ["--json"]):
        result = explain(lab, *words)
        assert result.code == 0 and result.out, result


def test_says_no_where_run_would(lab):
    wrong = [["--read", "/no/such"], ["--write", "/"], ["--reed", "x"], ["--timeout", "x"], ["--receipt", "/tmp/x"]]
    for words in wrong:
        result = explain(lab, *words, "--", "true")
        assert result.code == 125 and result.err.startswith("pinfold: ") and result.out == "", result


def test_is_the_same_twice(lab):
    assert explain(lab, "--json", "--", "true").out == explain(lab, "--json", "--", "true").out


def test_plan_is_what_the_receipt_tells(lab):
    plan = json.loads(explain(lab, "--json", "--", "true").out)
    _, receipt = lab.receipt(["true"], env={"PATH": PATH})
    for key in ("backend", "host", "ids", "workspace", "folder", "home", "mounts", "environment", "limits"):
        assert plan[key] == receipt[key], key


def test_starts_nothing_and_changes_nothing(lab):
    """No process, no namespace, no file: strace sees no clone and no exec but explain's own."""
    log = lab.outside / "log"
    watched = "trace=clone,clone3,fork,vfork,execve,unshare,mount,open_tree,mkdir,mkdirat"
    line = ["strace", "-f", "-o", log, "-e", watched,
            lab.pinfold, "explain", "--workspace", lab.ws, "--", "touch", "ran"]
    result = lab.plain(line, env={"PATH": PATH})
    calls = [row for row in log.read_text().splitlines() if "(" in row and "+++" not in row]
    assert result.code == 0 and len(calls) == 1 and "execve" in calls[0], calls


def test_while_a_box_runs(lab):
    with started(lab, ["sleep", "20"]) as process:
        assert explain(lab, "--", "true").code == 0
        end(process)


def test_control_characters_in_paths_are_shown_harmless(lab):
    odd = lab.ws / "a\x1b[31m\nb"
    odd.mkdir()
    lab.own(odd)
    result = explain(lab, "--read", odd, "--", "true")
    assert result.code == 0 and "\x1b" not in result.out and "[31m\nb" not in result.out, result
