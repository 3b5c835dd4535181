"""Arguments are bytes: what is not UTF-8, what is empty, what is long arrives as it was given."""
import os

from workbench import PYTHON, box_argv, raw

ECHO = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
DIGEST = "import hashlib, os, sys; " \
    "print(hashlib.sha256(b'\\0'.join(map(os.fsencode, sys.argv[1:]))).hexdigest(), len(sys.argv))"


def legs(lab, code, words):
    """What a program says without a box and in it."""
    argv = [PYTHON, "-c", code, *words]
    return [raw(lab, line) for line in (lab.user.argv(argv), box_argv(lab, argv))]


def test_every_byte(lab):
    words = [bytes([b]) for b in range(1, 256)] + [bytes(range(1, 256)), b"\xff\xfe", "é".encode(), b"\xed\xa0\x80"]
    control, boxed = legs(lab, ECHO, words)
    assert control.stdout == b"\0".join(words)
    assert boxed.stdout == control.stdout and boxed.returncode == 0 and boxed.stderr == b""


def test_empty_words_and_newlines(lab):
    words = ["", "", "\n", "a\nb", " ", "", "--", "-", "-n", "*", "$(id)", "`id`", "\\", "'", '"', ""]
    control, boxed = legs(lab, ECHO, words)
    assert boxed.stdout == control.stdout == "\0".join(words).encode()


def test_two_megabytes_in_total(lab):
    """Just under what the kernel takes with this stack limit, in many words and in few long ones."""
    many = ["x" * 100 + str(i) for i in range(17_000)]
    long = [chr(97 + i % 26) * 130_000 for i in range(15)]
    for words in (many, long):
        assert sum(map(len, words)) > 1_700_000
        control, boxed = legs(lab, DIGEST, words)
        assert control.returncode == 0, control.stderr[-500:]
        assert boxed.returncode == 0 and boxed.stdout == control.stdout, boxed.stderr[-500:]


def test_two_megabytes_of_environment(lab):
    env = {f"LC_X{i}": "y" * 100_000 for i in range(15)}
    code = "import os; print(sum(len(v) for k, v in os.environ.items() if k.startswith('LC_X')))"
    argv = [PYTHON, "-c", code]
    for line in (lab.user.argv(argv), box_argv(lab, argv)):
        done = raw(lab, line, env=env)
        assert done.stdout == b"1500000\n", done.stderr[-500:]


def test_long_paths(lab):
    folder = lab.ws
    os.umask(0o022)
    fd = os.open(folder, os.O_RDONLY)
    try:   # deeper than one path can name from the root
        for _ in range(14):
            os.mkdir("d" * 250, dir_fd=fd)
            os.chown("d" * 250, lab.user.uid, lab.user.uid, dir_fd=fd)
            deeper = os.open("d" * 250, os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = deeper
        path = os.readlink(f"/proc/self/fd/{fd}")
        assert 3_500 < len(path) < 4_096
    finally:
        os.close(fd)
    done = raw(lab, box_argv(lab, ["pwd", "-P"]), cwd=path)
    assert done.returncode == 0 and done.stdout.decode().strip() == path, done
    done = raw(lab, box_argv(lab, ["true"], "--read", "/" + "x" * 5000))
    assert done.returncode == 125 and done.stderr.startswith(b"pinfold: ")


def test_descriptor_word_is_left_alone_where_it_is_no_pipe(lab):
    """Words that look like /dev/fd/N but name no pipe of the caller's arrive as they are."""
    done = raw(lab, box_argv(lab, ["printf", "%s\n", "/dev/fd/77", "/dev/fd/", "/dev/fd/x", "/dev/fd/0"]))
    assert done.returncode == 0 and done.stdout == b"/dev/fd/77\n/dev/fd/\n/dev/fd/x\n/dev/fd/0\n", done
