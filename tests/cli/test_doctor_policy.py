"""doctor and policies: it judges the policy that run would have, names what is wrong in a file, and goes on without it."""
import json
import os

import pytest


def doctor(lab, text, *options, **more):
    """What doctor says of a policy file given by --policy, and what run does with it."""
    path = lab.file(lab.home / "policy.json", text)
    ran = lab.plain([lab.pinfold, "run", "--policy", path, *options, "--", "true"], **more)
    told = lab.plain([lab.pinfold, "doctor", "--json", "--policy", path, *options], **more)
    assert told.err == "" and told.code == ran.code, (ran, told)
    return path, ran, json.loads(told.out)


@pytest.mark.parametrize("text, wanted", [
    ('{"raed": ["/x"]}', 'did you mean "read"'),
    ('{"waive": ["ipcs"]}', "ipc"),
    ('{"read": ', ""),
    ('{"read": ["/nowhere/at/all"]}', "/nowhere/at/all"),
])
def test_a_broken_file_is_named_with_its_place(lab, text, wanted):
    path, ran, told = doctor(lab, text)
    assert told["status"] == 125 and told["verdict"].startswith(f"not as it is asked for: {path}:1:"), told["verdict"]
    assert ran.err.removeprefix("pinfold: ").strip() in told["verdict"] and wanted in told["verdict"]
    assert told["instead"].startswith("tried with the built-in policy"), told["instead"]
    assert told["instead"].endswith(": every guarantee is held there") and told["complete"]


def test_what_a_policy_waives_is_named(lab):
    _, _, told = doctor(lab, '{"waive": ["ipc", "net-local"]}')
    assert told["status"] == 0
    assert told["verdict"] == "this policy starts here, with these guarantees given up by name: net-local, ipc"
    assert {name for name, one in told["guarantees"].items() if one["waived"]} == {"ipc", "net-local"}
    assert {one["state"] for one in told["guarantees"].values()} == {"held"}   # waiving switches nothing off


@pytest.mark.parametrize("profile", ["default", "readonly", "verify"])
def test_profiles(lab, profile):
    _, _, told = doctor(lab, "{}", "--profile", profile)
    assert told["status"] == 0 and told["verdict"] == "this policy starts here: every guarantee is held", told


def test_a_workspace_file_that_widens(lab):
    lab.file(lab.ws / ".pinfold.json", f'{{"read": ["{lab.outside}"]}}')
    told = lab.plain([lab.pinfold, "doctor", "--json"])
    report = json.loads(told.out)
    assert told.code == 125 and os.fspath(lab.ws / ".pinfold.json") + ":1:" in report["verdict"], report["verdict"]
    assert report["instead"] == "tried with the built-in policy instead: every guarantee is held there"
    assert report["workspace"] == os.fspath(lab.ws) and not report["temporary"]
