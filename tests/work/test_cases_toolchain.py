"""Toolchains: caches, trust stores, interpreters, ids without a name, locks in /tmp, children with pipes, nesting."""
import json
import os

import harness
from workbench import PATH, PYTHON, box_argv, keeps, node_keeps, python_keeps, raw, shell


def test_caches_and_tool_state_under_home(lab):
    """Tools that keep a cache or settings in the home folder work with no option, and the real home stays as it was."""
    lab.file(lab.ws / "p" / "package.json", json.dumps({"name": "dep", "version": "1.0.0"}))
    lab.file(lab.ws / "app" / "package.json", json.dumps({"name": "app"}))
    before = harness.tree(lab.home)
    script = ("cd p && npm pack --silent >/dev/null && cd ../app && "
              "npm install --offline --no-audit --no-fund --silent ../p/dep-1.0.0.tgz && "
              "test -e node_modules/dep/package.json")
    assert shell(lab, script, timeout=120).code == 0
    for script in ('mkdir -p "$HOME/.cache/uv" "$HOME/.cargo/registry" && : >"$HOME/.cargo/registry/.lock"',
                   f"{PYTHON} -m venv v && v/bin/python -c 'import sys; assert sys.prefix != sys.base_prefix'"):
        result = shell(lab, script, timeout=120)
        assert result.code == 0, result
    assert harness.tree(lab.home) == before


def test_packages_with_well_known_folder_names(lab):
    """An archive that holds .vscode, .env and the like unpacks whole."""
    held = [".vscode/settings.json", ".idea/x.xml", ".github/workflows/ci.yml", ".husky/pre-commit",
            ".claude/settings.json", ".env", ".bashrc", ".gitconfig", ".npmrc"]
    for name in held:
        lab.file(lab.ws / "p" / "package" / name, "\n")
    lab.file(lab.ws / "p" / "package" / "package.json", json.dumps({"name": "dep", "version": "1.0.0"}))
    lab.file(lab.ws / "package.json", json.dumps({"name": "app"}))
    script = ("tar -C p -czf dep.tgz package && mkdir t && tar -C t -xzf dep.tgz && npm_config_cache=$PWD/.c "
              "npm install --offline --no-audit --no-fund --silent ./dep.tgz")
    result = shell(lab, script, timeout=120)
    assert result.code == 0, result
    assert all((lab.ws / "t" / "package" / n).exists() for n in held)
    assert (lab.ws / "node_modules" / "dep" / ".vscode" / "settings.json").exists()


def test_trust_stores(lab):
    python_keeps(lab, "import ssl; assert ssl.create_default_context().cert_store_stats()['x509_ca'] > 10")
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    keeps(lab, ["sh", "-c", f"openssl crl2pkcs7 -nocrl -certfile {bundle} >/dev/null"])
    script = "f=$(ls /etc/ssl/certs/*.pem | head -1); openssl verify -CApath /etc/ssl/certs $f"
    keeps(lab, ["sh", "-c", script], same=True)


def test_interpreter_lines(lab):
    scripts = {"s1": '#!/usr/bin/env python3\nprint("py")\n', "s2": '#!/usr/bin/perl\nprint "pl\\n"',
               "s3": '#!/usr/bin/awk -f\nBEGIN{print "aw"}\n', "s5": "#!/bin/sh\necho sh\n"}
    for name, text in scripts.items():
        lab.file(lab.ws / name, text, 0o755)
        assert keeps(lab, [f"./{name}"], same=True).out
    lab.file(lab.ws / "s4", "echo raw\n", 0o755)
    assert keeps(lab, ["sh", "-c", "./s4"], same=True).out == "raw\n"
    lab.file(lab.ws / "s6", "#!/no/such/interpreter\n", 0o755)
    result = lab.run(["./s6"])
    assert result.code in (126, 127) and "s6" in result.err, result


def test_compile_and_run(lab):
    lab.file(lab.ws / "c.c", "int main(void) { return 3; }\n")
    keeps(lab, ["sh", "-c", "gcc -o c c.c && ./c; test $? = 3 && gcc -static -o d c.c && ./d; test $? = 3"])
    keeps(lab, ["sh", "-c", "clang -O2 -g -o e c.c && ./e; test $? = 3"])


def test_loader_locale_and_zones(lab):
    keeps(lab, ["sh", "-c", "/sbin/ldconfig -p >/dev/null && locale >/dev/null && ls /usr/share/zoneinfo/UTC && "
                            "TZ=Asia/Tokyo date -d @0 && readlink -f /etc/alternatives/awk"], same=True)
    python_keeps(lab, "import ctypes.util, time; assert ctypes.util.find_library('c'); time.tzname")


def test_user_without_an_entry_in_passwd():
    """An id that no name service knows runs a box all the same."""
    if os.geteuid() != 0:
        lab, front = harness.Lab(harness.User(os.geteuid())), ["unshare", "-U", "--map-user=54321", "--map-group=54321"]
    else:
        lab, front = harness.Lab(harness.User(54321)), []
    try:
        script = (f'id -u; {PYTHON} -c "import os; os.path.expanduser(chr(126))"; '
                  'node -e "try { require(\'os\').userInfo() } catch (e) {}"; git init -q z && echo git')
        for line in (lab.user.argv(["sh", "-c", script]), box_argv(lab, ["sh", "-c", script])):
            done = raw(lab, [*front, *line])
            assert done.stdout == b"54321\ngit\n", done
    finally:
        lab.close()


def test_names_and_groups_as_outside(lab):
    keeps(lab, ["sh", "-c", "id -un; id -gn; id -Gn; whoami"], same=True)


def test_lock_files_and_maps_in_tmp(lab):
    python_keeps(lab, """if True:
        import fcntl, mmap, os, socket, stat
        d = "/tmp/.shared-%d" % os.getpid(); os.mkdir(d); os.chmod(d, 0o1777)
        f = open(d + "/m", "w+b"); f.truncate(4096); m = mmap.mmap(f.fileno(), 4096); m[0] = 1
        fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX); os.chmod(d + "/m", 0o666)
        s = socket.socket(socket.AF_UNIX); s.bind(d + "/p"); s.listen()
        c = socket.socket(socket.AF_UNIX); c.connect(d + "/p"); s.accept(); os.mkfifo(d + "/q")
        for folder in ("/tmp", "/var/tmp"):
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o1777, folder
        for name in "mpq": os.unlink(d + "/" + name)
        os.rmdir(d)
        """)


def test_children_with_pipes(lab):
    node_keeps(lab, """
        const {spawn} = require('child_process'); let n = 0;
        for (let i = 0; i < 40; i++) {
            const c = spawn('cat', [], {stdio: ['pipe', 'pipe', 'pipe', 'ipc']});
            c.stdin.end('x'); c.stdout.on('data', () => {});
            c.on('close', r => { if (r) process.exit(1); if (++n == 40) process.exit(0) }) }""")
    lab.file(lab.ws / "k.js", "process.send(1)\n")
    node_keeps(lab, "require('child_process').fork('./k.js').on('message', () => process.exit(0))")
    python_keeps(lab, """if True:
        import asyncio
        async def main():
            p = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
            assert (await p.communicate(b"x"))[0] == b"x"
        asyncio.run(main())
        """)


def test_a_box_in_a_box_works_or_says_why_not(lab):
    """An inner run either works or refuses in clear words, and never widens the outer policy."""
    inner = [lab.pinfold, "run", "--workspace", lab.ws]
    see = ["--read", os.path.dirname(lab.pinfold)]
    result = lab.run([*inner, "--", "sh", "-c", "echo two; echo x >n2"], *see, timeout=30)
    if result.code == 0:
        assert result.out == "two\n" and (lab.ws / "n2").exists()
    else:
        assert result.code == 126 and result.err.startswith("pinfold: ") and not (lab.ws / "n2").exists(), result
    leak = lab.outside / "leak"
    lab.run([*inner, "--write", lab.outside, "--", "sh", "-c", f"echo x >{leak}"], *see, timeout=30)
    assert not leak.exists()


def test_environment_of_the_caller_switches_nothing_off(lab):
    leak = lab.outside / "leak"
    env = {f"PINFOLD_{n}": "1" for n in ("DISABLE", "OFF", "UNSAFE", "UNSAFE_LOCAL_EXEC", "NO_SANDBOX", "DEBUG")}
    env |= {"PINFOLD_WRITE": "/", "PINFOLD_OPTIONS": "--write /", "PINFOLD_WITHOUT": "mounts-readonly,landlock,seccomp"}
    result = lab.run(["sh", "-c", f"echo x >{leak}; echo x >/usr/leak"], env={"PATH": PATH, **env})
    assert result.code != 0 and not leak.exists() and not os.path.exists("/usr/leak")


def test_files_in_the_workspace_change_no_policy(lab):
    text = '{"write": ["/"], "waive": ["fs-write"]}'
    for name in (".pinfold.json", "pinfold.json", ".pinfold/policy.json", ".config/pinfold/policy.json"):
        lab.file(lab.ws / name, text)
    leak = lab.outside / "leak"
    result = lab.run(["sh", "-c", f"echo x >{leak}"])
    assert result.code != 0 and not leak.exists()
