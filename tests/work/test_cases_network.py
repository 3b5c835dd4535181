"""Network inside the box: servers and clients on loopback, resolver files of every kind, long runtime folders."""
import os
from pathlib import Path

from workbench import PATH, box_argv, keeps, node_keeps, pinfold_line, python_keeps, raw, run_with_mounts


def test_loopback_tcp_and_udp_any_port_and_wildcard(lab):
    python_keeps(lab, """if True:
        import socket
        tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
        for kind, host in ((tcp, "127.0.0.1"), (tcp, "0.0.0.0"), (udp, "127.0.0.1"), (udp, "0.0.0.0")):
            server = socket.socket(socket.AF_INET, kind); server.bind((host, 0))
            client = socket.socket(socket.AF_INET, kind); port = server.getsockname()[1]
            if kind == tcp:
                server.listen(); client.connect(("127.0.0.1", port)); server.accept()[0].sendall(b"x")
                assert client.recv(9) == b"x"
            else:
                client.sendto(b"x", ("127.0.0.1", port)); assert server.recv(9) == b"x"
        """)
    node_keeps(lab, "const h = require('http'); const s = h.createServer((q, r) => r.end('ok')).listen(0, () =>"
                    "h.get({port: s.address().port}, r => process.exit(r.statusCode == 200 ? 0 : 1)))")


def test_fixed_port_that_is_taken_outside_is_free_inside(lab):
    import socket
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code = f"import socket; socket.create_server(('127.0.0.1', {port})).close()"
        result = lab.run(["/usr/bin/python3", "-c", code])
        assert result.code == 0, result


def test_udp_lock_protocol_and_interfaces(lab):
    python_keeps(lab, """if True:
        import socket
        a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); a.bind(("127.0.0.1", 0))
        b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); b.connect(a.getsockname()); b.send(b"x")
        data, peer = a.recvfrom(9); a.sendto(b"y", peer); assert b.recv(9) == b"y"
        """)
    lab.file(lab.ws / "U.java", """
        import java.net.*;
        public class U { public static void main(String[] args) throws Exception {
            DatagramSocket a = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            DatagramSocket b = new DatagramSocket();
            b.send(new DatagramPacket(new byte[]{1}, 1, a.getLocalSocketAddress()));
            a.setSoTimeout(3000); a.receive(new DatagramPacket(new byte[4], 4));
            ServerSocket s = new ServerSocket(0, 1, InetAddress.getByName(null));
            new Socket(s.getInetAddress(), s.getLocalPort()).close();
            for (NetworkInterface n : java.util.Collections.list(NetworkInterface.getNetworkInterfaces())) n.isUp();
            System.out.println("good"); } }
        """)
    keeps(lab, ["java", "U.java"], same=True)


def test_ipv6_loopback(lab):
    assert Path("/proc/net/if_inet6").exists(), "this machine has no IPv6: the test says nothing"
    python_keeps(lab, """if True:
        import socket
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
        socket.create_connection(("::1", server.getsockname()[1]), 3); server.accept()
        both = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        socket.create_connection(("127.0.0.1", both.getsockname()[1]), 3)
        socket.create_connection(("localhost", both.getsockname()[1]), 3)
        """)
    node_keeps(lab, "const n = require('net'); const s = n.createServer(c => c.end()).listen(0, 'localhost', () =>"
                    "n.connect(s.address().port, 'localhost').on('connect', () => process.exit(0))"
                    ".on('error', e => { console.error(e); process.exit(1) }))")


def test_resolver_file_whose_target_is_hidden(lab):
    """The box starts whatever link /etc/resolv.conf is, and localhost has an address."""
    etc = lab.scratch.path / "etc"
    mounts = f"""
        [ -d '{etc}' ] || {{ mkdir '{etc}'; cp -r /etc/ssl /etc/passwd /etc/group /etc/hosts /etc/nsswitch.conf \\
            /etc/ld.so.cache /etc/alternatives '{etc}/' 2>/dev/null || true; }}
        ln -sfn TARGET '{etc}/resolv.conf'; mount --bind '{etc}' /etc; mount -t tmpfs t /run
        mkdir -p /run/systemd/resolve; echo 'nameserver 127.0.0.53' >/run/systemd/resolve/stub-resolv.conf"""
    line = pinfold_line(lab, "run", "--workspace", lab.ws, "--", "sh", "-c", "echo started; getent hosts localhost")
    for target in ("../run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/stub-resolv.conf", "/nonexistent/x",
                   "resolv.conf"):
        code, out, err = run_with_mounts(lab, mounts.replace("TARGET", target), line)
        assert code == 0 and out.startswith("started\n"), (target, code, out, err)
        assert "127.0.0.1" in out or "::1" in out, (target, out, err)
    raw(lab, lab.user.argv(["rm", "-rf", etc]))


def test_long_runtime_folders_and_short_temporary_ones(lab):
    long = lab.scratch.path / ("a" * 120)
    long.mkdir()
    lab.own(long)
    text = os.fspath(long)
    env = {"TMPDIR": text, "HOME": text, "XDG_RUNTIME_DIR": text, "XDG_STATE_HOME": text, "XDG_CACHE_HOME": text}
    result = lab.run(["true"], env=env)
    assert (result.code, result.err) == (0, ""), result
    for env in ({}, {"TMPDIR": text}):
        inside = lab.run(["sh", "-c", 'printf %s "${TMPDIR:-/tmp}"'], env={"PATH": PATH, **env})
        assert inside.code == 0 and len(inside.out) <= 60, inside


def test_runtime_folder_that_is_named_can_be_used(lab):
    """Where XDG_RUNTIME_DIR is set inside, it can be written."""
    folder = lab.scratch.path / "run"
    folder.mkdir(0o700)
    lab.own(folder)
    script = 'd=${XDG_RUNTIME_DIR:-/tmp}; : >"$d/probe" && rm "$d/probe"'
    keeps(lab, ["sh", "-c", script], env={"XDG_RUNTIME_DIR": os.fspath(folder)})


def test_no_network_fails_at_once(lab):
    code = """if True:
        import socket, sys
        try: socket.create_connection(("198.51.100.1", 80), 20)
        except socket.timeout: sys.exit("timed out")
        except OSError: pass
        try: socket.getaddrinfo("allowed.test", 80)
        except OSError: pass
        """
    done = raw(lab, box_argv(lab, ["/usr/bin/python3", "-c", code]), timeout=8)
    assert done.returncode == 0, done
