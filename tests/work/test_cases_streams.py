"""Streams and descriptors: process substitution, standard links, here-documents, nothing inherited by accident."""
import os
import shutil

import pytest

from workbench import PATH, PYTHON, box_argv, keeps, raw


@pytest.mark.parametrize("shell", ["bash", "sh", "zsh"])
def test_here_documents_of_200_kb(lab, shell):
    assert shutil.which(shell), f"{shell} is missing"
    lab.file(lab.ws / "big.sh", "cat <<X | wc -c\n" + "x" * 200_000 + "\nX\n")
    assert keeps(lab, [shell, "big.sh"], same=True).out.strip() == "200001"


def test_here_strings(lab):
    script = 'read -r v < <(cat <<< "$(seq 20000)" | tail -1); [ "$v" = 20000 ]'
    keeps(lab, ["bash", "-c", script], env={"TMPPREFIX": ""})


def test_process_substitution_inside(lab):
    assert keeps(lab, ["bash", "-c", "cat <(echo a) <(echo b); echo c > >(cat); wait $!"], same=True).out == "a\nb\nc\n"


def test_process_substitution_of_the_caller(lab):
    """`pinfold run -- cat <(echo b)`: the argument names a pipe of the caller's."""
    done = raw(lab, ["bash", "-c", '"$@" <(echo b) <(echo c)', "bash", *box_argv(lab, ["cat"])])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"b\nc\n", b"")
    closed = raw(lab, ["bash", "-c", '"$@" <(echo b)', "bash", *box_argv(lab, ["cat"], "--fd", "none")])
    assert closed.returncode == 1 and b"b\n" not in closed.stdout


def test_standard_links_of_pipes(lab):
    done = raw(lab, box_argv(lab, ["cat", "/dev/stdin"]), b"c\n")
    assert (done.returncode, done.stdout) == (0, b"c\n")
    script = "echo o >/dev/stdout; echo e >/dev/stderr; echo f >/dev/fd/1; cat </dev/fd/0"
    done = raw(lab, box_argv(lab, ["sh", "-c", script]), b"i\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"o\nf\ni\n", b"e\n")


def test_standard_links_of_files_outside(lab):
    out, err, source = (lab.outside / n for n in ("out", "err", "in"))
    lab.file(source, "i\n")
    with open(out, "wb") as o, open(err, "wb") as e, open(source, "rb") as i:
        done = raw(lab, box_argv(lab, ["sh", "-c", "echo o >/dev/stdout; echo e >/dev/stderr; cat /dev/stdin"]),
                   stdin=i, stdout=o, stderr=e)
    assert done.returncode == 0 and out.read_text() == "o\ni\n" and err.read_text() == "e\n"


def test_devices(lab):
    keeps(lab, ["sh", "-c", "for d in null zero full random urandom; do head -c1 /dev/$d >/dev/null || exit 1; done; "
                            "echo x >/dev/null; ! echo x >/dev/full"])


def test_closed_standard_streams(lab):
    """A caller without one of the three streams: the command gets none that is the host's, and the run works."""
    for closing in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = raw(lab, ["sh", "-c", f'"$@" {closing}', "sh", *box_argv(lab, ["sh", "-c", "echo ran >ran; exit 5"])])
        assert done.returncode == 5 and (lab.ws / "ran").exists(), (closing, done)
        (lab.ws / "ran").unlink()


def test_inherited_descriptors_stay_outside(lab):
    lab.file(lab.outside / "s", "secret\n")
    file, folder = os.open(lab.outside / "s", os.O_RDONLY), os.open(lab.outside, os.O_RDONLY)
    try:
        script = f"cat <&{file}; cat /proc/self/fd/{folder}/s; ls /proc/self/fd/{folder}/"
        control = raw(lab, lab.user.argv(["bash", "-c", script]), pass_fds=[file, folder])
        assert control.stdout == b"secret\nsecret\ns\n", control
        done = raw(lab, box_argv(lab, ["bash", "-c", script]), pass_fds=[file, folder])
        assert done.returncode != 0 and done.stdout == b"", done
    finally:
        os.close(file), os.close(folder)


def test_only_three_descriptors_are_open(lab):
    code = "import os; print([int(n) for n in os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/' + n)])"
    assert lab.run([PYTHON, "-c", code]).out == "[0, 1, 2]\n"


def test_descriptor_that_is_granted(lab):
    reader, writer = os.pipe()
    os.write(writer, b"through\n"), os.close(writer)
    done = raw(lab, box_argv(lab, ["bash", "-c", f"cat <&{reader}"], "--fd", str(reader)), pass_fds=[reader])
    os.close(reader)
    assert (done.returncode, done.stdout) == (0, b"through\n"), done


def test_descriptor_that_is_a_folder_is_refused(lab):
    folder = os.open(lab.outside, os.O_RDONLY)
    done = raw(lab, box_argv(lab, ["true"], "--fd", str(folder)), pass_fds=[folder])
    os.close(folder)
    assert done.returncode == 125 and done.stderr.startswith(b"pinfold: "), done


def test_make_jobs_run_through_the_box(lab):
    """A recipe that runs its sub-make in the box: at worst make warns that it has no job server."""
    lab.file(lab.ws / "m.mk", "all: a b\na b:\n\t+@$(BOX) $(MAKE) -s -f sub.mk $@x\n")
    lab.file(lab.ws / "sub.mk", "ax bx: ; @echo done\n")
    box = f"{lab.pinfold} run --workspace {lab.ws} --"
    result = lab.plain(["make", "-s", "-j2", "-f", "m.mk", f"BOX={box}"], env={"PATH": PATH})
    assert result.code == 0 and result.out == "done\ndone\n", result
