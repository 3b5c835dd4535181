"""Odd names, odd mount tables, and metadata that must be as it was: the box on file systems as people have them."""
import os

from workbench import PATH, PYTHON, box_argv, end, keeps, pinfold_line, raw, run_with_mounts, started


def test_mounts_below_a_root_follow_its_rule(lab):
    """A partition below the workspace is there and writable; one below a readable root is readable only."""
    part, other = lab.ws / "part", lab.outside / "part"
    for folder in (part, other):
        folder.mkdir()
        lab.own(folder)
    mounts = f"""
        for d in '{part}' '{other}'; do
            mount -t tmpfs t "$d"; echo hi >"$d/f"; chown {lab.user.uid} "$d" "$d/f"; done"""
    script = 'cat part/f; echo n >part/g && cat part/g; cat "$0/f"; echo z >"$0/f"'
    line = pinfold_line(lab, "run", "--workspace", lab.ws, "--read", lab.outside, "--", "sh", "-c", script, other)
    after = ["sh", "-c", '"$@"; cat "$0/f"; ls "$0"', other, *line]
    code, out, err = run_with_mounts(lab, mounts, after)
    assert out == "hi\nn\nhi\nhi\nf\n" and "ead-only" in err, (code, out, err)


def test_mounts_that_cannot_be_read_do_not_stop_the_start(lab):
    odd = lab.ws / "a b\\c"
    for folder in (lab.ws / "locked", lab.outside / "locked", odd):
        folder.mkdir()
        lab.own(folder)
    mounts = f"""
        mount -t tmpfs -o mode=000 t '{lab.ws}/locked'; mount -t tmpfs -o mode=000 t '{lab.outside}/locked'
        mount -t tmpfs t '{odd}'; chown {lab.user.uid} '{odd}'"""
    script = 'echo ok; echo x >x && echo y >"a b\\\\c/y" && cat "a b\\\\c/y"'
    for grant in (lab.outside, lab.outside / "locked"):
        line = pinfold_line(lab, "run", "--workspace", lab.ws, "--read", grant, "--", "sh", "-c", script)
        code, out, err = run_with_mounts(lab, mounts, line)
        assert (code, out) == (0, "ok\ny\n"), (grant, code, out, err)


def test_many_mounts_with_odd_names(lab):
    """A long mount table with spaces, newlines and backslashes; the other drives stay out of reach."""
    top = lab.scratch.path / "mnt"
    names = ["ws lg", "c", "x\ny", *[f"m{i}" for i in range(150)]]
    for folder in [top, *[top / n for n in names]]:
        folder.mkdir()
        lab.own(folder)
    mounts = f"""cd '{top}'
        mount -t tmpfs t 'ws lg'; mkdir 'ws lg/sub'; mount -t tmpfs t 'ws lg/sub'; mount -t tmpfs 'drvfs C:\\134' c
        chmod 777 c; mount -t tmpfs t $'x\\ny'; for i in $(seq 0 149); do mount -t tmpfs t m$i; done; cd '{lab.ws}'"""
    line = pinfold_line(lab, "run", "--workspace", lab.ws, "--", "sh", "-c", f"echo ok; echo x >'{top}/c/leak'")
    control = ["sh", "-c", f"echo x >'{top}/c/control'; ls '{top}/c'"]
    assert run_with_mounts(lab, mounts, control)[1] == "control\n"
    code, out, err = run_with_mounts(lab, mounts, ["sh", "-c", '"$@"; ls "$0"', top / "c", *line])
    assert out == "ok\n", (code, out, err)


def metadata(*roots):
    """Everything stat tells of a tree, access times aside."""
    rows = []
    for root in roots:
        for base, folders, files in os.walk(root):
            for name in ["", *folders, *files]:
                full = os.path.join(base, name) if name else base
                s = os.lstat(full)
                rows.append((full, s.st_ino, s.st_mode, s.st_nlink, s.st_uid, s.st_gid, s.st_size, s.st_mtime_ns,
                             s.st_ctime_ns, os.listxattr(full, follow_symlinks=False)))
    return sorted(rows)


def test_metadata_is_as_it_was_after_a_run_and_after_a_kill(lab):
    lab.file(lab.ws / "secrets" / "key", "k", 0o600)
    lab.file(lab.ws / ".git" / "config", "")
    lab.file(lab.ws / ".vscode" / "settings.json", "{}")
    lab.file(lab.home / ".bashrc", "")
    (lab.ws / ".claude").mkdir(0o555)
    (lab.ws / "link").symlink_to("secrets")
    lab.own(lab.ws / ".claude", lab.ws / "link")
    before = metadata(lab.ws, lab.home, lab.outside)
    options = ["--read", lab.outside]
    assert lab.run(["true"], *options).code == 0
    assert metadata(lab.ws, lab.home, lab.outside) == before
    with started(lab, ["sleep", "30"], *options) as process:
        try:
            process.wait(0.5)
        except Exception:
            pass
        end(process)
    assert metadata(lab.ws, lab.home, lab.outside) == before


def test_names_with_every_awkward_byte(lab):
    """Paths are bytes: quotes, spaces, newlines, bytes that are no UTF-8, leading dashes, commas and colons."""
    awkward = os.fsdecode(b"my proj 'q' \"d\" $x `y` #h,c:d%s=\\\\ {g} [1]\n-n\xc3\xa9\xffz")
    top = lab.ws / awkward
    sub, side = top / "-s ub", lab.outside / "m,n:o"
    for folder in (top, sub, side):
        folder.mkdir()
        lab.own(folder)
    lab.file(top / os.fsdecode(b"b\xff\xfe.txt"), "x\n")
    script = 'cat ../b*.txt && echo y >"a b" && git init -q .. && pwd && echo w >"$0/f"'
    line = ["run", "--workspace", top, "--write", sub, "--write", side, "--", "sh", "-c", script, side]
    done = raw(lab, lab.user.argv([lab.pinfold, *line]), cwd=sub)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"x\n" + os.fsencode(sub) + b"\n", b"")
    assert (sub / "a b").read_text() == "y\n" and (side / "f").read_text() == "w\n"
    keeps(lab, ["sh", "-c", 'cat "$0/f"', side], "--read", side, same=True)


def test_arguments_arrive_as_they_were_given(lab):
    words = ["a b", "", "*", "$x", "n\nl", "--", "-x", "--read", "'", '"', "\\", "\x7f\x1b[31m"]
    words.append(os.fsdecode(b"\xff\xfe"))
    code = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    done = raw(lab, box_argv(lab, [PYTHON, "-c", code, *words]))
    assert done.stdout.split(b"\0") == [os.fsencode(w) for w in words], done


def test_path_order_is_kept_and_closed_entries_behave_as_missing(lab):
    closed = lab.scratch.path / "closed"
    closed.mkdir(0o000)
    lab.own(closed)
    value = f"{closed}:/no/such/folder:{PATH}:relative:"
    keeps(lab, ["sh", "-c", 'echo "$PATH"; true && env true && perl -e 1'], env={"PATH": value}, same=True)
    code = "import subprocess, sys; sys.exit(subprocess.run(['true']).returncode)"
    keeps(lab, [PYTHON, "-c", code], env={"PATH": value})
