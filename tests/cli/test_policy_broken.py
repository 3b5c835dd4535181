"""Broken policies: 125, one line with the exact place, and the nearest right word; nothing ran; the receipt says usage."""
import json
import os
import socket

import pytest

import policies

WRONG = {**policies.BROKEN, **policies.NO_JSON}


def with_policy(lab, path, *options, command=("touch", "ran"), **more):
    """pinfold run --policy PATH: the result, and the receipt."""
    receipt = lab.scratch.path / "receipt.json"
    receipt.unlink(missing_ok=True)
    result = lab.run(command, "--policy", path, "--receipt", receipt, *options, **more)
    return result, json.loads(receipt.read_text())


def refused(lab, path, *words, shown=None, **more):
    """The run is wrong use; the message begins with the file (and place) and has these words."""
    result, receipt = with_policy(lab, path, **more)
    assert not (lab.ws / "ran").exists(), f"HOLE: the command ran: {result}"
    assert result.code == 125 and result.out == "" and result.err.count("\n") == 1, result
    assert result.err.startswith(f"pinfold: {shown or path}"), result
    for word in words:
        assert word in result.err, f"{word!r} is not in: {result.err}"
    assert receipt["outcome"] == "usage" and receipt["exit"] == 125 and receipt["confined"] == "not-started", receipt
    assert receipt["error"] == result.err.removeprefix("pinfold: ").rstrip("\n")


def runs(lab, path, **more):
    result, receipt = with_policy(lab, path, **more)
    assert result.code == 0 and (lab.ws / "ran").exists() and receipt["confined"] == "full", result
    (lab.ws / "ran").unlink()


def write(lab, text, name="p.json", mode=0o644):
    path = lab.file(lab.outside / name, "", mode)
    path.write_bytes(policies.encoded(text))
    return path


def test_there_are_enough():
    assert len(WRONG) >= 80


@pytest.mark.parametrize("name", WRONG)
def test_place_and_word(lab, name):
    text, place, word = WRONG[name]
    path = write(lab, text)
    refused(lab, path, word, shown=f"{path}:{place}: ")


@pytest.mark.parametrize("name", [n for n in policies.GOOD if n not in ("grants", "never-lists")])
def test_control(lab, name):
    """What is right is taken, written in the same way."""
    path = write(lab, policies.GOOD[name])
    result = lab.plain([lab.pinfold, "check", path])
    assert result.code == 0 and result.out == f"{path}: ok\n" and result.err == "", result


def test_the_same_text_on_a_descriptor(lab):
    reading, writing = os.pipe()
    os.write(writing, b'{\n "raed": []}')
    os.close(writing)
    result = lab.run(["touch", "ran"], "--policy", f"fd:{reading}", pass_fds=[reading])
    os.close(reading)
    assert result.code == 125 and result.err.startswith(f"pinfold: fd:{reading}:2:2: there is no key raed"), result
    assert not (lab.ws / "ran").exists()


def test_size(lab):
    path = write(lab, "{}" + " " * (1 << 20))
    refused(lab, path, "1 MiB")
    path = write(lab, "{}" + "\n" * 10_000_000)
    refused(lab, path, "1 MiB")
    path = write(lab, "{}" + " " * ((1 << 20) - 2))   # control: just as much as is allowed
    runs(lab, path)
    path = write(lab, '{"x": []' + "\n" * ((1 << 20) - 9) + "!")
    refused(lab, path, "near", shown=f"{path}:{(1 << 20) - 8}:1: ")


def test_large_and_flat_is_fast(lab):
    """A million bytes of small lists: neither reader takes quadratic time."""
    path = write(lab, '{"read": [' + ",".join(["[]"] * 340_000) + "]}")
    refused(lab, path, "this is a list", shown=f"{path}:1:11: ", timeout=10)
    path = write(lab, '{"read": [' + ",".join(['""'] * 340_000) + "]}")
    refused(lab, path, "empty", shown=f"{path}:1:11: ", timeout=10)
    path = write(lab, '{"never": {"env": [' + ",".join(f'"V{i}"' for i in range(100_000)) + "]}}")
    runs(lab, path, timeout=20)


def test_many_profiles(lab):
    """More than anybody has would take minutes."""
    chain = lambda n, last: "{%s}" % ",".join([f'"p{i}":{{"extends":"p{i + 1}"}}' for i in range(n)] + [f'"p{n}":{last}'])
    check = lambda text: lab.plain([lab.pinfold, "check", write(lab, '{"profiles":%s}' % text)], timeout=10)
    assert check(chain(31, "{}")).code == 0
    result = check(chain(900, "{}"))
    assert result.code == 125 and "more than 32 profiles extend" in result.err and "p.json:1:" in result.err, result
    flat = lambda n: "{%s}" % ",".join(f'"p{i}":{{}}' for i in range(n))
    assert check(flat(1000)).code == 0
    result = check(flat(60000))
    assert result.code == 125 and "at most 1000" in result.err and "p.json:1:" in result.err, result


def test_absent(lab):
    refused(lab, lab.outside / "none.json", "No such file")
    refused(lab, lab.outside / "none" / "p.json", "No such file")
    write(lab, "{}")
    refused(lab, lab.outside / "p.json" / "x", "Not a directory")
    refused(lab, f"{lab.outside}/p.json/", "Not a directory", shown=f"{lab.outside}/p.json")
    refused(lab, lab.outside / ("x" * 300), "too long", shown=os.fspath(lab.outside))


@pytest.mark.parametrize("make, word", [
    (lambda p: p.mkdir(), "folder"),
    (os.mkfifo, "FIFO"),
    (lambda p: p.symlink_to("/dev/null"), "device"),
    (lambda p: p.symlink_to("/dev/zero"), "device"),
    (lambda p: socket.socket(socket.AF_UNIX).bind(os.fspath(p)), "socket"),
    (lambda p: p.symlink_to(p), "ymbolic link"),
    (lambda p: p.symlink_to("nowhere"), "No such file"),
], ids=["folder", "fifo", "null", "zero", "socket", "link-to-itself", "dangling"])
def test_no_regular_file(lab, make, word):
    """At once: a FIFO without a writer would block, and so would the test."""
    path = lab.outside / "p"
    make(path)
    lab.own(path)
    refused(lab, path, word, timeout=10)


def test_unreadable(lab):
    path = write(lab, "{}", mode=0o000)
    if lab.user.uid == 0:
        runs(lab, path)
    else:
        refused(lab, path, "Permission denied")


@pytest.mark.parametrize("mode, who, advice", [
    (0o666, "every user", "chmod go-w"), (0o664, "its group", "chmod g-w"), (0o646, "every user", "chmod o-w"),
    (0o777, "every user", "chmod go-w")])
def test_writable_by_others(lab, mode, who, advice):
    path = write(lab, "{}", mode=mode)
    refused(lab, path, who, advice)
    path.chmod(0o644)
    runs(lab, path)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777])
def test_folder_writable_by_others(lab, mode):
    path = write(lab, "{}")
    lab.outside.chmod(mode)
    if mode == 0o1777 and lab.user.uid == 0:   # a sticky folder of root's
        runs(lab, path)
        return
    refused(lab, path, "chmod", os.fspath(lab.outside), shown=lab.outside)
    lab.outside.chmod(0o755)
    runs(lab, path)


def test_folder_further_up(lab):
    path = lab.file(lab.outside / "a" / "b" / "p.json", "{}")
    runs(lab, path)
    (lab.outside / "a").chmod(0o777)
    refused(lab, path, "chmod", shown=lab.outside / "a")


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_belongs_to_another(lab):
    path = write(lab, "{}")
    os.chown(path, 4321, 4321)
    refused(lab, path, "uid 4321")
    os.chown(path, 0, 0)
    runs(lab, path)
    os.chown(lab.outside, 4321, 4321)
    refused(lab, path, "uid 4321", shown=lab.outside)


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_owner_that_has_no_id_here(lab):
    """In a user namespace root's files may be anybody's, also for a caller who has the overflow id."""
    path = write(lab, "{}")
    os.chown(path, 1234, 1234)
    for uid in {lab.user.uid, 65534}:
        front = ["unshare", "--user", f"--map-user={uid}", f"--map-group={uid}"]
        result = lab.plain([*front, lab.pinfold, "check", path])
        assert result.code == 125 and "no id in this user namespace" in result.err, result
        assert "run pinfold outside of this box" in result.err, result


def test_links(lab):
    """A link of one's own in a safe folder is followed; one in a folder of others' is not believed."""
    path = write(lab, "{}")
    link = lab.outside / "link.json"
    link.symlink_to(path)
    lab.own(link)
    runs(lab, link)
    shared = lab.scratch.path / "shared"
    shared.mkdir()
    lab.own(shared)
    shared.chmod(0o777)
    link = shared / "link.json"
    link.symlink_to(path)
    lab.own(link)
    refused(lab, link, "chmod", shown=shared)


def test_link_that_is_swapped(lab):
    """A file that another takes the place of while pinfold looks: it reads one or the other whole, or refuses."""
    import threading
    good, bad = write(lab, "{}", "good.json"), write(lab, '{"raed": 1}', "bad.json")
    path, stop = lab.outside / "p.json", threading.Event()

    def swap():
        turn = 0
        while not stop.is_set():
            turn += 1
            temporary = lab.outside / "t"
            temporary.symlink_to([good, bad, "/dev/zero", lab.outside][turn % 4])
            lab.own(temporary)
            temporary.rename(path)

    path.symlink_to(good)
    lab.own(path)
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        seen = {lab.plain([lab.pinfold, "check", path], timeout=10).code for _ in range(60)}
    finally:
        stop.set()
        thread.join()
    assert seen <= {0, 125} and 125 in seen, seen


@pytest.mark.parametrize("word, say", [
    ("fd:", "a number"), ("fd:x", "a number"), ("fd:0", "from 3"), ("fd:2", "from 3"), ("fd:-3", "a number"),
    ("fd:99", "open for reading"), ("fd:99999999999999999999", "a number"), ("fd:3x", "a number")])
def test_no_descriptor(lab, word, say):
    refused(lab, word, say, shown=f"--policy {word}")


def test_descriptor_that_is_no_file(lab):
    for path, flags, say in ((lab.outside, os.O_RDONLY, "neither"), ("/dev/zero", os.O_RDONLY, "neither"),
                             (write(lab, "{}"), os.O_WRONLY, "for reading"), (write(lab, "{}"), os.O_PATH, "for reading")):
        fd = os.open(path, flags)
        result = lab.run(["touch", "ran"], "--policy", f"fd:{fd}", pass_fds=[fd], timeout=10)
        os.close(fd)
        assert result.code == 125 and say in result.err and not (lab.ws / "ran").exists(), result


def test_dev_fd(lab):
    refused(lab, "/dev/fd/63", "fd:63")


def test_name_is_safe_to_print(lab):
    path = write(lab, "[", "p\x1b[31m\n.json")
    result = lab.run(["touch", "ran"], "--policy", path)
    assert result.code == 125 and "\\x1b" in result.err and "\x1b" not in result.err, result


def test_paths_that_are_not_there(lab):
    """As on the command line, at the place of the entry."""
    for key in ("read", "write", "unix-socket"):
        path = write(lab, '{"%s": ["%s",\n "/no/such"]}' % (key, lab.outside if key == "read" else "/no/such"))
        place = "2:2" if key == "read" else f"1:{len(key) + 7}"
        refused(lab, path, "No such file", shown=f"{path}:{place}: {key} /no/such")


def test_unknown_backend(lab):
    path = write(lab, '{"backend": "nativ"}')
    refused(lab, path, "there is no such backend", shown=f"{path}:1:13: backend nativ")
