"""policy_digest and plan_digest: the same for the same policy however it was written, another for another; and anybody can
compute the second from what explain or a receipt tells."""
import hashlib
import json
import os

import pytest

import harness
from workbench import PATH, raw


def digest(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def recomputed(told):
    """As pinfold-receipt(5) says it."""
    covered = told["unix_sockets"]["covered"]
    return digest({
        **{key: told[key] for key in ("backend", "ids", "workspace", "folder", "home", "limits", "policy_digest")},
        "mounts": [{key: row[key] for key in ("kind", "path", "writable")} for row in told["mounts"]
                   if row["path"] not in covered],
        "denied": [{key: row[key] for key in ("path", "way")} for row in told["denied"]],
        "links": told["protected"]["links"],
        "unix_sockets": told["unix_sockets"]["granted"],
        "descriptors": [row for row in told["descriptors"] if row["number"] > 2],
        "environment": sorted(told["environment"]["kept"]),
        "layers": {name: one["layers"] for name, one in told["guarantees"].items()}})


def explain(lab, *words, env=None, cwd=None, workspace=True):
    front = ["--workspace", lab.ws] if workspace else []
    result = lab.plain([lab.pinfold, "explain", "--json", *front, *words], env={"PATH": PATH, **(env or {})}, cwd=cwd)
    assert result.code == 0, result
    told = json.loads(result.out)
    assert told["plan_digest"] == recomputed(told)
    return told


def policy(lab, *words, **more):
    return explain(lab, *words, **more)["policy_digest"]


def test_receipt_and_explain_agree(lab):
    """Also when the streams, the command and the variables that don't come in are others."""
    words = ["--read", lab.outside, "--timeout", "5s", "--env", "SEED=7"]
    told = explain(lab, *words, "--", "something", "else", env={"NOISE": "1"})
    _, receipt = lab.receipt(["true"], *words, env={"PATH": PATH, "OTHER": "2"})
    for one in (receipt, told):
        assert one["plan_digest"] == recomputed(one)
    assert (receipt["policy_digest"], receipt["plan_digest"]) == (told["policy_digest"], told["plan_digest"])
    line = [os.fspath(word) for word in (lab.pinfold, "run", "--workspace", lab.ws, *words, "--receipt",
                                         lab.outside / ".." / "piped.json", "--", "cat")]
    assert raw(lab, lab.user.argv(line), data=b"", env={"PATH": PATH}).returncode == 0
    piped = json.loads((lab.scratch.path / "piped.json").read_text())
    assert piped["plan_digest"] == told["plan_digest"]


def test_order_doubles_and_spelling_do_not_matter(lab):
    one, two = lab.outside / "one", lab.outside / "two"
    for folder in (one, two):
        folder.mkdir(), lab.own(folder)
    a = ["--read", one, "--read", two, "--write", lab.outside / "two", "--env", "A=1", "--env", "B", "--waive", "ipc",
         "--waive", "process", "--timeout", "60s"]
    b = ["--timeout=1m", "--waive", "process", "--env", "B", "--env", "A=1", f"--write={two}", "--waive", "ipc", "--read",
         "../outside/two", "--read", f"{one}/", "--read", one, "--env", "B"]
    one, other = explain(lab, *a), explain(lab, *b)
    assert (one["policy_digest"], one["plan_digest"]) == (other["policy_digest"], other["plan_digest"])


def test_what_is_overruled_does_not_matter(lab):
    assert policy(lab, "--env", "A=1", "--env", "A=2", "--timeout", "3s", "--timeout", "4s") == \
           policy(lab, "--env", "A=2", "--timeout", "4s")
    assert policy(lab, "--env", "A=1", "--env", "A") != policy(lab, "--env", "A")


def test_each_change_of_a_policy_changes_it(lab):
    inner = lab.ws / "inner"
    inner.mkdir(), lab.own(inner)
    base = ["--read", lab.outside]
    others = [[], ["--write", lab.outside], ["--read", lab.home], [*base, "--read", lab.home], [*base, "--env", "A"],
              [*base, "--env", "A=1"], [*base, "--env", "A=2"], [*base, "--env", "B=1"], [*base, "--waive", "ipc"],
              [*base, "--waive", "process"], [*base, "--waive", "ipc", "--waive", "process"], [*base, "--fd", "none"],
              [*base, "--timeout", "1s"], [*base, "--timeout", "2s"], [*base, "--grace", "1s"],
              [*base, "--output-limit", "1K"], [*base, "--backend", "native"], [*base, "--workspace", inner]]
    digests = [policy(lab, *words, cwd=inner) for words in (base, *others)]
    assert len(set(digests)) == len(digests)
    plans = [explain(lab, *words)["plan_digest"] for words in (base, *others[:-1])]
    assert len(set(plans)) == len(plans), "each is in the plan's digest too"


def test_mode_is_part_of_it(lab):
    assert policy(lab, "--mode", "direct") == policy(lab)


def test_current_folder_is_the_same_policy_everywhere(lab):
    """A workspace that nobody named: the same policy in each checkout, but another plan."""
    here, there = (explain(lab, workspace=False, cwd=folder) for folder in (lab.ws, lab.outside))
    assert here["policy_digest"] == there["policy_digest"] and here["plan_digest"] != there["plan_digest"]
    assert policy(lab) != here["policy_digest"]


def test_names_that_are_no_text(lab):
    odd = lab.outside / os.fsdecode(b"a\xff\xc3\xa9 ")
    odd.mkdir(), lab.own(odd)
    assert explain(lab, "--read", odd)["policy_digest"] == policy(lab, "--read", odd) != policy(lab)


def test_a_step_that_the_host_lacks_is_another_plan(lab):
    """What explain promised and what the run could do are told apart by the digest. (root in a user namespace of its own
    is no root that ids can be mapped for: users only.)"""
    if lab.user.uid == 0:
        return
    told = explain(lab, "--waive", "net-egress", "--waive", "net-local", "--waive", "unix-socket")
    path = lab.outside / "r.json"
    line = ["unshare", "--user", f"--map-user={lab.user.uid}", f"--map-group={lab.user.uid}", "--keep-caps", "sh", "-ec",
            'echo 0 >/proc/sys/user/max_net_namespaces; exec "$@"', "sh", lab.pinfold, "run", "--workspace", lab.ws,
            "--receipt", path]
    line += [word for name in ("net-egress", "net-local", "unix-socket") for word in ("--waive", name)] + ["--", "true"]
    result = lab.plain(line, env={"PATH": PATH})
    receipt = json.loads(path.read_text())
    assert result.code == 0 and receipt["host"]["missing"] == {"net-namespace": "ENOSPC"}, (result, receipt)
    assert receipt["policy_digest"] == told["policy_digest"] and receipt["plan_digest"] == recomputed(receipt)
    assert receipt["plan_digest"] != told["plan_digest"]


@pytest.mark.skipif(not (harness.ROOT / "src" / "policy" / "reader.c").exists(), reason="no policy files in this version")
def test_policy_file_and_options_are_the_same(lab):
    one, two = lab.outside / "one", lab.outside / "two"
    for folder in (one, two):
        folder.mkdir(), lab.own(folder)
    file = lab.file(lab.home / "policy.json", json.dumps({
        "timeout": "60s", "waive": ["process", "ipc"], "env": ["B", "A=1"], "write": [os.fspath(two)],
        "read": [os.fspath(two), os.fspath(one)]}), 0o600)
    words = ["--read", one, "--read", two, "--write", two, "--env", "A=1", "--env", "B", "--waive", "ipc", "--waive",
             "process", "--timeout", "1m"]
    told = explain(lab, *words)
    assert explain(lab, "--policy", file)["policy_digest"] == told["policy_digest"]
    assert explain(lab, "--policy", file)["plan_digest"] == told["plan_digest"]
    assert policy(lab, "--policy", file, "--read", lab.home) != told["policy_digest"]
