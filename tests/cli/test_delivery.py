"""Output that can't be delivered: said, never a silent success, and never a wait without end."""
import os
import shlex
import subprocess
import time

import pytest

import receipts
from workbench import box_argv, raw, run_with_mounts

FULL = "mkdir full; mount -t tmpfs -o size=4k t full; cd '{ws}'"
FILL = "dd if=/dev/zero bs=20000 count=1 status=none"   # one write that a pipe takes whole, so it never fails


def on_a_full_disk(lab, script, stream, *options):
    """Run a script in the box with one of its streams going to a file for which there is no room."""
    lab.own(lab.scratch.path)
    line = shlex.join(map(os.fspath, [lab.pinfold, "run", "--workspace", lab.ws, *options, "--", "sh", "-c", script]))
    redirect = f"{stream}>'{lab.scratch.path}/full/out'"
    return run_with_mounts(lab, FULL.format(ws=lab.ws), ["sh", "-c", f"{line} {redirect}"], cwd=lab.scratch.path)


def test_full_disk_is_125_and_said(lab):
    receipt = lab.scratch.path / "receipt.json"
    code, out, err = on_a_full_disk(lab, FILL, 1, "--receipt", receipt)
    assert code == 125 and out == "" and err.startswith("pinfold: ") and err.count("\n") == 1, (code, err)
    assert "output" in err and os.strerror(28) in err
    rows = {row["number"]: row["error"] for row in receipts.read(receipt)["output"]}
    assert rows[1] == "ENOSPC" and not rows.get(2), rows


def test_full_disk_for_errors_is_125_too(lab):
    assert on_a_full_disk(lab, FILL + " >&2", 2)[0] == 125   # there is no place for a message


def test_full_disk_keeps_the_commands_own_failure(lab):
    code, _, err = on_a_full_disk(lab, FILL + "; exit 3", 1)
    assert code == 3 and err.startswith("pinfold: "), (code, err)


def test_disk_with_room_is_no_failure(lab):
    assert on_a_full_disk(lab, "head -c 4000 /dev/zero", 1) == (0, "", "")


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_timeout_bounds_the_delivery(lab, size):
    """A reader that sleeps, after (300000 bytes: relayed and buffered) or before the command's end."""
    reader, writer = os.pipe()
    argv = box_argv(lab, ["head", "-c", str(size), "/dev/zero"], "--timeout", "500ms", "--grace", "100ms")
    begin = time.monotonic()
    try:
        done = raw(lab, argv, stdout=writer, timeout=20)
    except subprocess.TimeoutExpired:
        pytest.fail("it waits for the reader")
    finally:
        os.close(writer)
        os.close(reader)
    assert done.returncode == 124 and 0.5 <= time.monotonic() - begin < 4, done
