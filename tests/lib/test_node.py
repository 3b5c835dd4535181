"""examples/pinfold.mjs, the module for Node: by the program alone, with a receipt, and tied."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from harness import ROOT

sys.path.insert(0, os.fspath(ROOT / "tests" / "degrade"))
from survivors import Watch  # noqa: E402


@pytest.fixture
def node(lab):
    """node(script): run it with the module imported; the module is where every user can read it."""
    module = lab.file(lab.outside / "pinfold.mjs", (ROOT / "examples" / "pinfold.mjs").read_text())

    def argv(script):
        head = f"import {{ run, start }} from {os.fspath(module)!r};\nconst program = {os.fspath(lab.pinfold)!r};\n"
        return ["node", "--input-type=module", "-e", head + script]
    return argv


def test_run(lab, node):
    result = lab.plain(node("""
const done = await run(["sh", "-c", "echo out; echo err >&2; ls /proc/self/fd | tr '\\\\n' ' '; exit 3"], { program });
console.log(JSON.stringify([done.exit, done.stdout.toString(), done.stderr.toString(), done.receipt.outcome,
    done.receipt.confined, done.receipt.exit]));
"""))
    assert result.err == "", result
    assert json.loads(result.out) == [3, "out\n0 1 2 3 ", "err\n", "exited", "full", 3]


def test_refusals_and_signals(lab, node):
    result = lab.plain(node("""
const said = [];
for (const options of [["--workspace", "/"], ["--nonsense"]]) {
    const done = await run(["touch", "mark"], { program, options });
    said.push([done.exit, done.receipt.outcome, done.receipt.confined]);
}
const started = start(["sh", "-c", "echo up; sleep 60"], { program });
await new Promise(resolve => started.child.stdout.once("data", resolve));
started.kill("SIGTERM");
said.push([(await started.done).exit]);
const killed = start(["sh", "-c", "echo up; sleep 60"], { program });
await new Promise(resolve => killed.child.stdout.once("data", resolve));
killed.child.kill("SIGKILL");
const done = await killed.done;
said.push([done.exit, done.receipt]);
try { await run(["true"], { program: "/no/such" }); } catch (error) { said.push(error.code); }
try { await run(["true"], { program, folder: "/no/folder" }); } catch (error) { said.push(error.code, error.path); }
console.log(JSON.stringify(said));
"""))
    assert result.err == "", result
    assert json.loads(result.out) == [[125, "usage", "not-started"], [125, "usage", "not-started"], [143], [137, None], "ENOENT",
                                       "ENOENT", "/no/folder"]
    assert not (lab.ws / "mark").exists()


def test_as_a_program(lab):
    module = lab.file(lab.outside / "pinfold.mjs", (ROOT / "examples" / "pinfold.mjs").read_text())
    result = lab.plain(["node", module, "--program", lab.pinfold, "sh", "-c", "echo hi; exit 5"])
    assert json.loads(result.out) == {"exit": 5, "outcome": "exited", "confined": "full", "stdout": "hi\n", "stderr": ""}


def test_the_end_of_node_is_the_end_of_the_box(lab, node):
    argv = lab.user.argv(node("""
const started = start(["sh", "-c", "trap '' TERM HUP; echo up; while :; do sleep 0.05; done"], { program });
started.child.stdout.once("data", () => console.log("up"));
"""))
    with Watch(lab) as watch, subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL,
                                               stdout=subprocess.PIPE) as held:
        assert held.stdout.readline() == b"up\n"
        time.sleep(0.1)
        assert len(watch.alive()) >= 4   # control: node, pinfold, init, command
        held.send_signal(signal.SIGKILL)
        held.wait(timeout=10)
        assert watch.problems() == []
