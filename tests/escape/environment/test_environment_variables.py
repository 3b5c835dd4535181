"""Variables of the caller: secrets and code-loading ones don't reach the command; 111 and 112. E: the allow-list."""
import json

import pytest

SECRETS = """AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GITHUB_TOKEN GH_TOKEN NPM_TOKEN ANTHROPIC_API_KEY
OPENAI_API_KEY SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS KUBECONFIG
DOCKER_HOST DOCKER_CONFIG DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR PULSE_SERVER TMUX TMUX_PANE STY
VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE NVIM SSH_CLIENT SSH_CONNECTION SSH_TTY GOOGLE_APPLICATION_CREDENTIALS
AZURE_CLIENT_SECRET VAULT_TOKEN PGPASSWORD MYSQL_PWD CARGO_REGISTRY_TOKEN TWINE_PASSWORD HF_TOKEN MAIL NETRC
http_proxy HTTPS_PROXY ALL_PROXY SOME_UNHEARD_OF_NAME _ALSO_THIS lower_case_secret""".split()

LOADING = """
LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH LD_DEBUG LD_PROFILE GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH BASH_ENV ENV
SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT NODE_OPTIONS NODE_PATH
PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS GIT_SSH_COMMAND GIT_DIR
GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PAGER SSH_ASKPASS
LESSOPEN RUSTC_WRAPPER CDPATH GLOBIGNORE IFS PINFOLD_WITHOUT PINFOLD_WAIVE""".split()

SHOW = ["/usr/bin/env", "-0"]


def shown(done):
    assert done.code == 0, done
    return [entry.split("=", 1) for entry in done.out.split("\0") if entry]


@pytest.mark.parametrize("names", [SECRETS, LOADING], ids=["e111-secrets", "e112-loading"])
def test_e111_e112_dropped(lab, names):
    """None of these names is set inside, each of them was outside; no value hides under another name; the receipt
    lists every dropped name. With --env NAME it is there."""
    harmful = {"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "LD_PROFILE", "GCONV_PATH", "GLIBC_TUNABLES"}
    wanted = {name: f"v{number}-s3cr3t" for number, name in enumerate(names) if name not in harmful}
    outside = dict(shown(lab.plain(SHOW, env=wanted)))
    assert wanted.items() <= outside.items(), "control leg"
    done, receipt = lab.receipt(SHOW, env=wanted)
    inside = shown(done)
    assert not [pair for pair in inside if pair[0] in wanted or "s3cr3t" in pair[1]], inside
    text = json.dumps(receipt)
    assert not [name for name in wanted if f'"{name}"' not in text], "the receipt doesn't name what it dropped"
    assert "s3cr3t" not in text, "the receipt shows a value"
    grants = [word for name in wanted for word in ("--env", name)]
    if "PINFOLD_WITHOUT" not in names:
        assert wanted.items() <= dict(shown(lab.run(SHOW, *grants, env=wanted))).items()


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "LD_PRELOAD", "BASH_ENV", "PYTHONSTARTUP",
                                  "NODE_OPTIONS", "PERL5OPT", "GIT_SSH_COMMAND", "LD_AUDIT"])
def test_e111_legs(lab, name):
    """One variable at a time: set outside, not inside, set inside with the grant, by name and by value."""
    value = {"NODE_OPTIONS": "--no-warnings"}.get(name, "/nonexistent-s3cr3t")
    words = ["environment_read", name]
    lab.legs(words, {"ENOENT"}, env={name: value}, grant=["--env", name])
    lab.legs(words, {"ENOENT"}, control=False, grant=["--env", f"{name}={value}"])


def test_e112_exported_function(lab):
    """A shell function in the environment doesn't arrive, so it can't stand in for a command."""
    env = {"BASH_FUNC_ls%%": "() { echo hijacked; }"}
    command = ["/bin/bash", "-c", "ls /nonexistent 2>/dev/null; echo end"]
    assert lab.plain(command, env=env).out == "hijacked\nend\n", "control leg"
    assert lab.run(command, env=env).out == "end\n"


CANARIES = {
    "bash": ({"BASH_ENV": "FILE"}, "echo canary\n", ["/bin/bash", "-c", "true"]),
    "perl": ({"PERL5OPT": "-MCanary", "PERL5LIB": "FOLDER"}, 'print "canary\\n"; 1;\n', ["/usr/bin/perl", "-e", "1"]),
    "python": ({"PYTHONPATH": "FOLDER"}, 'print("canary")\n', ["/usr/bin/python3", "-c", "0"]),
    "node": ({"NODE_OPTIONS": "--require=FILE"}, 'console.log("canary")\n', ["/usr/bin/env", "node", "-e", "0"]),
}


@pytest.mark.parametrize("tool", CANARIES)
def test_e112_code_is_not_loaded(lab, tool):
    """End to end: a file of the workspace that the caller's variables name is not run inside."""
    env, text, command = CANARIES[tool]
    name = {"bash": "canary.sh", "perl": "Canary.pm", "python": "sitecustomize.py", "node": "canary.js"}[tool]
    path = lab.file(lab.ws / "canary" / name, text)
    env = {k: v.replace("FILE", str(path)).replace("FOLDER", str(path.parent)) for k, v in env.items()}
    assert lab.plain(command, env=env).out == "canary\n", "control leg"
    done = lab.run(command, env=env)
    assert (done.code, done.out) == (0, ""), done


def test_e112_preload_of_pinfold_itself(lab):
    """Loader variables do nothing to pinfold: it is static and doesn't look at them."""
    source = lab.file(lab.ws / "canary.c", '#include <unistd.h>\n__attribute__((constructor)) static void run(void)\n'
                      '{ (void)!write(1, "canary\\n", 7); }\n')
    library = lab.ws / "canary.so"
    assert lab.plain(["/usr/bin/gcc", "-shared", "-fPIC", "-o", library, source]).code == 0
    loaded = ["/usr/bin/env", f"LD_PRELOAD={library}"]
    assert lab.plain([*loaded, "/bin/true"]).out == "canary\n", "control leg"
    done = lab.plain([*loaded, lab.pinfold, "run", "--workspace", lab.ws, "--", "/bin/true"])
    assert (done.code, done.out) == (0, ""), done


def test_environment_that_programs_need(lab):
    """PATH, HOME, locale and terminal arrive, and a value is kept as it is, byte by byte."""
    env = {"LANG": "C.UTF-8", "LC_ALL": "C", "TERM": "xterm-256color", "CI": "true", "TZ": "Europe/Berlin"}
    inside = dict(shown(lab.run(SHOW, env=env)))
    assert env.items() <= inside.items(), inside
    assert inside["HOME"] == str(lab.home) and inside["PATH"]
    value = "a=b\n\udcff ünï"
    assert dict(shown(lab.run(SHOW, "--env", f"X={value}")))["X"] == value


def test_e111_duplicate_names(lab):
    """Two variables of one name, of which a program would find either, are both gone."""
    script = ("import ctypes, os, sys\n"
              "c = ctypes.CDLL(None)\n"
              "words = [os.fsencode(w) for w in sys.argv[1:]]\n"
              "argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)\n"
              "extra = [b'GH_TOKEN=s3cr3t1', b'GH_TOKEN=s3cr3t2', b'=s3cr3t3', b's3cr3t4']\n"
              "old = [os.fsencode(k + '=' + v) for k, v in os.environ.items()]\n"
              "envp = (ctypes.c_char_p * (len(old) + len(extra) + 1))(*old, *extra, None)\n"
              "c.execve(words[0], argv, envp)\n")
    python = ["/usr/bin/python3", "-c", script]
    outer = lab.plain([*python, "/bin/cat", "/proc/self/environ"])
    assert outer.out.count("s3cr3t") == 4, f"control leg: {outer}"
    inner = lab.plain([*python, lab.pinfold, "run", "--workspace", lab.ws, "--", "/bin/cat", "/proc/self/environ"])
    assert inner.code == 0 and "s3cr3t" not in inner.out, inner
