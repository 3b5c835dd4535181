"""Unix sockets: free inside the box, closed towards the host, and one by one on request."""
import contextlib
import os
import socket
import threading

import pytest

from workbench import PYTHON, keeps, node_keeps, python_keeps

ASK = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9).decode())"


@contextlib.contextmanager
def daemon(lab, path):
    """A host program that says `pong` to whoever connects."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(path))
        os.chmod(path, 0o666)
        lab.own(path)
        server.listen()

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as peer:
                        peer.sendall(b"pong")

        threading.Thread(target=serve, daemon=True).start()
        yield
        server.shutdown(socket.SHUT_RDWR)


def test_sockets_and_pairs_inside(lab):
    python_keeps(lab, "import asyncio; asyncio.run(asyncio.sleep(0))")
    node_keeps(lab, "const r = require('child_process').spawnSync('cat', {input: 'x'});"
                    "process.exit(r.stdout + '' == 'x' ? 0 : 1)")
    node_keeps(lab, "const n = require('net'), p = require('os').tmpdir() + '/n' + process.pid + '.s';"
                    "n.createServer(c => c.end('k')).listen(p, () => n.connect(p).on('data', () => process.exit(0)))")
    python_keeps(lab, """if True:
        import socket as s
        a, b = s.socketpair(); a.sendall(b"x"); assert b.recv(1) == b"x"
        a, b = s.socketpair(s.AF_UNIX, s.SOCK_DGRAM); a.send(b"x"); assert b.recv(1) == b"x"
        a, b = s.socketpair(s.AF_UNIX, s.SOCK_SEQPACKET); a.send(b"x"); assert b.recv(1) == b"x"
        for name in ("x.sock", "/tmp/x.sock", "\\0abstract"):
            l = s.socket(s.AF_UNIX); l.bind(name); l.listen(); c = s.socket(s.AF_UNIX); c.connect(name)
            c.sendmsg([b"y"]); assert l.accept()[0].recv(1) == b"y"
        """, prepare=lambda: [os.path.lexists(p) and os.unlink(p) for p in (lab.ws / "x.sock", "/tmp/x.sock")])


@pytest.mark.parametrize("place", ["outside", "workspace"])
def test_outside_socket_only_by_its_own_grant(lab, place):
    path = (lab.outside if place == "outside" else lab.ws) / "d.sock"
    with daemon(lab, path):
        assert lab.plain([PYTHON, "-c", ASK, path]).out == "pong\n"
        for options in ((), ("--read", lab.outside), ("--write", lab.outside)):
            result = lab.run([PYTHON, "-c", ASK, path], *options)
            assert result.code == 1 and "pong" not in result.out, f"{options}: {result}"
        result = lab.run([PYTHON, "-c", ASK, path], "--unix-socket", path)
        assert (result.code, result.out, result.err) == (0, "pong\n", ""), result


@pytest.mark.parametrize("name", ["docker.sock", "podman.sock", "containerd.sock"])
def test_container_socket_grant_is_announced(lab, name):
    """Whoever may talk to a container daemon has left the box: one line says so."""
    path = lab.outside / name
    with daemon(lab, path):
        result = lab.run([PYTHON, "-c", ASK, path], "--unix-socket", path)
        assert result.out == "pong\n", result
        lines = result.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("pinfold: ") and "socket" in lines[0], result


def test_container_socket_named_by_the_environment_is_announced(lab):
    path = lab.outside / "d.sock"
    with daemon(lab, path):
        result = lab.run(["true"], "--unix-socket", path, env={"DOCKER_HOST": f"unix://{path}"})
        assert result.code == 0 and result.err.startswith("pinfold: "), result


def test_socket_grant_refuses_what_is_no_socket(lab):
    for path in (lab.file(lab.outside / "file"), lab.outside):
        result = lab.run(["true"], "--unix-socket", path)
        assert result.code == 125 and os.fspath(path) in result.err, result


def test_session_bus_is_closed(lab):
    path = lab.outside / "bus"
    with daemon(lab, path):
        env = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}
        assert lab.plain([PYTHON, "-c", ASK, path], env=env).out == "pong\n"
        result = lab.run([PYTHON, "-c", ASK, path], env=env)
        assert result.code == 1 and "pong" not in result.out, result


def test_sockets_made_inside_work_between_programs(lab):
    lab.file(lab.ws / "serve.py", "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('made.sock')\ns.listen()\n"
                                  "open('up', 'w').close()\ns.accept()[0].sendall(b'pong')\n")
    script = ("rm -f made.sock up; $0 serve.py & for i in $(seq 200); do [ -e up ] || sleep .05; done; "
              f"$0 -c '{ASK}' made.sock")
    clean = lambda: (lab.ws / "made.sock").unlink(missing_ok=True)
    assert keeps(lab, ["sh", "-c", script, PYTHON], same=True, prepare=clean).out == "pong\n"


def test_socket_file_left_by_an_earlier_run_can_be_replaced(lab):
    """Servers remove the socket file of their last run and bind again: in the workspace, run after run."""
    code = """if True:
        import os, socket
        for path in ("left.sock", "sub/left.sock"):
            os.makedirs("sub", exist_ok=True)
            if os.path.lexists(path): os.unlink(path)
            s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
            c = socket.socket(socket.AF_UNIX); c.connect(path)
        """
    for run in (lab.plain, lab.run, lab.run):
        result = run([PYTHON, "-c", code])
        assert result.code == 0, result
