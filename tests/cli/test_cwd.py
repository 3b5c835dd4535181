"""The current folder: kept where the box has it, said where it hasn't."""
import os

from workbench import PATH, raw, shell


def run_from(lab, folder, *words, remove=False):
    """Run pinfold from a folder, which is removed first when asked."""
    script = 'cd "$0" || exit 99; ' + ('rmdir "$0"; ' if remove else "") + 'exec "$@"'
    line = lab.user.argv(["sh", "-c", script, folder, lab.pinfold, "run", *words])
    done = raw(lab, line, env={"PATH": PATH})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def gone(lab):
    folder = lab.outside / "gone"
    folder.mkdir()
    lab.own(folder)
    return folder


def test_deleted_folder_with_a_workspace(lab):
    """The command starts in the workspace, and pinfold says so."""
    code, out, err = run_from(lab, gone(lab), "--workspace", lab.ws, "--", "pwd", "-P", remove=True)
    assert (code, out) == (0, f"{lab.ws}\n"), err
    assert len(err.splitlines()) == 1 and err.startswith("pinfold: ") and "workspace" in err


def test_deleted_folder_without_a_workspace(lab):
    code, out, err = run_from(lab, gone(lab), "--", "touch", lab.ws / "ran", remove=True)
    assert code == 125 and out == "" and err.startswith("pinfold: ") and "--workspace" in err, (code, out, err)
    assert not (lab.ws / "ran").exists()


def locked(lab, mode):
    folder = lab.ws / "locked"
    folder.mkdir()
    lab.own(folder)
    return folder, f'cd "$0" && chmod {mode} "$0" && exec "$@"'


def test_folder_that_may_be_entered_but_not_listed(lab):
    folder, script = locked(lab, "111")
    inner = "pwd -P; echo x >../made && cat ../made"
    line = [folder, lab.pinfold, "run", "--workspace", lab.ws, "--", "sh", "-c", inner]
    done = raw(lab, lab.user.argv(["sh", "-c", script, *line]), env={"PATH": PATH})
    assert done.returncode == 0 and done.stdout.decode() == f"{folder}\nx\n", done


def test_folder_that_may_not_be_entered(lab):
    """Never a silent change of folder: the command starts there, or 125 or one line says where it starts."""
    folder, script = locked(lab, "000")
    line = [folder, lab.pinfold, "run", "--workspace", lab.ws, "--", "pwd", "-P"]
    done = raw(lab, lab.user.argv(["sh", "-c", script, *line]), env={"PATH": PATH})
    out, err = done.stdout.decode(), done.stderr.decode()
    there = (done.returncode, out) == (0, f"{folder}\n")
    told = done.returncode == 0 and out == f"{lab.ws}\n" and err.startswith("pinfold: ")
    refused = done.returncode == 125 and err.startswith("pinfold: ") and f"cd {lab.ws}" in err and out == ""
    assert there or told or refused, done


def test_folder_outside_every_root(lab):
    """125, with what to type: go into the workspace, or grant the folder."""
    code, out, err = run_from(lab, lab.outside, "--workspace", lab.ws, "--", "touch", lab.ws / "ran")
    assert code == 125 and out == "" and err.startswith("pinfold: "), (code, out, err)
    assert f"--read {lab.outside}" in err and f"cd {lab.ws}" in err
    assert not (lab.ws / "ran").exists()
    code, out, err = run_from(lab, lab.outside, "--workspace", lab.ws, "--read", lab.outside, "--", "pwd")
    assert (code, out, err) == (0, f"{lab.outside}\n", "")


def test_folder_of_the_system(lab):
    """/usr is in the box, so a command can start there; the root folder is the box's own."""
    assert run_from(lab, "/usr/share", "--workspace", lab.ws, "--", "pwd")[:2] == (0, "/usr/share\n")


def test_private_folder_is_not_the_callers(lab):
    """/tmp inside is another folder than outside: starting there would be a silent change."""
    code, out, err = run_from(lab, "/tmp", "--workspace", lab.ws, "--", "pwd")
    assert code == 125 and out == "" and err.startswith("pinfold: "), (code, out, err)


def test_workspace_is_the_current_folder_by_default(lab):
    result = lab.plain([lab.pinfold, "run", "--", "sh", "-c", "pwd; echo x >made"], env={"PATH": PATH})
    assert result.out == f"{lab.ws}\n" and (lab.ws / "made").exists(), result


def test_relative_workspace_and_grants(lab):
    lab.file(lab.outside / "f", "granted\n")
    line = [lab.pinfold, "run", "--workspace", ".", "--read", "../outside", "--", "cat", "../outside/f"]
    result = lab.plain(line, env={"PATH": PATH})
    assert (result.code, result.out) == (0, "granted\n"), result


def test_workspace_through_a_symbolic_link(lab):
    """An earlier command may have put it there: 125, with the real path to type."""
    link = lab.scratch.path / "link"
    link.symlink_to(lab.ws)
    lab.own(link)
    result = lab.plain([lab.pinfold, "run", "--workspace", link, "--", "touch", "made"], cwd=link, env={"PATH": PATH})
    assert result.code == 125 and result.err.startswith("pinfold: ") and result.out == "", result
    assert f"--workspace {lab.ws}\n" in result.err and not (lab.ws / "made").exists(), result


def test_current_folder_through_a_symbolic_link(lab):
    """The workspace is at its real path, and PWD is true, also when the caller's leads through a link."""
    link = lab.scratch.path / "link"
    link.symlink_to(lab.ws)
    line = [lab.pinfold, "run", "--", "sh", "-c", 'pwd -P; cd "$PWD" && pwd -P; echo x >made']
    result = lab.plain(line, cwd=link, env={"PATH": PATH, "PWD": os.fspath(link)})
    assert result.code == 0 and result.out == f"{lab.ws}\n" * 2 and (lab.ws / "made").exists(), result


def test_pwd_that_lies_is_corrected(lab):
    assert shell(lab, 'echo "$PWD"', env={"PWD": "/etc"}).out == f"{lab.ws}\n"
