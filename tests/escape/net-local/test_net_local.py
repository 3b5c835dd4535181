"""The host's loopback and other boxes can't be reached, nor the box from outside: 167, 173, 174. N: own loopback."""
import socket
import subprocess

import pytest
from net_outside import strike
from victims import unique

LOOPBACK = ["127.0.0.1", "127.7.7.7", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"]


def test_e167_e174_host_loopback_tcp(lab, net):
    """A service on the host's loopback is not on the box's, in any spelling."""
    for attack in "tcp_connect", "tcp_fast_open":
        strike(lab, net, [[attack, address, net.port] for address in LOOPBACK], {"ECONNREFUSED"})


def test_e167_e174_host_loopback_udp(lab, net):
    """Nor does a datagram get there, and nobody answers it."""
    addresses = [address for address in LOOPBACK if address != "127.7.7.7"]
    strike(lab, net, [["udp_ask", address, net.port] for address in addresses], {"ECONNREFUSED"})


def test_e167_on_the_real_host(lab):
    """The same with a listener on this host's own loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        words = ["tcp_connect", "127.0.0.1", str(server.getsockname()[1])]
        assert lab.plain([lab.attacker, *words]).verdict == "ok"
        server.accept()[0].close()
        lab.legs(words, {"ECONNREFUSED"}, control=False)
        with pytest.raises(TimeoutError):
            server.accept()


def listening(lab, stage):
    """A box that listens without bind on a port that the kernel chose; returns (process, port)."""
    tag = stage.tag("listener")
    run = subprocess.Popen(lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker, "--",
                                          lab.attacker, "tcp_listen", "5", tag]), cwd=lab.ws, stdin=subprocess.DEVNULL,
                           env=lab.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = run.stdout.readline().split()
    assert line and line[0] == "ok", run.communicate()
    return run, int(line[1])


def test_e173_listen_without_bind(lab, stage):
    """A listener inside, on a port nobody named, can't be reached from the host. The control listens outside."""
    outer = subprocess.Popen(lab.user.argv([lab.attacker, "tcp_listen", "5", stage.tag("listener")]),
                             stdout=subprocess.PIPE, text=True)
    port = outer.stdout.readline().split()[1]
    assert lab.plain([lab.attacker, "tcp_connect", "127.0.0.1", port]).verdict == "ok" and outer.wait(5) == 0
    run, port = listening(lab, stage)
    for address in "127.0.0.1", "::ffff:127.0.0.1":
        assert lab.plain([lab.attacker, "tcp_connect", address, str(port)]).verdict == "ECONNREFUSED"
    assert run.poll() is None
    run.kill()
    run.communicate()


def test_e167_another_box(lab, stage):
    """Two boxes don't reach each other: not by TCP, not by an abstract socket, not by /tmp or /dev/shm."""
    run, port = listening(lab, stage)
    done = lab.run([lab.attacker, "tcp_connect", "127.0.0.1", str(port)])
    assert done.verdict == "ECONNREFUSED", done
    run.kill()
    run.communicate()
    name = unique("two")
    script = f"import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\\0{name}'); s.listen(); " \
             f"open('/tmp/{name}', 'w'); open('/dev/shm/{name}', 'w'); print('ok', flush=True); time.sleep(5)"
    run = subprocess.Popen(lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, "--", "/usr/bin/python3", "-c",
                                          script]), cwd=lab.ws, stdin=subprocess.DEVNULL, env=lab.environment(),
                           stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ok\n"
    assert lab.run([lab.attacker, "unix_connect", "stream", "@" + name]).verdict == "ECONNREFUSED"
    done = lab.run(["/bin/sh", "-c", f"ls /tmp/{name} /dev/shm/{name}"])
    assert done.code == 2 and done.out == "", done
    run.kill()
    run.communicate()


def test_loopback_inside_works(lab):
    """Servers and clients inside reach each other, by TCP and UDP, version 4 and 6, by address and by localhost."""
    script = ("import socket\n"
              "for host in '127.0.0.1', '::1', '0.0.0.0':\n"
              "    family = socket.AF_INET6 if ':' in host else socket.AF_INET\n"
              "    with socket.create_server((host, 0), family=family) as server:\n"
              "        port = server.getsockname()[1]\n"
              "        with socket.create_connection((host, port)) as a, server.accept()[0] as b:\n"
              "            a.send(b'x'); assert b.recv(4) == b'x'\n"
              "    a, b = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)\n"
              "    a.bind((host, 0)); b.sendto(b'y', (host, a.getsockname()[1])); assert a.recv(4) == b'y'\n"
              "assert socket.getaddrinfo('localhost', 80)\n"
              "print('ok')\n")
    for run in lab.plain, lab.run:
        done = run(["/usr/bin/python3", "-c", script])
        assert done.verdict == "ok", done
