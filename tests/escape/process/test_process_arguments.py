"""The command and its arguments arrive byte by byte: 224."""
import pytest

ECHO = ["/usr/bin/python3", "-c",
        "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"]
CASES = {
    "options": ["--waive", "process", "--", "--fd", "-x", "-", "--workspace", "/", "--help", "--version"],
    "blanks": ["", " ", "\t", "a\nb", "\n", "", ""],
    "quotes": ["'", '"', "\\", "$(touch canary)", "`touch canary`", "*", "~", "%s%n", "\x1b[31m"],
    "bytes": ["\udcff\udcfe", "ünï", "\x01\x7f"],
    "looks-like-fd": ["/dev/fd/0x", "/dev/fd/", "/dev/fd/99999", "/dev/fd/-1"],
}


@pytest.mark.parametrize("name", CASES)
def test_e224_arguments_are_verbatim(lab, name):
    """Whatever stands after the command is the command's, as it was written."""
    words = CASES[name]
    outer, inner = lab.plain([*ECHO, *words]), lab.run([*ECHO, *words])
    assert outer.out.split("\0") == words, "control leg"
    assert (inner.code, inner.out, inner.err) == (0, outer.out, ""), inner
    assert not (lab.ws / "canary").exists()


def test_e224_two_megabytes(lab):
    """Arguments of 2 MB in all, the most that this host takes, arrive whole; the longest single one too."""
    size = 'import sys, zlib; d = "\\0".join(sys.argv[1:]).encode(); print(len(d), zlib.crc32(d))'
    for words in [[chr(97 + i) * 100_000 for i in range(20)], ["x" * 131_071], [str(i) for i in range(20_000)]]:
        argv = ["/usr/bin/python3", "-c", size, *words]
        outer = lab.plain(argv)
        assert outer.code == 0, "control leg"
        inner = lab.run(argv)
        assert (inner.code, inner.out) == (0, outer.out), inner.err[:500]


def test_e224_too_much_is_refused(lab):
    """What doesn't fit is said and not shortened: the host's own limit, or pinfold's word, and nothing runs."""
    marker = lab.ws / "marker"
    try:
        done = lab.run(["/bin/sh", "-c", '>"$0"', marker, *["x" * 131_000] * 15, "y" * 70_000])
    except OSError:
        return
    if done.code != 0:
        assert done.code in (125, 126) and not marker.exists() and done.err.startswith("pinfold: "), done


def test_e224_command_with_odd_name(lab):
    """A command whose name looks like an option or holds a newline is run after `--`, and without `--` is not."""
    for name in "--waive", "-x", "with\nnewline", "with space", "\udcff":
        lab.file(lab.ws / name, "#!/bin/sh\necho ran \"$1\"\n", 0o755)
        done = lab.run([f"{lab.ws}/{name}", "--fd"])
        assert (done.code, done.out) == (0, "ran --fd\n"), done
        path = f"{lab.ws}:/usr/bin:/bin"
        done = lab.plain([lab.pinfold, "run", "--workspace", lab.ws, "--env", f"PATH={path}", "--", name, "a"],
                         env={"PATH": path})
        assert done.code in (0, 127) and (done.code or done.out == "ran a\n"), done
