"""The environment: an allow-list. Secrets and variables that load code stay outside; the receipt names them."""
import json
import os

from workbench import PATH

SECRETS = [
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AZURE_CLIENT_SECRET",
    "GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN", "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY", "HF_TOKEN", "MY_TOKEN", "DATABASE_URL", "PGPASSWORD", "SSH_AUTH_SOCK", "SSH_AGENT_PID",
    "SSH_CONNECTION", "GPG_AGENT_INFO", "DOCKER_HOST", "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS",
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "TMUX", "STY", "VAULT_TOKEN",
    "CARGO_REGISTRY_TOKEN", "TWINE_PASSWORD", "SENTRY_DSN", "COOKIE", "lower_case", "X" * 200]
LOADERS = [
    "BASH_ENV", "ENV", "NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PERL5LIB",
    "PERL5OPT", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
    "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_DIR", "GIT_ASKPASS",
    "GIT_EXTERNAL_DIFF", "PROMPT_COMMAND", "PS4", "SHELLOPTS", "IFS", "RUSTC_WRAPPER", "LESSOPEN", "ZDOTDIR",
    "CDPATH", "GCONV_PATH", "LOCPATH", "HOSTALIASES", "RES_OPTIONS", "MALLOC_TRACE"]
KEPT = [
    "LANG", "LC_ALL", "LC_TIME", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TZ", "USER",
    "LOGNAME", "SHELL", "CI", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "AR", "MAKEFLAGS",
    "RUSTFLAGS", "GOFLAGS", "PKG_CONFIG_PATH", "JAVA_HOME", "VIRTUAL_ENV", "NODE_ENV", "PYTHONUNBUFFERED",
    "SOURCE_DATE_EPOCH", "EDITOR", "PAGER", "COLUMNS", "LINES"]


def inside(lab, *options, env=None, front=()):
    """The environment that a command sees in the box."""
    line = [*front, lab.pinfold, "run", "--workspace", lab.ws, *options, "--", "env", "-0"]
    result = lab.plain(line, env={"PATH": PATH, **(env or {})})
    assert result.code == 0, result
    return dict(entry.split("=", 1) for entry in result.out.split("\0") if entry)


def test_secrets_and_loaders_are_dropped_and_named(lab):
    given = {name: f"value-of-{i}" for i, name in enumerate([*SECRETS, *LOADERS])}
    result, receipt = lab.receipt(["env", "-0"], env={"PATH": PATH, **given})
    assert result.code == 0 and "value-of-" not in result.out
    assert [n for n in given if n not in receipt["environment"]["dropped"]] == []
    assert "value-of-" not in json.dumps(receipt)


def test_loader_variables_reach_neither_pinfold_nor_the_command(lab):
    env = {"LD_PRELOAD": "/no/such.so", "LD_LIBRARY_PATH": "/no", "LD_AUDIT": "/no/such.so", "LD_DEBUG": "all",
           "GLIBC_TUNABLES": "glibc.malloc.check=3"}
    front = ["/usr/bin/env", *(f"{k}={v}" for k, v in env.items())]   # so that env does not load them
    seen = inside(lab, front=front)
    assert [n for n in env if n in seen] == []


def test_kept_with_their_values(lab):
    given = {name: f"value-of-{i}" for i, name in enumerate(KEPT)}
    seen = inside(lab, env=given)
    assert {n: seen.get(n) for n in given} == given


def test_home_path_and_pwd(lab):
    seen = inside(lab)
    assert seen["HOME"] == os.fspath(lab.home) and seen["PATH"] == PATH and seen["PWD"] == os.fspath(lab.ws)


def test_name_passes_a_variable_of_the_callers(lab):
    env = {"MY_TOKEN": "one", "OTHER_TOKEN": "two"}
    seen = inside(lab, "--env", "MY_TOKEN", env=env)
    assert seen["MY_TOKEN"] == "one" and "OTHER_TOKEN" not in seen


def test_name_that_the_caller_has_not(lab):
    assert "ABSENT_NAME" not in inside(lab, "--env", "ABSENT_NAME")


def test_name_and_value_set_one(lab):
    seen = inside(lab, "--env", "NEW=a=b c", "--env", "LANG=xx", "--env", "EMPTY=", "--env", "MY_TOKEN=mine",
                  env={"MY_TOKEN": "callers", "LANG": "C"})
    assert (seen["NEW"], seen["LANG"], seen["EMPTY"], seen["MY_TOKEN"]) == ("a=b c", "xx", "", "mine")


def test_last_of_two_wins(lab):
    assert inside(lab, "--env", "X=1", "--env", "X=2")["X"] == "2"


def test_value_is_bytes(lab):
    value = os.fsdecode(b"\xff\n\x01")
    assert inside(lab, "--env", f"X={value}")["X"] == value
    assert inside(lab, "--env", "X", env={"X": value})["X"] == value


def test_set_values_are_not_on_the_receipt(lab):
    words = ["--env", "MY_TOKEN=value-of-it", "--env", "OTHER"]
    _, receipt = lab.receipt(["true"], *words, env={"OTHER": "value-of-other"})
    text = json.dumps(receipt)
    assert "value-of-" not in text and {"MY_TOKEN", "OTHER"} <= set(receipt["environment"]["kept"])
    assert "MY_TOKEN" not in receipt["environment"]["dropped"]


def test_no_variable_appears_that_nobody_gave(lab):
    assert set(inside(lab)) <= {"PATH", "LANG", "TERM", "HOME", "PWD", "TMPDIR", "USER", "LOGNAME", "SHELL"}


def test_entries_that_are_no_variables(lab):
    """An environment with entries that have no name or no value, and the same name twice."""
    code = """if True:
        import ctypes, os, sys
        words = [os.fsencode(w) for w in sys.argv[1:]]
        entries = [b"PATH=%s" % os.fsencode(os.environ["PATH"]), b"no-equals-sign", b"=empty-name", b"",
                   b"LANG=one", b"LANG=two",
                   b"HOME=%s" % os.fsencode(os.environ["HOME"]), b"BASH_FUNC_ls%%=() { echo evil; }", b"TERM=dumb\\xff"]
        argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
        envp = (ctypes.c_char_p * (len(entries) + 1))(*entries, None)
        ctypes.CDLL(None).execve(words[0], argv, envp)
        """
    seen = inside(lab, front=["/usr/bin/python3", "-c", code])
    assert seen["LANG"] in ("one", "two") and "" not in seen and not any(n.startswith("BASH_FUNC") for n in seen), seen


def test_shell_functions_stay_outside(lab):
    env = {"PATH": PATH, "BASH_FUNC_ls%%": "() { echo evil; }"}
    result = lab.run(["bash", "-c", "ls >/dev/null; type -t ls"], env=env)
    assert result.out.strip() == "file", result
