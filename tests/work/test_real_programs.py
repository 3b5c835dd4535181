"""Real programs in the box, unchanged: each is run without a box first and must do the same in it."""
import os
import shutil
from pathlib import Path

import pytest

from workbench import PATH, PYTHON, checkout_copy, installed, keeps, node_keeps, python_keeps, raw


def test_python_multiprocessing(lab):
    lab.file(lab.ws / "mp.py", """
import concurrent.futures, multiprocessing as mp
def square(x): return x * x
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with mp.get_context(method).Pool(2) as pool: print(sum(pool.map(square, range(100))))
    with concurrent.futures.ProcessPoolExecutor(2) as pool: print(list(pool.map(square, range(5))))
    queue = mp.Queue(); child = mp.Process(target=queue.put, args=("q",)); child.start()
    print(queue.get()); child.join()
""")
    keeps(lab, [PYTHON, "mp.py"], same=True)


def test_python_threads_and_subprocesses(lab):
    python_keeps(lab, """if True:
        import asyncio, subprocess, threading
        async def main():
            return await asyncio.gather(*[asyncio.to_thread(lambda i=i: i * i) for i in range(20)])
        print(asyncio.run(main()))
        print(subprocess.run(["sh", "-c", "cat; exit 3"], input=b"in", capture_output=True))
        print(subprocess.check_output("echo $((6 * 7))", shell=True), subprocess.getoutput("true"))
        p = subprocess.Popen(["sleep", "60"], start_new_session=True); p.terminate(); print(p.wait())
        """, same=True)


def test_python_loopback_server(lab):
    python_keeps(lab, """if True:
        import http.server, threading, urllib.request
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for host in ("127.0.0.1", "localhost"):
            print(urllib.request.urlopen(f"http://{host}:{server.server_port}/", timeout=5).status)
        """, same=True)


def test_node_children(lab):
    lab.file(lab.ws / "child.js", "process.on('message', m => { process.send(m * 2); process.disconnect() })\n")
    node_keeps(lab, """
        const cp = require('child_process');
        const r = cp.spawnSync('sh', ['-c', 'cat; echo err >&2; exit 4'], {input: 'in'});
        console.log(r.status, r.stdout + '', r.stderr + '', cp.execSync('echo $((6 * 7))') + '');
        const c = cp.fork('./child.js'); c.on('message', m => console.log('child', m)); c.send(21)""", same=True)


def test_node_worker_threads(lab):
    node_keeps(lab, """
        const {Worker} = require('worker_threads');
        const one = i => new Promise((yes, no) => {
            const w = new Worker('const w = require("worker_threads"); w.parentPort.postMessage(w.workerData * 2)',
                                 {eval: true, workerData: i}); w.on('message', yes); w.on('error', no) });
        Promise.all([1, 2, 3, 4].map(one)).then(r => console.log(r))""", same=True)


def test_node_http_and_interfaces(lab):
    node_keeps(lab, """
        const http = require('http'), os = require('os');
        if (!os.networkInterfaces().lo) throw new Error('no loopback interface');
        const server = http.createServer((q, r) => q.pipe(r)).listen(0, '127.0.0.1', async () => {
            const url = `http://127.0.0.1:${server.address().port}/`;
            const r = await fetch(url, {method: 'POST', body: 'x'.repeat(1000000)});
            console.log(r.status, (await r.text()).length); server.close() })""", same=True)


def test_node_test_runner(lab):
    lab.file(lab.ws / "a.test.js", "require('node:test')('sum', () => require('assert').equal(1 + 1, 2))\n")
    assert "# pass 1" in keeps(lab, ["node", "--test", "--test-reporter=tap"]).out


def crate(lab):
    top = lab.ws / "crate"
    shutil.rmtree(top, ignore_errors=True)
    lab.file(top / "Cargo.toml", '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n')
    lab.file(top / "build.rs", 'fn main() { println!("cargo:rustc-env=BUILT=yes"); }\n')
    lab.file(top / "src" / "lib.rs", "pub fn twice(x: u32) -> u32 { 2 * x }\n"
             "#[cfg(test)] mod tests { #[test] fn doubles() {\n"
             "    assert_eq!(super::twice(2), 4); assert_eq!(env!(\"BUILT\"), \"yes\"); } }\n")
    lab.file(top / "src" / "main.rs", 'fn main() { println!("{}", sample::twice(21)); }\n')
    return top


def test_cargo(lab):
    assert shutil.which("cargo", path=PATH) and shutil.which("rustc", path=PATH), "Debian's cargo is missing"
    top = lab.ws / "crate"
    script = "cargo build --offline --quiet && cargo test --offline --quiet && ./target/debug/sample"
    result = keeps(lab, ["sh", "-c", f"cd {top} && {script}"], prepare=lambda: crate(lab), timeout=300)
    assert result.out.endswith("42\n") and "1 passed" in result.out


def test_cargo_of_rustup(lab):
    """A toolchain in a home folder, given by --read."""
    homes = [Path.home() / ".cargo", Path.home() / ".rustup"]
    if lab.user.uid != os.geteuid():
        return   # another user's home can't be passed by this one; Debian's cargo is tested for all
    if not all(os.access(h, os.R_OK) for h in homes):
        return   # no toolchain of rustup's on this machine
    crate(lab)
    env = {"PATH": f"{homes[0]}/bin:{PATH}", "CARGO_HOME": f"{lab.ws}/cargo-home", "RUSTUP_HOME": os.fspath(homes[1])}
    grants = [w for h in homes for w in ("--read", h)]
    result = lab.run(["sh", "-c", "cd crate && cargo build --offline --quiet && cargo test --offline --quiet"], *grants,
                     "--env", "CARGO_HOME", "--env", "RUSTUP_HOME", env=env, timeout=300)
    assert result.code == 0 and "1 passed" in result.out, result


def test_java(lab):
    lab.file(lab.ws / "Sum.java", """
        import java.util.stream.*;
        public class Sum { public static void main(String[] a) throws Exception {
            System.out.println(IntStream.range(0, 1000).parallel().sum());
            Process p = new ProcessBuilder("sh", "-c", "echo child").redirectErrorStream(true).start();
            System.out.print(new String(p.getInputStream().readAllBytes()));
            java.io.File f = java.io.File.createTempFile("abc", ".d"); System.out.println(f.delete()); } }
        """)
    keeps(lab, ["sh", "-ec", "javac Sum.java; java Sum; java Sum.java"], same=True, timeout=180)


def test_perl(lab):
    code = ('use Socket; use File::Temp; socketpair(A, B, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die; my $p = fork; '
            'if (!$p) { syswrite B, "x"; exit 3 } sysread A, my $b, 1; waitpid $p, 0; print $b, $? >> 8, `echo y`, '
            'File::Temp->new->print("z"), "\\n"; open my $f, "-|", "seq 3" or die; print <$f>')
    keeps(lab, ["perl", "-e", code], same=True)


def test_make_in_parallel(lab):
    lab.file(lab.ws / "Makefile", ".PHONY: all\nall: $(addsuffix .o,$(shell seq 1 20))\n%.o:\n"
             "\t@sleep .02; $(MAKE) -s --no-print-directory -f sub.mk N=$* >$@\n")
    lab.file(lab.ws / "sub.mk", "all:\n\t@echo $(N)\n")
    script = "rm -f *.o && make -s -j2 && cat *.o | sort -n"
    assert keeps(lab, ["sh", "-c", script], same=True).out == "".join(f"{i}\n" for i in range(1, 21))


def test_gdb_runs_a_program(lab):
    lab.file(lab.ws / "t.c", "#include <stdio.h>\nint twice(int x) { return 2 * x; }\n"
             "int main(void) { printf(\"%d\\n\", twice(21)); }\n")
    keeps(lab, ["gcc", "-g", "-O0", "-o", "t", "t.c"])
    line = ["gdb", "-nx", "-batch", "-ex", "break twice", "-ex", "run", "-ex", "bt", "-ex", "continue", "./t"]
    out = keeps(lab, line).out
    assert "Breakpoint 1, twice" in out and "42" in out and "exited normally" in out


@pytest.mark.parametrize("shell_name", ["zsh", "bash"])
def test_shell_here_document_of_200_kb(lab, shell_name):
    assert shutil.which(shell_name), f"{shell_name} is missing"
    text = "".join(f"line {i} $HOME_IS_KEPT\n" for i in range(8000))
    lab.file(lab.ws / "big", "cat <<'X' >out\n" + text + "X\n")
    keeps(lab, [shell_name, "big"], prepare=lambda: (lab.ws / "out").unlink(missing_ok=True))
    assert (lab.ws / "out").read_text() == text


def test_c_compile_link_and_run(lab):
    lab.file(lab.ws / "main.c", "#include <math.h>\n#include <pthread.h>\n#include <stdio.h>\n"
             "static void *run(void *p) { *(double *)p = sqrt(*(double *)p); return 0; }\n"
             "int main(void) { double d = 1764; pthread_t t; pthread_create(&t, 0, run, &d);\n"
             "    pthread_join(t, 0); printf(\"%.0f\\n\", d); }\n")
    script = "gcc -pipe -O2 -flto -o main main.c -lm -pthread && ./main && ar rc lib.a && ldd main | grep -c libm"
    assert keeps(lab, ["sh", "-c", script], same=True).out.startswith("42\n")


def test_sqlite_and_file_locks(lab):
    python_keeps(lab, """if True:
        import os, sqlite3
        if os.path.exists("db"): os.unlink("db")
        d = sqlite3.connect("db"); d.execute("pragma journal_mode=wal"); d.execute("create table t (x)")
        d.executemany("insert into t values (?)", [(i,) for i in range(1000)]); d.commit()
        print(d.execute("select sum(x) from t").fetchone())
        """, same=True)


@pytest.mark.slow
def test_pinfold_builds_and_tests_itself(lab):
    """A copy of the checkout is built and its unit tests run, in a box of an installed pinfold."""
    copy, pinfold = checkout_copy(lab), installed(lab)
    script = "make everything && for t in build/tests/unit-*; do [ -d $t ] || CMOCKA_MESSAGE_OUTPUT=TAP $t; done"
    line = [pinfold, "run", "--workspace", copy, "--", "sh", "-ec", script]
    result = raw(lab, lab.user.argv(line), cwd=copy, timeout=900)
    assert result.returncode == 0, result.stdout.decode()[-3000:] + result.stderr.decode()[-3000:]
    assert result.stdout.count(b"\nok ") > 20 and b"\nnot ok " not in result.stdout
    assert (copy / "build" / "pinfold").exists()
