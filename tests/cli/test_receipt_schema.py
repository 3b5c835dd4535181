"""Every outcome, and that its receipt is as the schema has it; what the schema turns away."""
import copy
import json
import os
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

import receipts
from workbench import PATH, box_argv, end, eventually, raw, started

SLEEP = ["sleep", "30"]


def straight(argv, *options):
    return lambda lab, path: lab.run(argv, "--receipt", path, *options, env={"PATH": PATH})


def not_executable(lab, path):
    lab.file(lab.ws / "plain")
    lab.run(["./plain"], "--receipt", path)


def refused(lab, path):
    limit = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
    ids = [f"--map-user={lab.user.uid}", f"--map-group={lab.user.uid}", "--keep-caps"]
    line = ["unshare", "--user", *ids, "sh", "-ec", limit, "sh", lab.pinfold, "run",
            "--workspace", lab.ws, "--receipt", path, "--", "true"]
    lab.plain(line)


def terminated(lab, path):
    """Told to end, with a command that won't."""
    stubborn = ["sh", "-c", "trap '' TERM; : >ready; while :; do sleep .05; done"]
    with started(lab, stubborn, "--receipt", path, "--grace", "100ms") as process:
        assert eventually((lab.ws / "ready").exists)
        end(process, signal.SIGTERM)


def box_killed(lab, path):
    """From outside, by the end of its pid 1."""
    with started(lab, ["sh", "-c", ": >ready; sleep 30"], "--receipt", path) as process:
        assert eventually((lab.ws / "ready").exists)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        init = [pid for pid in children if Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        os.kill(int(init[0]), signal.SIGKILL)
        process.wait(20)


def pinfold_killed(lab, path):
    with started(lab, SLEEP, "--receipt", path) as process:
        assert eventually(path.exists)
        end(process)


OUTCOMES = {
    "exited": straight(["sh", "-c", "exit 3"]), "signalled": straight(["sh", "-c", "kill -ABRT $$"]),
    "timeout": straight(SLEEP, "--timeout", "100ms"), "terminated": terminated, "killed": pinfold_killed,
    "killed, pinfold alive": box_killed, "not-found": straight(["no-such-program"]), "not-executable": not_executable,
    "refused": refused, "usage": straight(["true"], "--timeout", "soon"),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_outcome(lab, outcome):
    path = lab.outside / "r.json"
    OUTCOMES[outcome](lab, path)
    assert receipts.read(path)["outcome"] == outcome.partition(",")[0]


def test_every_outcome_of_the_schema_is_seen_here():
    schema = receipts.validator().schema
    assert {name.partition(",")[0] for name in OUTCOMES} == set(schema["properties"]["outcome"]["enum"])


def test_bytes_waivers_and_descriptors(lab):
    """The rarer forms: words that are no UTF-8, a waiver, a passed descriptor, limits, a limited output."""
    _, receipt = lab.receipt(["sh", "-c", "head -c 9000 /dev/zero", os.fsdecode(b"\xff")], "--waive", "ipc", "--grace", "1s",
                             "--timeout", "9s", "--output-limit", "1K", "--env", "A=b", env={"PATH": PATH})
    assert receipt["confined"] == "waived" and receipt["command"][-1] == {"hex": "ff"}
    reader, writer = os.pipe()
    path = lab.outside / "r.json"
    done = raw(lab, box_argv(lab, ["true"], "--fd", str(reader), "--receipt", path), pass_fds=[reader])
    os.close(reader), os.close(writer)
    assert done.returncode == 0 and [d["number"] for d in receipts.read(path)["descriptors"]] == [0, 1, 2, reader]


def changes(receipt):
    """Receipts that tell something else than pinfold does, each with one thing changed."""
    def changed(*keys, value=None, drop=False):
        other = copy.deepcopy(receipt)
        inner = other
        for key in keys[:-1]:
            inner = inner[key]
        if drop:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = value
        return other

    yield from (changed(key, drop=True) for key in receipt)
    yield from (changed(key, value=None) for key in receipt)
    yield from (changed(key, value="other") for key in ("outcome", "confined", "backend", "policy_digest", "receipt"))
    yield from (changed(*keys, value=1) for keys in (("new",), ("host", "new"), ("ids", "new"), ("limits", "new"),
                                                      ("environment", "new"), ("guarantees", "fs-reed")))
    yield changed("guarantees", "ipc", drop=True)
    yield changed("guarantees", "ipc", "state", value="missing")
    yield changed("confined", value="unsafe")
    yield changed("confined", value="not-started")
    yield changed("confined", value="unknown")
    yield changed("outcome", value="usage")
    yield changed("outcome", value="refused")
    yield changed("outcome", value="signalled")
    yield changed("signal", value=9)
    yield changed("exit", value=-1)
    yield changed("exit", value="0")
    yield changed("wall_us", value=-1)


def test_schema_turns_away_what_pinfold_does_not_say(lab):
    _, receipt = lab.receipt(["true"])
    for wrong in changes(receipt):
        with pytest.raises(jsonschema.ValidationError):
            receipts.validator().validate(wrong)


def test_schema_is_closed():
    """No object in it takes a field that it doesn't name."""
    def objects(node, where):
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield where, node
            for key, inner in node.items():
                yield from objects(inner, f"{where}/{key}")
        elif isinstance(node, list):
            for number, inner in enumerate(node):
                yield from objects(inner, f"{where}/{number}")

    found = list(objects(json.loads(receipts.SCHEMA.read_text()), ""))
    assert len(found) > 10
    maps = [where for where, node in found if node.get("additionalProperties") is not False]
    assert maps == ["/properties/host/properties/missing"], maps


def test_receipt_of_a_command_line_that_is_wrong_is_whole(lab):
    path = lab.outside / "r.json"
    done = subprocess.run(lab.user.argv([lab.pinfold, "run", "--receipt", path, "--reed", "/x"]), cwd=lab.ws,
                          env=lab.environment(), capture_output=True, text=True)
    receipt = receipts.read(path)
    assert done.returncode == 125 == receipt["exit"] and receipt["error"] in done.stderr
