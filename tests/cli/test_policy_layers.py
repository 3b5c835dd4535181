"""Where policies come from and in which order they count; profiles; who may write the files."""
import json
import os

import pytest

from accounts import account, needs_root, readable  # noqa: F401 (a fixture)

pytestmark = needs_root


def seconds(plan):
    return plan["limits"]["timeout_ms"] // 1000


def test_no_file_at_all(account):
    plan = account.explain()
    assert plan["policy"] == {"profile": "default", "files": []}
    assert account.runs()["policy"] == {"profile": "default", "files": []}


def test_the_later_layer_counts(account):
    """Numbers: built in, /etc, the user's, the profile, --policy, the command line; the workspace's only narrows."""
    account.system({"timeout": "10s", "profiles": {"p": {"timeout": "30s"}}})
    assert seconds(account.explain()) == 10
    account.user({"timeout": "20s"})
    assert seconds(account.explain()) == 20
    assert seconds(account.explain("--profile", "p")) == 30
    option = account.option({"timeout": "40s"})
    more = ["--profile", "p", "--policy", option]
    assert seconds(account.explain(*more)) == 40
    assert seconds(account.explain(*more, "--timeout", "50s")) == 50
    account.workspace({"timeout": "60s"})
    assert seconds(account.explain(*more, "--timeout", "50s")) == 50
    account.workspace({"timeout": "5s"})
    assert seconds(account.explain(*more, "--timeout", "50s")) == 5


def test_grants_add_up(account):
    lab, folders = account.lab, {}
    for name in ("system", "user", "profile", "option", "flag"):
        folders[name] = lab.file(lab.outside / name / "f").parent
    account.system({"read": [os.fspath(folders["system"])], "profiles": {"p": {"read": [os.fspath(folders["profile"])]}}})
    account.user({"read": [os.fspath(folders["user"])]})
    option = account.option({"read": [os.fspath(folders["option"])]})
    plan = account.explain("--profile", "p", "--policy", option, "--read", folders["flag"])
    assert {os.fspath(f) for f in folders.values()} <= readable(plan)
    assert plan["policy"] == {"profile": "p", "files": [
        "/etc/pinfold/policy.json", os.fspath(account.user_file), os.fspath(option)]}
    assert os.fspath(folders["profile"]) not in readable(account.explain())


def test_explain_and_receipt_name_files_and_profile(account):
    account.system("{}")
    account.user('{"profile": "verify"}')
    text = account.pinfold("explain", "--workspace", account.lab.ws).out
    assert "Policy: profile verify; files: /etc/pinfold/policy.json, " + os.fspath(account.user_file) in text
    receipt = account.runs("--profile", "default")
    assert receipt["policy"] == {"profile": "default", "files": ["/etc/pinfold/policy.json", os.fspath(account.user_file)]}
    account.workspace("{}")
    assert account.runs("--profile", "default")["policy"]["workspace_trusted"] is False


def test_home_is_the_accounts(account):
    """~ and the user's file are of the passwd entry, not of $HOME or XDG_CONFIG_HOME."""
    lab = account.lab
    lab.file(lab.home / ".config/pinfold/policy.json", '{"timeout": "7s"}')
    other = lab.file(lab.outside / "pinfold/policy.json", '{"timeout": "8s"}').parent.parent
    env = {"XDG_CONFIG_HOME": os.fspath(other), "HOME": os.fspath(lab.home)}
    assert seconds(account.explain(env=env)) == 0
    account.user({"timeout": "9s", "read": ["~/tools"]})
    tools = lab.file(account.home / "tools" / "f").parent
    plan = account.explain(env=env)
    assert seconds(plan) == 9 and os.fspath(tools) in readable(plan)


def test_no_passwd_entry(account):
    account.user({"timeout": "9s"})
    assert seconds(account.explain()) == 9
    account.no_entry()
    assert seconds(account.explain()) == 0
    account.system({"read": ["~/tools"]})
    account.refused(words=["/etc/pinfold/policy.json:1:11: read: ~/tools", "no home"])


def test_passwd_that_cannot_be_read(account):
    account.runs()
    (account.etc / "passwd").chmod(0o600)
    if account.lab.user.uid == 0:
        account.runs()
    else:
        account.refused(code=126, words=["/etc/passwd", "EACCES"])


@pytest.mark.parametrize("spoil, code, word", [
    (lambda p: p.write_text("{"), 125, ":1:2: "),
    (lambda p: (p.unlink(), p.mkdir()), 125, "folder"),
    (lambda p: (p.unlink(), os.mkfifo(p)), 125, "FIFO"),
    (lambda p: (p.unlink(), p.symlink_to(p.name)), 126, "ELOOP"),
    (lambda p: p.chmod(0o666), 125, "chmod go-w"),
    (lambda p: p.parent.chmod(0o777), 125, "chmod go-w"),
    (lambda p: os.chown(p, 4321, 4321), 125, "uid 4321"),
    (lambda p: os.chown(p.parent, 4321, 4321), 125, "uid 4321"),
], ids=["broken", "folder", "fifo", "link", "mode", "folder-mode", "owner", "folder-owner"])
@pytest.mark.parametrize("which", ["system", "user"])
def test_a_file_that_is_there_must_be_good(account, which, spoil, code, word):
    path = getattr(account, which)("{}")
    account.runs()
    spoil(path)
    account.refused(code=code, words=[word])


@pytest.mark.parametrize("which", ["system", "user"])
def test_a_file_that_cannot_be_reached(account, which):
    path = getattr(account, which)("{}")
    path.parent.chmod(0)
    if account.lab.user.uid == 0:
        account.runs()
    else:
        account.refused(code=126, words=["EACCES", "nobody knows"])
    path.parent.chmod(0o755)
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("")   # a file where the folder would be: the policy can't be there
    account.runs()


def test_the_system_file_may_not_be_the_users(account):
    """A file of the caller's own in /etc/pinfold is the caller's: fine for them, and nobody else's business."""
    path = account.system("{}")
    os.chown(path, account.lab.user.uid, 0)
    account.runs()


def test_a_dangling_link_is_absent_and_a_dotfiles_link_is_followed(account):
    lab = account.lab
    lab.file(account.home / ".config" / "x")
    link = account.home / ".config" / "pinfold"
    link.symlink_to(account.home / "dotfiles")
    lab.own(link)
    account.runs()
    lab.file(account.home / "dotfiles" / "policy.json", '{"timeout": "9s"}')
    assert seconds(account.explain()) == 9


# profiles

def test_builtin_profiles(account):
    for name in ("default", "readonly", "verify"):
        assert account.explain("--profile", name)["policy"]["profile"] == name


def test_the_latest_layer_chooses(account):
    define = {name: {"timeout": f"{n}s"} for n, name in enumerate("abcd", 1)}
    account.system({"profile": "a", "profiles": define})
    assert seconds(account.explain()) == 1
    account.user({"profile": "b"})
    assert seconds(account.explain()) == 2
    option = account.option({"profile": "c"})
    assert seconds(account.explain("--policy", option)) == 3
    plan = account.explain("--policy", option, "--profile", "d")
    assert seconds(plan) == 4 and plan["policy"]["profile"] == "d"


def test_extends(account):
    """What is extended comes first, also from another file."""
    lab = account.lab
    one, two = (lab.file(lab.outside / n / "f").parent for n in ("one", "two"))
    account.system({"profiles": {"base": {"read": [os.fspath(one)], "timeout": "1s", "grace": "2s"}}})
    account.user({"profiles": {"top": {"extends": "base", "read": [os.fspath(two)], "timeout": "3s"}}})
    plan = account.explain("--profile", "top")
    assert {os.fspath(one), os.fspath(two)} <= readable(plan)
    assert plan["limits"]["timeout_ms"] == 3000 and plan["limits"]["grace_ms"] == 2000


def test_unknown_profiles(account):
    account.user({"profiles": {"mine": {}, "top": {"extends": "bsae"}}})
    account.refused("--profile", "mnie", words=["--profile: there is no profile mnie", "did you mean mine?"])
    account.refused("--profile", "top", words=[account.user_file, ": extends: ", "bsae"])
    account.refused("--profile", "qqqqqq", words=["there are: default, readonly, verify, mine, top"])
    account.refused("--profile", "", words=["--profile"])


def test_a_name_stands_once(account):
    account.system('{"profiles": {"a": {}}}')
    account.user('{"profiles": {"a": {}}}')
    account.refused(words=[f"{account.user_file}:1:15: profiles", "already", "/etc/pinfold/policy.json:1:15"])


def test_a_profile_nobody_asked_for_undoes_no_mode(account):
    """Seen by a policy file in the workspace, which is refused only where the command could change it."""
    inside = account.lab.file(account.lab.ws / "p.json", "{}")
    account.refused("--policy", inside, words=["holds", "p.json", "--mode discard"])
    account.user('{"mode": "readonly"}')
    account.explain("--policy", inside)
    account.refused("--policy", inside, "--profile", "default", words=["holds"])
    account.explain("--policy", inside, "--profile", "verify")
    account.refused("--policy", inside, "--mode", "direct", words=["holds"])


# by descriptor

def test_memory_file_and_pipe(account):
    """Read from the beginning, wherever the offset of a file stands; nothing of a policy is on the command line."""
    text = b'{"timeout": "9s"}'
    memory = os.memfd_create("policy")
    os.write(memory, text)
    file = os.open(account.option(text.decode()), os.O_RDONLY)
    os.lseek(file, 0, os.SEEK_END)
    reading, writing = os.pipe()
    os.write(writing, text)
    os.close(writing)
    for fd, name in ((memory, None), (file, os.fspath(account.option(text.decode()))), (reading, None)):
        plan = account.explain("--policy", f"fd:{fd}", pass_fds=[fd])
        assert seconds(plan) == 9 and plan["policy"]["files"] == [name or f"fd:{fd}"], plan["policy"]
        os.close(fd)


def test_descriptor_of_a_file_that_the_command_could_change(account):
    path = account.lab.file(account.lab.ws / "p.json", "{}")
    fd = os.open(path, os.O_RDONLY)
    account.refused("--policy", f"fd:{fd}", words=["holds", path], pass_fds=[fd])
    os.close(fd)


# what the command must not be able to change

def test_policy_file_in_a_writable_root(account):
    lab = account.lab
    path = lab.file(lab.outside / "p.json", "{}")
    account.runs("--policy", path)
    account.refused("--policy", path, "--write", lab.outside, words=["--write", "holds", path])
    account.refused("--policy", path, "--write", path, words=["--write", "holds", path])
    account.explain("--policy", path, "--read", lab.outside)
    account.refused(words=["holds"], *["--policy", lab.file(lab.ws / "p.json", "{}")])
    link = lab.ws / "link.json"
    link.symlink_to(path)
    lab.own(link)
    account.refused("--policy", link, words=["holds", link])
    result = account.pinfold("run", "--policy", path, "--", "touch", "ran", cwd=lab.outside)
    assert result.code == 125 and "current folder" in result.err and not (lab.outside / "ran").exists(), result


def test_users_folder_in_a_writable_root(account):
    """Also before there is a file: the command could make one."""
    lab = account.lab
    lab.file(account.home / ".config" / "other" / "f")
    account.runs("--write", account.home / ".config" / "other")
    account.refused("--write", account.home / ".config", words=["--write", "holds", ".config/pinfold"])
    account.user("{}")
    account.refused("--write", account.home / ".config" / "pinfold", words=["--write", "policy"])
    os.rename(account.home / ".config", account.home / "moved")
    (account.home / ".config").symlink_to("moved")
    lab.own(account.home / ".config")
    account.refused("--write", account.home / "moved", words=["--write", "holds"])


@pytest.mark.parametrize("name", ["policy.json", "trust.json"])
@pytest.mark.parametrize("there", [False, True], ids=["absent", "there"])
def test_link_to_a_writable_root(account, name, there):
    """Dotfiles in a workspace: the command must not make or change what a link of the operator's leads to."""
    lab = account.lab
    account.user("{}")
    account.runs()
    link = account.home / ".config" / "pinfold" / name
    link.unlink(missing_ok=True)
    link.symlink_to(lab.ws / name)
    lab.own(link)
    if there:
        lab.file(lab.ws / name, "{}" if name == "policy.json" else '{"trust": 1, "files": {}}')
    account.refused(words=["holds", lab.ws / name, "--mode discard"])
    account.explain("--mode", "readonly")
    other = lab.file(lab.outside / "ws" / "f").parent
    assert account.pinfold("run", "--workspace", other, "--", "true", cwd=other).code == 0


def test_other_names_of_a_policy(account):
    """A hard link that a command made before the file was moved here would still be in the workspace."""
    lab = account.lab
    path = account.user("{}")
    account.runs()
    os.link(path, lab.ws / "kept")
    account.refused(words=[path, "2 names", "cp "])
    option = account.option("{}")
    os.link(option, lab.outside / "kept")
    os.unlink(lab.ws / "kept")
    account.runs()
    account.refused("--policy", option, words=["2 names"])
    os.chown(option, 0, 0)   # root's, which a user's command can't change by any name
    if lab.user.uid:
        account.runs("--policy", option)


@pytest.mark.parametrize("what, word", [
    ("{home}/.config", "holds"), ("{home}/.config/pinfold", "holds"), ("{home}", "home folder"),
    ("{scratch}", "home folder"), ("{program}", "pinfold itself"), ("/usr", "part of the system"), ("/", "home folder")])
def test_by_another_mount(account, what, word):
    """A bind mount is another name of the same folder; as workspace, as a grant, and with the mount further down."""
    lab = account.lab
    account.user("{}")
    what = what.format(home=account.home, scratch=lab.scratch.path, program=lab.pinfold.parent)
    before = f"mount -t tmpfs -o mode=0755 tmpfs /srv; mkdir -p /srv/a/b; chown -R {lab.user.uid} /srv/a; "
    account.explain("--write", "/srv/a", before=before)
    before += f"mount --bind {what} /srv/a/b"
    account.refused("--write", "/srv/a/b", words=["--write /srv/a/b", word], before=before)
    account.refused("--write", "/srv/a", words=["--write /srv/a", word], before=before)
    result = account.pinfold("run", "--workspace", "/srv/a", "--", "true", cwd="/", before=before)
    assert result.code == 125 and word in result.err, result


def test_descriptor_that_the_command_can_write_to(account):
    """Memory is in no folder; the next run may be given the same."""
    memory = os.memfd_create("policy")
    os.write(memory, b"{}")
    writing = os.open(f"/proc/self/fd/{memory}", os.O_WRONLY)
    give = lambda *options: account.pinfold("run", "--workspace", account.lab.ws, "--policy", f"fd:{memory}", *options,
                                            "--", "true", pass_fds=[memory, writing])
    assert give().code == 0
    result = give("--fd", str(writing))
    assert result.code == 125 and f"--policy fd:{memory}: " in result.err and "could change the policy" in result.err, result
    os.close(memory)
    os.close(writing)


def test_a_second_policy(account):
    """It would silently take the place of the first, with all that this one forbids."""
    strict, other = account.option({"never": {"waive": True}}), account.option("{}", "other.json")
    account.explain("--policy", strict)
    account.refused("--policy", strict, "--policy", other, words=["--policy", other, "there is one already"])


# check

def test_check(account):
    good, bad = account.option("{}"), account.option('{"raed": []}', "bad.json")
    result = account.pinfold("check", good, bad)
    assert result.code == 125 and result.out == f"{good}: ok\n", result
    assert result.err == f'pinfold: {bad}:1:2: there is no key raed; did you mean "read"?\n', result
    result = account.pinfold("check", "--json", good, bad)
    rows = json.loads(result.out)
    assert result.code == 125 and result.err == "" and [row["ok"] for row in rows] == [True, False], result
    assert rows[1]["file"] == os.fspath(bad) and f"{bad}:1:2: " in rows[1]["error"]
    assert account.pinfold("check").code == 125


def test_check_of_the_usual_files_and_of_profiles(account):
    account.system('{"profiles": {"base": {}}}')
    user = account.user('{"profiles": {"a": {"extends": "base"}}, "profile": "a"}')
    result = account.pinfold("check", "/etc/pinfold/policy.json", user)
    assert result.code == 0, result
    unused = account.option('{"profiles": {"x": {"extends": "aa"}}}')
    result = account.pinfold("check", unused)
    assert result.code == 125 and f"{unused}:1:32: extends: there is no profile aa" in result.err, result


def test_check_of_a_workspaces_file(account):
    path = account.workspace('{"read": ["../outside"]}')
    for name in (path, ".pinfold.json", "./.pinfold.json"):
        assert account.pinfold("check", name).code == 0
    account.workspace('{"never": {}}')
    result = account.pinfold("check", path)
    assert result.code == 125 and f"{path}:1:2: never: not in the workspace's own file" in result.err, result
    path.unlink()
    assert account.pinfold("check", path).code == 125
