"""--output-limit: head and tail arrive, the middle is counted, and memory stays flat however much is printed."""
import re
import resource
import subprocess

import pytest

from workbench import PATH, PYTHON, box_argv, raw


def limited(lab, script, limit):
    done = raw(lab, box_argv(lab, ["sh", "-c", script], "--output-limit", limit), timeout=120)
    return done


def test_below_the_limit_nothing_changes(lab):
    for size in (0, 1, 9_999, 10_000):
        done = limited(lab, f"head -c {size} /dev/zero; head -c {size} /dev/zero >&2; exit 4", "10000")
        assert (done.returncode, done.stdout, done.stderr) == (4, b"\0" * size, b"\0" * size), size


def split(text):
    """(head, number that the note between head and tail tells, tail)."""
    found = re.search(rb"\n?[^\n]*pinfold[^\n]*?(\d+)[^\n]*\n", text)
    assert found, text[:300]
    return text[:found.start()], int(found.group(1)), text[found.end():]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_head_and_tail_are_kept_and_the_middle_counted(lab, stream):
    whole = "".join(f"{i:07d}\n" for i in range(100_000)).encode()
    script = "seq -f %07.0f 0 99999" + (" >&2" if stream == "stderr" else "")
    done = limited(lab, script, "8000")
    text = getattr(done, stream)
    head, left_out, tail = split(text)
    assert done.returncode == 0 and len(text) < 8_000 + 300
    assert whole.startswith(head) and whole.endswith(tail) and len(head) > 1_000 and len(tail) > 1_000
    assert 0 <= len(whole) - len(head) - len(tail) - left_out <= 1 and len(head) + len(tail) <= 8_000


def test_one_byte_over(lab):
    done = limited(lab, "head -c 10001 /dev/zero | tr '\\0' x", "10000")
    head, left_out, tail = split(done.stdout)
    assert left_out >= 1 and len(head) + len(tail) + left_out == 10_001


def test_each_stream_has_its_own(lab):
    done = limited(lab, "head -c 50000 /dev/zero | tr '\\0' e >&2; echo short", "1000")
    assert done.stdout == b"short\n" and 900 <= len(done.stderr) <= 1_300


def test_receipt_counts(lab):
    result, receipt = lab.receipt(["sh", "-c", "head -c 50000 /dev/zero"], "--output-limit", "1000", env={"PATH": PATH})
    one = [o for o in receipt["output"] if o["number"] == 1][0]
    assert result.code == 0 and one["bytes"] == 50_000 and 49_000 <= one["left_out"] <= 50_000


def test_memory_is_flat(lab):
    """200 MB through a limit of 64 KB: no process of pinfold's grows."""
    code = """if True:
        import subprocess, resource, sys
        p = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        data = p.stdout.read(); code = p.wait()
        print(code, len(data), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        """
    box = [lab.pinfold, "run", "--workspace", lab.ws, "--output-limit", "64K", "--", "sh", "-c",
           "head -c 200000000 /dev/zero | tr '\\0' x; exit 6"]
    done = raw(lab, lab.user.argv([PYTHON, "-c", code, *box]), timeout=120)
    status, size, peak_kib = map(int, done.stdout.split())
    assert status == 6 and 60_000 < size < 67_000
    assert peak_kib < 24_000, f"{peak_kib} KiB"


def test_memory_is_flat_without_a_limit_and_a_slow_reader(lab):
    line = box_argv(lab, ["sh", "-c", "head -c 50000000 /dev/zero"])
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=lab.ws,
                               env=lab.environment({"PATH": PATH}))
    try:
        process.wait(1.5)
    except subprocess.TimeoutExpired:
        pass
    status = open(f"/proc/{process.pid}/status").read()
    assert int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) < 24_000
    assert len(process.stdout.read()) == 50_000_000 and process.wait(20) == 0
    process.stdout.close()


def test_limit_on_a_command_that_is_ended(lab):
    done = raw(lab, box_argv(lab, ["yes"], "--output-limit", "1K", "--timeout", "500ms"), timeout=20)
    head, left_out, tail = split(done.stdout)
    assert done.returncode == 124 and left_out > 0 and set(head + tail) == set(b"y\n")


@pytest.mark.parametrize("value,size", [("2K", 2048), ("1M", 1 << 20)])
def test_units(lab, value, size):
    done = limited(lab, f"head -c {size} /dev/zero", value)
    assert done.stdout == b"\0" * size
    done = limited(lab, f"head -c {3 * size} /dev/zero", value)
    assert size - 300 <= len(done.stdout) <= size + 300


def test_file_size_limit_of_the_caller_counts_too(lab):
    """A caller with a limit on file sizes gets no output in place of it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    target = lab.outside / "out"
    with open(target, "wb") as out:
        done = raw(lab, box_argv(lab, ["sh", "-c", "head -c 100000 /dev/zero; echo after >&2"]), stdout=out,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1])))
    assert target.stat().st_size == 4096 and done.returncode >= 0, done
