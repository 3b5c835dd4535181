"""Shared memory, semaphores, queues and keyrings of the host's user: 154 to 157, 125. I: the ipc namespace."""
import os
import secrets

import pytest
from victims import unique


class Maker:
    """Makes an object of the test's user outside the box and removes it at the end."""

    def __init__(self, lab, kind, name):
        self.lab, self.kind = lab, kind
        made = lab.plain([lab.attacker, f"{kind}_make", name])
        assert made.verdict == "ok", made
        self.handle = name if kind == "mq" else made.out.split()[1]

    def show(self):
        """What the segment holds."""
        return self.lab.plain([self.lab.attacker, "shm_show", self.handle]).out

    def close(self):
        done = self.lab.plain([self.lab.attacker, f"{self.kind}_remove", self.handle])
        assert done.verdict == "ok", f"the object outside is gone: {done}"


@pytest.fixture
def secret(lab):
    """The name of a key that a test puts into the user's keyring; the keyring outlives the test, so it's taken out."""
    name = unique("key")
    yield name
    lab.plain([lab.attacker, "key_remove", name, "user"])


def key():
    return str(secrets.randbelow(1 << 30) + 1)


@pytest.mark.parametrize("how", ["key", "id"])
def test_e154_shared_memory(lab, stage, how):
    """A segment of the same user outside can't be opened, by its key or by its number, and keeps its contents."""
    name, other = key(), key()
    first, second = stage.keep(Maker(lab, "shm", name)), stage.keep(Maker(lab, "shm", other))
    words = lambda maker, name: ["shm_open_" + how, name if how == "key" else maker.handle]
    expect = {"ENOENT"} if how == "key" else {"EINVAL"}
    lab.legs(words(second, other), expect, control_argv=words(first, name), witness=second.show,
             without=("seccomp", "landlock"))
    assert first.show() == "ok mine\n" and second.show() == "ok host\n"


def test_e154_list_and_remove_shared_memory(lab, stage):
    """No segment outside is listed, and none is removed."""
    first = stage.keep(Maker(lab, "shm", key()))
    lab.legs(["shm_list"], {"ENOENT"})
    second = Maker(lab, "shm", key())
    lab.legs(["shm_remove", first.handle], {"EINVAL"}, control_argv=["shm_remove", second.handle], witness=first.show)


def test_e154_semaphores(lab, stage):
    """Nor a set of semaphores."""
    name = key()
    stage.keep(Maker(lab, "sem", name))
    lab.legs(["sem_open_key", name], {"ENOENT"}, without=("seccomp", "landlock"))


def test_e154_message_queues(lab, stage):
    """Nor a message queue: the message that waits outside is still there."""
    name, other = key(), key()
    stage.keep(Maker(lab, "msg", other))
    stage.keep(Maker(lab, "msg", name))
    lab.legs(["msg_open_key", name], {"ENOENT"}, control_argv=["msg_open_key", other], without=("seccomp", "landlock"))
    assert lab.plain([lab.attacker, "msg_open_key", name]).verdict == "ok", "the message is gone"


def test_e155_posix_queues(lab, stage):
    """Nor a POSIX message queue, by its name or through a file system of queues."""
    name = unique("queue")
    stage.keep(Maker(lab, "mq", name))
    lab.legs(["mq_open_name", name], {"ENOENT"}, without=("seccomp", "landlock"))
    done = lab.run(["/bin/ls", "/dev/mqueue"])
    assert done.code == 0 and not done.out, done


def test_e155_file_system_of_queues(lab, stage):
    """/dev/mqueue is the box's own: a queue made inside is listed and can be removed there, and the host's, of the same
    name, stays as it is."""
    name = unique("queue")
    stage.keep(Maker(lab, "mq", name))
    words = f"{lab.attacker} mq_make {name} && ls /dev/mqueue && rm /dev/mqueue/{name} && ls /dev/mqueue && echo ok"
    done = lab.run(["/bin/sh", "-c", words], "--read", lab.attacker.parent)
    assert done.verdict == "ok" and done.out.splitlines()[1:] == [name, "ok"], done
    assert lab.plain([lab.attacker, "mq_open_name", name]).verdict == "ok", "the queue outside is gone"


@pytest.mark.parametrize("kind", ["shm", "sem", "msg", "mq"])
def test_ipc_inside_works_and_stays_inside(lab, kind):
    """Objects can be made inside, and are neither seen outside nor left behind."""
    name = unique("queue") if kind == "mq" else key()
    assert lab.run([lab.attacker, f"{kind}_make", name]).verdict == "ok"
    opener = "mq_open_name" if kind == "mq" else f"{kind}_open_key"
    assert lab.plain([lab.attacker, opener, name]).verdict == "ENOENT"
    assert lab.run([lab.attacker, opener, name]).verdict == "ENOENT", "seen by the next box"


def test_e155_posix_semaphores_and_memory(lab):
    """/dev/shm is the box's own: what is made there is not on the host, and the host's is not inside."""
    name = unique("shm")
    host = lab.file(f"/dev/shm/{name}")
    try:
        done = lab.run(["/bin/sh", "-c", f"cat /dev/shm/{name} 2>&1; echo inside >/dev/shm/{name}-in && ls /dev/shm"])
        assert done.code == 0 and f"{name}-in" == done.out.splitlines()[-1], done
        assert host.read_text() == "host\n" and not os.path.exists(f"/dev/shm/{name}-in")
    finally:
        host.unlink()


def test_e156_inherited_pipe(lab):
    """A pipe that pinfold's caller left open isn't there inside; with --fd it is."""
    words = ["/bin/sh", "-c", "echo attack >&7"]
    front = [lab.pinfold, "run", "--workspace", lab.ws]
    read, write = os.pipe()
    through = ["/bin/bash", "-c", f'exec "$@" 7>&{write}', "bash"]
    try:
        done = lab.plain([*through, *words], pass_fds=[write])
        assert done.code == 0 and os.read(read, 64) == b"attack\n", f"control leg: {done}"
        os.set_blocking(read, False)
        done = lab.plain([*through, *front, "--", *words], pass_fds=[write])
        assert done.code == 2 and "Bad file descriptor" in done.err, done
        with pytest.raises(BlockingIOError):
            os.read(read, 64)
        done = lab.plain([*through, *front, "--fd", "7", "--", *words], pass_fds=[write])
        assert done.code == 0 and os.read(read, 64) == b"attack\n", f"granted leg: {done}"
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize("ring", ["session", "user"])
def test_e125_e157_keyring_secret(lab, secret, ring):
    """A secret in the caller's session or user keyring can't be read: the calls are closed, and when they are not, the
    box has keyrings of its own."""
    outside = [lab.attacker, "key_session", secret]
    front = ["run", "--workspace", lab.ws, "--read", lab.attacker, "--", lab.attacker]
    attack = ["key_read", secret, ring]
    assert lab.plain([*outside, lab.attacker, *attack]).verdict == "ok", "control leg"
    done = lab.plain([*outside, lab.pinfold, *front, *attack])
    assert done.verdict == "EPERM", done
    done = lab.plain([*outside, lab.layers_off, *front, *attack], env={"PINFOLD_WITHOUT": "seccomp"})
    assert done.verdict == "ENOKEY", done


def test_e125_request_key(lab, secret):
    """Asking for the key by its name finds it outside and not inside."""
    outside = [lab.attacker, "key_session", secret]
    front = ["run", "--workspace", lab.ws, "--read", lab.attacker, "--", lab.attacker]
    assert lab.plain([*outside, lab.attacker, "key_request", secret]).verdict == "ok", "control leg"
    assert lab.plain([*outside, lab.pinfold, *front, "key_request", secret]).verdict == "EPERM"
    done = lab.plain([*outside, lab.layers_off, *front, "key_request", secret], env={"PINFOLD_WITHOUT": "seccomp"})
    assert done.verdict == "ENOKEY", done


@pytest.mark.parametrize("ring", ["session", "user"])
def test_e157_key_quota(lab, secret, ring):
    """No key can be added, so none is charged to the user's quota outside."""
    lab.legs(["key_add", secret, ring], {"EPERM"})
