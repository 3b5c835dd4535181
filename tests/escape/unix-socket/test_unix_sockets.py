"""Unix sockets of the host, abstract and by path: 143 to 153. N: the net namespace; L: Landlock's abstract scope;
M: the path isn't there, or the socket that was there at the start is covered."""
import array
import contextlib
import fcntl
import os
import socket
import subprocess
import time

import pytest
from places import far_place
from victims import unique

KINDS = ["stream", "dgram", "seqpacket"]


def ways(kind, address):
    """Every way to get something to a socket of this type."""
    yield ["unix_connect", kind, address]
    if kind == "dgram":
        yield ["unix_sendmsg", address]
        yield ["unix_sendto", address]
        yield ["unix_pair", "sendmsg", address]
        yield ["unix_pair", "connect", address]


@pytest.mark.parametrize("kind", KINDS)
def test_e143_e144_abstract(lab, stage, kind):
    """An abstract socket outside isn't in the box's network, and where it is, Landlock's scope refuses."""
    address = "@" + unique("abstract")
    listener = stage.listener(address, kind)
    for words in ways(kind, address):
        lab.legs(words, {"ECONNREFUSED"}, witness=listener.seen,
                 without={"net-namespace": {"EPERM"}, "landlock": {"ECONNREFUSED"}})
    assert listener.seen() >= 1, "the control did not reach the listener"


@pytest.mark.parametrize("kind", KINDS)
def test_e145_e146_e147_path_outside(lab, stage, kind):
    """A socket by a path outside the granted roots: the path isn't there. With --unix-socket it is reached."""
    path = lab.outside / "service"
    listener = stage.listener(path, kind)
    for words in ways(kind, str(path)):
        lab.legs(words, {"ENOENT"}, witness=listener.seen, without=("landlock", "seccomp"),
                 grant=["--unix-socket", path])
    assert listener.seen() >= 2


@pytest.mark.parametrize("root", ["workspace", "read", "write"])
@pytest.mark.parametrize("kind", KINDS)
def test_e145_e146_e147_path_in_a_root(lab, stage, kind, root):
    """A socket that a host process holds under a granted root is covered at the start. With --unix-socket it is
    reached."""
    folder = lab.ws if root == "workspace" else lab.outside
    options = [] if root == "workspace" else ["--" + root, lab.outside]
    path = folder / "service"
    listener = stage.listener(path, kind)
    before = os.lstat(path)
    for words in ways(kind, str(path)):
        lab.legs(words, {"ECONNREFUSED"}, options=options, witness=listener.seen, without=("landlock", "seccomp"),
                 grant=[*options, "--unix-socket", path])
    after = os.lstat(path)
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (before.st_ino, before.st_mode, before.st_mtime_ns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["read", "work-tree"])
def test_e145_bound_after_the_start(lab, stage, kind, place):
    """A readable root below a writable folder is a view, in which a socket that is bound after the start leads nowhere.
    The box says when it is up, and is told when the socket is: a name that was looked for stays missing in a view."""
    service = lab.outside / "service"
    if place == "work-tree":
        lab.file(lab.outside / ".git" / "HEAD", "ref: refs/heads/main\n")
        lab.ws = lab.file(lab.outside / "sub" / "f").parent
    line = f"touch up; until [ -e go ]; do sleep 0.02; done; exec {lab.attacker} unix_connect {kind} {service}"
    options = ["--read", lab.attacker.parent, *(["--read", lab.outside] if place == "read" else [])]
    argv = [lab.pinfold, "run", "--workspace", lab.ws, *options, "--", "/usr/bin/timeout", "20", "/bin/sh", "-c", line]
    with subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as box:
        while not (lab.ws / "up").exists() and box.poll() is None:
            time.sleep(0.01)
        listener = stage.listener(service, kind)
        lab.file(lab.ws / "go")
        out, err = box.communicate(timeout=30)
    assert out == "ECONNREFUSED\n" and listener.seen() == 0, (out, err, box.returncode)
    assert lab.plain([lab.attacker, "unix_connect", kind, service]).verdict == "ok", "control leg"
    assert kind == "dgram" or listener.seen() == 1


def test_e145_deep_in_the_workspace(lab, stage):
    """A socket bound by its full path is found at any depth."""
    path = lab.ws / "a" / "b" / "c" / "d" / "service"
    lab.file(path.parent / "beside")
    listener = stage.listener(path)
    lab.legs(["unix_connect", "stream", str(path)], {"ECONNREFUSED"}, witness=listener.seen)


@pytest.mark.parametrize("how", ["relative", "renamed"])
def test_e145_name_that_the_kernel_lists_otherwise(lab, stage, how):
    """/proc/net/unix shows a relative name and an old name as they were bound; at the top of a root the socket file
    itself is found."""
    path = lab.ws / "service"
    old = os.getcwd()
    if how == "relative":
        os.chdir(lab.ws)
    try:
        listener = stage.listener("service" if how == "relative" else lab.ws / "old-name")
    finally:
        os.chdir(old)
    if how == "renamed":
        os.rename(lab.ws / "old-name", path)
    lab.own(path)
    lab.legs(["unix_connect", "stream", str(path)], {"ECONNREFUSED"}, witness=listener.seen)


@pytest.mark.parametrize("detour", ["symlink", "hardlink", "proc-root", "proc-cwd", "dots"])
def test_e145_detours(lab, stage, detour):
    """Another way to the same socket is no way: a link planted in the workspace, /proc, dots."""
    path, link = lab.outside / "service", lab.ws / "link"
    listener = stage.listener(path)
    address = {"symlink": link, "hardlink": link, "proc-root": f"/proc/self/root{path}", "dots": "../outside/service",
               "proc-cwd": "/proc/self/cwd/../outside/service"}[detour]
    if detour == "symlink":
        link.symlink_to(path)
    if detour == "hardlink":
        os.link(path, link)
    expect = {"ECONNREFUSED"} if detour == "hardlink" else {"ENOENT"}
    lab.legs(["unix_connect", "stream", str(address)], expect, witness=listener.seen)
    assert listener.seen() >= 1


def test_e145_one_socket_of_two(lab, stage):
    """--unix-socket opens the one object that it names and not its neighbour, not even by replacing the granted one."""
    good, bad = stage.listener(lab.outside / "good"), stage.listener(lab.outside / "bad")
    grant = ["--unix-socket", good.address]
    assert lab.run([lab.attacker, "unix_connect", "stream", good.address], *grant).verdict == "ok"
    assert good.seen() == 1
    done = lab.run([lab.attacker, "unix_connect", "stream", bad.address], *grant)
    assert done.verdict == "ENOENT" and bad.seen() == 0, done


def test_e145_receipt_names_what_is_covered(lab, stage):
    """The receipt says which sockets under the granted roots were covered."""
    listener = stage.listener(lab.ws / "service")
    done, receipt = lab.receipt(["/bin/true"])
    assert done.code == 0 and listener.address in str(receipt), receipt


def test_e148_receive_a_descriptor(lab):
    """A socket that pinfold's caller left open, over which a descriptor waits, isn't there inside; with --fd it is."""
    secret = lab.file(lab.outside / "secret", "SECR")
    for front, expect in ([], "ok"), ([lab.pinfold, "run", "--read", lab.attacker, "--"], "EBADF"), \
            ([lab.pinfold, "run", "--read", lab.attacker, "--fd", "9", "--"], "ok"):
        done = receive(lab, secret, [*front, lab.attacker, "descriptor_receive", "9"], 9)
        assert done.verdict == expect, (front, done)


def test_e148_receive_a_descriptor_on_stdin(lab):
    """A socket on standard input comes through a relay, over which no descriptor travels."""
    secret = lab.file(lab.outside / "secret", "SECR")
    attack = [lab.attacker, "descriptor_receive", "0"]
    done = receive(lab, secret, attack, 0)
    assert done.verdict == "ok", f"control leg: {done}"
    done = receive(lab, secret, [lab.pinfold, "run", "--read", lab.attacker, "--", *attack], 0)
    assert done.verdict in {"ENOTSOCK", "EBADMSG"} and "SECR" not in done.out, done


def receive(lab, secret, argv, number):
    near, far = socket.socketpair()
    with near, far, open(secret, "rb") as file:
        far.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
        if number == 0:
            return lab.plain(argv, stdin=near)
        place = ["/bin/bash", "-c", f'exec "$@" {number}<&{near.fileno()}', "bash"]
        return lab.plain([*place, *argv], pass_fds=[near.fileno()])


def test_e148_send_a_descriptor_out(lab):
    """Nothing of the box's can be handed out either: with a socket on standard output the reader gets bytes only."""
    near, far = socket.socketpair()
    script = ("import array, socket, sys\n"
              "s = socket.socket(fileno=1)\n"
              "s.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))])\n")
    with near, far:
        far.settimeout(5)
        for front, passed in ([], True), ([lab.pinfold, "run", "--"], False):
            subprocess.run(lab.user.argv([*front, "/usr/bin/python3", "-c", script]), cwd=lab.ws, timeout=30,
                           env=lab.environment(), stdin=subprocess.DEVNULL, stdout=near, stderr=subprocess.PIPE)
            far.setblocking(False)
            try:
                descriptors = socket.recv_fds(far, 64, 4)[1]
            except BlockingIOError:
                descriptors = []
            for fd in descriptors:
                os.close(fd)
            assert bool(descriptors) == passed, front


@pytest.mark.parametrize("place", ["read", "outside"])
def test_e149_bind_outside(lab, place):
    """No socket is bound in a folder that isn't writable."""
    with far_place(lab) as folder:
        path = folder / "lure"
        lab.legs(["unix_bind", str(path)], {"EROFS"} if place == "read" else {"ENOENT"},
                 options=["--read", folder] if place == "read" else [], prepare=lambda: path.unlink(missing_ok=True),
                 witness=lambda: sorted(os.listdir(folder)), grant=["--write", folder],
                 without={"mounts-readonly": {"EACCES"}, "landlock": {"EROFS"}} if place == "read" else ())


def test_e149_bind_in_the_workspace(lab):
    """A socket bound in the workspace is refused or, once the run is over, is one that nobody answers on."""
    path = lab.ws / "lure"
    assert lab.plain([lab.attacker, "unix_bind", str(path)]).verdict == "ok", "control leg"
    path.unlink()
    done = lab.run([lab.attacker, "unix_bind", str(path)])
    assert done.verdict in {"ok", "EACCES"}, done
    if path.exists():
        assert lab.plain([lab.attacker, "unix_connect", "stream", str(path)]).verdict == "ECONNREFUSED"


SERVICES = ["/run/dbus/system_bus_socket", "/run/user/{uid}/bus", "/run/user/{uid}/keyring/control",
            "/run/user/{uid}/gnupg/S.gpg-agent", "/run/user/{uid}/wayland-0", "/run/user/{uid}/pipewire-0",
            "/run/docker.sock", "/run/containerd/containerd.sock", "/run/systemd/private", "/tmp/.X11-unix/X77",
            "/tmp/tmux-{uid}/default", "/tmp/ssh-XXpinfold/agent.77", "/var/run/docker.sock"]


@contextlib.contextmanager
def service_socket(stage, path):
    """A listener at a place of the host's for a time, with the folders that it needs; one test at a time."""
    with open(f"/var/tmp/pinfold-test-services-{os.geteuid()}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not os.path.lexists(path), f"this host has {path}: the control would call it"
        made, folder = [], os.path.dirname(path)
        while not os.path.isdir(folder):
            made.insert(0, folder)
            folder = os.path.dirname(folder)
        try:
            for one in made:
                os.mkdir(one)
                os.chmod(one, 0o755)
            listener = stage.listener(path)
            os.chmod(path, 0o777)
            yield listener
        finally:
            os.unlink(path)
            for one in reversed(made):
                os.rmdir(one)


@pytest.mark.parametrize("service", SERVICES)
def test_e150_to_e153_services(lab, stage, service):
    """The sockets of well-known services are not there, at their usual places; where this host has none, the test
    puts one there for its time, when it may."""
    path = service.format(uid=lab.user.uid)
    if os.geteuid() != 0:
        path = "/tmp/pinfold-test-" + unique("service")
    with service_socket(stage, os.path.realpath(path)) as listener:
        lab.legs(["unix_connect", "stream", path], {"ENOENT"}, witness=listener.seen,
                 without=("landlock", "seccomp"))


def test_e152_x11_abstract(lab, stage):
    """The abstract twin of an X server's socket."""
    listener = stage.listener("@/tmp/.X11-unix/X" + unique("")[-6:])
    lab.legs(["unix_connect", "stream", listener.address], {"ECONNREFUSED"}, witness=listener.seen)


def test_unix_sockets_inside_work(lab):
    """Sockets made inside work: by path in the workspace and in /tmp, abstract, stream and datagram."""
    script = ("import socket, sys, os\n"
              "for place in 'own.sock', '/tmp/own.sock', '\\0own', os.environ['HOME'] + '/own.sock':\n"
              "    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET:\n"
              "        a, b = socket.socket(socket.AF_UNIX, kind), socket.socket(socket.AF_UNIX, kind)\n"
              "        a.bind(place)\n"
              "        if kind == socket.SOCK_DGRAM:\n"
              "            b.sendto(b'x', place); assert a.recv(4) == b'x'\n"
              "        else:\n"
              "            a.listen(); b.connect(place); c = a.accept()[0]; b.send(b'x'); assert c.recv(4) == b'x'\n"
              "        a.close()\n"
              "        place[0] == '\\0' or os.unlink(place)\n"
              "a, b = socket.socketpair(); a.send(b'y'); assert b.recv(4) == b'y'\n"
              "print('ok')\n")
    for run in lab.plain, lab.run:
        done = run(["/usr/bin/python3", "-c", script])
        assert done.verdict == "ok", done
    assert not os.path.exists("/tmp/own.sock")
