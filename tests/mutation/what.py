"""What is taken out, as a table: steps, mounts, masks, closed calls, proofs, refusals. See mutants.py."""
import re

from mutants import ROOT, Rule

LINUX = tuple(sorted(f"src/linux/{p.name}" for p in (ROOT / "src/linux").glob("*.c")))
BOX = tuple(sorted(f"src/box/{p.name}" for p in (ROOT / "src/box").glob("*.c")))

# Conditions of these are left alone: what they tell is advice for people, or they are there for the tests.
NO_WALL = {"src/linux/layers.c", "src/linux/facts.c", "src/linux/account.c", "src/linux/prefault.c", "src/linux/sys.c",
           "src/box/doctor.c", "src/linux/seccomp_arguments.c", "src/linux/seccomp_table.c", "src/linux/landlock_rights.c"}
CONDITIONS = tuple(f for f in (*LINUX, *BOX, "src/plan/bans.c", "src/plan/plan.c", "src/plan/roots.c")
                   if f not in NO_WALL)
CHECKS = {"src/linux/verify.c", "src/linux/owner.c", "src/linux/policy_file.c", "src/linux/reach.c", "src/box/own.c",
          "src/box/receipt_place.c", "src/box/workspace.c", "src/plan/bans.c", "src/plan/roots.c", "src/linux/fds.c",
          "src/linux/trust.c", "src/plan/plan.c"}

RIGHTS = re.findall(r"^    (LANDLOCK_[A-Z_]+) = 1 << \d+,", (ROOT / "src/linux/uapi_landlock.h").read_text(), re.M)[:17]  # of files
SECCOMP = "src/linux/seccomp_arguments.c",
MOUNTS = "src/linux/mount_new.c", "src/linux/mount_old.c", "src/linux/mounts.c", "src/linux/overlay.c"

RULES = (
    # what a step promises
    Rule("steps", ("src/plan/steps.def",), r"\bG_BOX\b(?!:)|\bG\(\w+\)", ("0",), compiled=("src/plan/guarantee.c",)),
    # closed calls
    Rule("closed calls", ("src/linux/seccomp_table.c",), r"\{((?:SYS|CALL)_\w+|443 [^,]*, 5.14 \*/|443), ACTION_(?!ALLOW)\w+\}",
         (r"{\1, ACTION_ALLOW}",)),
    Rule("closed calls", ("src/linux/seccomp_table.c",), r"\{(SYS_\w+), ACTION_ALLOW\}", (r"{\1, ACTION_KILL}",)),
    Rule("closed calls", ("src/linux/seccomp_table.c",), r"\.(others|above) = ACTION_(?!ALLOW)\w+", (r".\1 = ACTION_ALLOW",)),
    Rule("closed calls", ("src/linux/seccomp_table.c",), r"\.highest = CALL_HIGHEST_KNOWN", (r"\g<0> + 1", r"\g<0> - 1")),
    # arguments of calls
    Rule("arguments", SECCOMP, r"(?<=, )(?:ERRNO_EPERM|DONE|SECCOMP_RET_ERRNO \| E\w+)(?=\);)", ("SECCOMP_RET_ALLOW",)),
    Rule("arguments", SECCOMP, r"give_errno\(p, (\w+)\);", (r"seccomp_give(p, SECCOMP_RET_ALLOW); /* \1 */",)),
    Rule("arguments", SECCOMP, r"SECCOMP_RET_KILL_PROCESS|(?<=value = )SECCOMP_RET_ERRNO \| \w+", ("SECCOMP_RET_ALLOW",)),
    Rule("arguments", SECCOMP, r"0x[0-9a-f]+ /\* \w+[^/]*\*/(?=[,}])", ("0x1",), within="emit_ioctl"),
    Rule("arguments", SECCOMP, r"0x[0-9a-f]+ /\* \w+[^/]*\*/(?=[,}])", ("0x1",), within="emit_relay_ioctl"),
    Rule("arguments", SECCOMP, r"0x7e020000", tuple(f"(0x7e020000 & ~{hex(1 << bit)})" for bit in (17, *range(25, 31)))),
    Rule("arguments", SECCOMP, r" \| CLONE_NEW_TIME|S_ISUID \| |(?<=S_ISUID) \| \(?(?:ids->root \? )?S_ISGID(?: : 0\))?|"
         r"O_CREAT \| | \| 020000000", ("",)),
    Rule("arguments", SECCOMP, r"load_argument\(p, (\d|flags \+ 1|flags|i|argument)\)", (r"load_argument(p, \1 + 1)",)),
    Rule("arguments", SECCOMP, r"(?<=value = )([012])\b", (r"\1 + 1",)),
    Rule("arguments", SECCOMP, r"\+ sizeof\(uint32_t\)|check_id\(p, first(?: \+ 1)?, .*\);|1036|RLIMIT_CORE", ("0;",)),
    Rule("arguments", ("src/linux/seccomp_compile.c",), r"1, 0, NATIVE_ARCH", ("1, 1, NATIVE_ARCH",)),
    Rule("arguments", ("src/linux/seccomp_compile.c",), r"0, 1, FOREIGN_BIT", ("1, 1, FOREIGN_BIT",)),
    Rule("arguments", ("src/linux/seccomp_compile.c",), r"!ids->(single|root) &&", ("1 &&",)),
    # Landlock
    Rule("landlock", ("src/linux/landlock_rights.c",), r"LANDLOCK_REFER - 1",
         tuple(f"((LANDLOCK_REFER - 1) & ~(uint64_t){right})" for right in RIGHTS[:13])),
    Rule("landlock", ("src/linux/landlock_rights.c",), r"abi >= (\d)", (r"abi > \1", r"abi >= \1 - 1")),
    Rule("landlock", ("src/linux/landlock_rights.c",), r"return ((?:read|LANDLOCK_)[^;?]*);",
         tuple(rf"return (\1) ^ {right};" for right in RIGHTS), within="rights_bits"),
    Rule("landlock", ("src/linux/landlock_rights.c",), r"LANDLOCK_SCOPE_\w+", ("0",)),
    Rule("landlock", ("src/linux/landlock_rights.c",), r" & \(mount->folder[^;]*", ("",)),
    Rule("landlock", ("src/linux/landlock.c",), r"landlock_known\(abi\)|ports(?=,)|landlock_scopes\(abi\)|LANDLOCK_\w+_TCP", ("0",)),
    Rule("landlock", ("src/linux/landlock.c",), r'"/", LANDLOCK_READ_DIR', tuple(
        f'"/", LANDLOCK_READ_DIR | LANDLOCK_{right}' for right in ("READ_FILE", "WRITE_FILE", "EXECUTE", "MAKE_REG"))),
    Rule("landlock", ("src/linux/landlock.c",), r"landlock_rights\(mount, abi\)", ("landlock_known(abi)",)),
    # namespaces, ids, capabilities
    Rule("namespaces", ("src/linux/launch.c",), r"\{STEP_\w+, CLONE_NEW\w+\}", (r"{STEP_LIFE, 0}",)),
    Rule("namespaces", ("src/linux/launch.c",), r"CLONE_NEW(?:USER|NS|PID|UTS)\b", ("0",), within="clone_flags"),
    Rule("namespaces", ("src/linux/userns.c",), r'"deny"|"1000\\n"', (r'"0\\n"',)),
    Rule("namespaces", ("src/linux/userns.c",), r"plan->id_base", ("0U",)),
    Rule("capabilities", ("src/linux/confine.h",), r"SECBIT_\w+ \| | \| *\n? *SECBIT_\w+(?=,)", ("",),
         compiled=("src/linux/confine.c", "src/linux/verify.c")),
    Rule("capabilities", ("src/linux/confine.c",), r"CAPABILITIES_MAX = 64", ("CAPABILITIES_MAX = 1", "CAPABILITIES_MAX = 32")),
    Rule("capabilities", ("src/linux/confine.c",), r"effective \| permitted \| inheritable", ("effective | permitted", "effective | inheritable", "permitted | inheritable")),
    Rule("capabilities", ("src/linux/confine.c",), r"byte = \{1, 1\}", ("byte = {0, 0}", "byte = {1, 2}", "byte = {0, 1}")),
    # mounts and their attributes
    Rule("mounts", ("src/linux/compile_mounts.c",), r"^    PROC_(?:EMPTY|READONLY)\(.*\),$", ("",)),
    Rule("mounts", ("src/linux/compile_mounts.c",), r'(?<=[{ ])\{"/dev/\w+", RIGHTS_(DEVICE|RANDOM)\}', (r'{"/dev/mem", RIGHTS_\1}',)),
    Rule("mounts", ("src/linux/compile_mounts.c",), r"(failed \|=|int failed =)\s+((?:add|mount)_\w+\()", (r"\1 0 && \2",)),
    Rule("mounts", ("src/linux/compile_mounts.c",), r"RIGHTS_(?:READ|PROC|SOCKET|RANDOM)\b", ("RIGHTS_WRITE",)),
    Rule("mounts", ("src/linux/compile_mounts.c",), r"\.writable = writable|\.discard = true|\.owned = true|mount->view =|0700|(?<=\? )MODE_\w+", ("0",)),
    Rule("mounts", ("src/linux/compile_mounts.c",), r"mount\.(discard|owned) = true", (r"mount.\1 = false",)),
    Rule("attributes", MOUNTS, r"\bMOUNT_(?:NOSUID|NODEV|RDONLY|NOEXEC|IDMAP)\b|\bMS_(?:PRIVATE|NOSUID|NODEV|NOEXEC|RDONLY)\b"
         r"|AT_SYMLINK_NOFOLLOW|(?<=\| )O_NOFOLLOW|MS_REC(?= \| MS_P)", ("0",)),
    Rule("attributes", ("src/linux/lookup.c",), r"RESOLVE_\w+_\b|(?<=\| )O_NOFOLLOW", ("0",)),
    Rule("attributes", ("src/linux/overlay.c",), r'\{"userxattr", NULL\}, ', ("",)),
    Rule("attributes", ("src/linux/mounts.c",), r'"0\\n", 2', (r'"9\\n", 2',)),
    Rule("attributes", ("src/linux/mounts.c",), r'"0620"|"0666"', ('"0606"',)),
    # proofs
    Rule("proofs", ("src/linux/verify.c",), r"\bmust_(fail|be)\((&?check, GUARANTEE_\w+,\s*[^,]+)",
         (r"0 * must_\1(\2",)),
    Rule("proofs", ("src/linux/command.c",), r"atomic_store\(.*\);", ("",)),
    Rule("proofs", ("src/linux/launch.c",), r"launch->begun = result && ", ("launch->begun = 0 && ",)),
    Rule("proofs", ("src/linux/launch.c",), r"\? 0 : G\((FS_READ|NET_LOCAL)\)", ("? 0 : 0",)),
    # what is done without being asked how it went
    Rule("clean-up", ("src/linux/init.c", "src/linux/command.c", "src/linux/launch.c", "src/linux/mounts.c", "src/linux/relay_process.c",
                      "src/linux/native.c", "src/linux/harden.c"),
         r"^ *(?:\(void\))?(?:title_set|umask|channels_close|witness_close|launch_kill|close|fd_close|kill|drop_loader_variables|"
         r"sigdelset|sigaddset|sigfillset|copy_words|wait_for|\(void\)kill|sigprocmask)\(.*\);", ("",)),
    Rule("clean-up", ("src/linux/init.c",), r"if \(wait\[0\]\.revents\)", ("if (0)",)),
    Rule("clean-up", ("src/linux/init.c",), r"poll\(&life, 1, 0\) != 0", ("0",)),
)
