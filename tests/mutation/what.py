"""What is taken out, as a table: steps, mounts, masks, closed calls, proofs, refusals. See mutants.py."""
import re

from mutants import ROOT, Rule

def linux(*names):
    return tuple(f"src/linux/{name}.c" for name in names)


LINUX = tuple(sorted(f"src/linux/{p.name}" for p in (ROOT / "src/linux").glob("*.c")))
BOX = tuple(sorted(f"src/box/{p.name}" for p in (ROOT / "src/box").glob("*.c")))

# Conditions of these are left alone: what they tell is advice for people, or they are there for the tests.
NO_WALL = {*linux("layers", "facts", "account", "sys", "seccomp_arguments", "seccomp_table",
                  "landlock_rights"), "src/box/doctor.c"}
CONDITIONS = tuple(f for f in (*LINUX, *BOX, "src/plan/bans.c", "src/plan/plan.c", "src/plan/roots.c")
                   if f not in NO_WALL)
CHECKS = {"src/linux/verify.c", "src/linux/verify_held.c", "src/linux/owner.c", "src/linux/policy_file.c", "src/linux/reach.c", "src/box/own.c",
          "src/box/receipt_place.c", "src/box/workspace.c", "src/plan/bans.c", "src/plan/roots.c", "src/linux/fds.c",
          "src/linux/trust.c", "src/plan/plan.c"}

UAPI = (ROOT / "src/linux/uapi_landlock.h").read_text()
RIGHTS = re.findall(r"^    (LANDLOCK_[A-Z_]+) = 1 << \d+,", UAPI, re.M)[:17]   # those of files; ports and scopes follow
SECCOMP = linux("seccomp_arguments")
PLANNED = linux("compile_base", "compile_mounts")
MOUNTS = linux("mount_new", "mount_old", "mounts", "overlay")

RULES = (
    # what a step promises
    Rule("steps", ("src/plan/steps.def",), r"\bG_BOX\b(?!:)|\bG\(\w+\)", ("0",), compiled=("src/plan/guarantee.c",)),
    # closed calls
    Rule("closed calls", linux("seccomp_table"), r"\{((?:SYS|CALL)_\w+|443 [^,]*, 5.14 \*/|443), ACTION_(?!ALLOW)\w+\}",
         (r"{\1, ACTION_ALLOW}",)),
    Rule("closed calls", linux("seccomp_table"), r"\{(SYS_\w+), ACTION_ALLOW\}", (r"{\1, ACTION_KILL}",)),
    Rule("closed calls", linux("seccomp_table"), r"\.(others|above) = ACTION_(?!ALLOW)\w+", (r".\1 = ACTION_ALLOW",)),
    Rule("closed calls", linux("seccomp_table"), r"\.highest = CALL_HIGHEST_KNOWN", (r"\g<0> + 1", r"\g<0> - 1")),
    # arguments of calls
    Rule("arguments", SECCOMP, r"(?<=, )(?:ERRNO_EPERM|DONE|SECCOMP_RET_ERRNO \| E\w+)(?=\);)", ("SECCOMP_RET_ALLOW",)),
    Rule("arguments", SECCOMP, r"give_errno\(p, (\w+)\);", (r"seccomp_give(p, SECCOMP_RET_ALLOW); /* \1 */",)),
    Rule("arguments", SECCOMP, r"SECCOMP_RET_KILL_PROCESS|(?<=value = )SECCOMP_RET_ERRNO \| \w+",
         ("SECCOMP_RET_ALLOW",)),
    Rule("arguments", SECCOMP, r"0x[0-9a-f]+ /\* \w+[^/]*\*/(?=[,}])", ("0x1",), within="emit_ioctl"),
    Rule("arguments", SECCOMP, r"0x[0-9a-f]+ /\* \w+[^/]*\*/(?=[,}])", ("0x1",), within="emit_relay_ioctl"),
    Rule("arguments", SECCOMP,
         r"0x7e020000", tuple(f"(0x7e020000 & ~{hex(1 << bit)})" for bit in (17, *range(25, 31)))),
    Rule("arguments", SECCOMP,
         r" \| CLONE_NEW_TIME|S_ISUID \| |(?<=S_ISUID) \| \(?(?:ids->root \? )?S_ISGID(?: : 0\))?|"
         r"O_CREAT \| | \| 020000000", ("",)),
    Rule("arguments", SECCOMP, r"load_argument\(p, (\d|flags \+ 1|flags|i|argument)\)", (r"load_argument(p, \1 + 1)",)),
    Rule("arguments", SECCOMP, r"(?<=value = )([012])\b", (r"\1 + 1",)),
    Rule("arguments", SECCOMP, r"\+ sizeof\(uint32_t\)|check_id\(p, first(?: \+ 1)?, .*\);|1036|RLIMIT_CORE", ("0;",)),
    Rule("arguments", linux("seccomp_compile"), r"1, 0, NATIVE_ARCH", ("1, 1, NATIVE_ARCH",)),
    Rule("arguments", linux("seccomp_compile"), r"0, 1, FOREIGN_BIT", ("1, 1, FOREIGN_BIT",)),
    Rule("arguments", linux("seccomp_compile"), r"!ids->(single|root) &&", ("1 &&",)),
    # Landlock
    Rule("landlock", linux("landlock_rights"), r"LANDLOCK_REFER - 1",
         tuple(f"((LANDLOCK_REFER - 1) & ~(uint64_t){right})" for right in RIGHTS[:13])),
    Rule("landlock", linux("landlock_rights"), r"abi >= (\d)", (r"abi > \1", r"abi >= \1 - 1")),
    Rule("landlock", linux("landlock_rights"), r"return ((?:read|LANDLOCK_)[^;?]*);",
         tuple(rf"return (\1) ^ {right};" for right in RIGHTS), within="rights_bits"),
    Rule("landlock", linux("landlock_rights"), r"LANDLOCK_SCOPE_\w+", ("0",)),
    Rule("landlock", linux("landlock_rights"), r" & \(mount->folder[^;]*", ("",)),
    Rule("landlock", linux("landlock"), r"landlock_known\(abi\)|ports(?=,)|landlock_scopes\(abi\)|LANDLOCK_\w+_TCP",
         ("0",)),
    Rule("landlock", linux("landlock"), r'"/", LANDLOCK_READ_DIR', tuple(
        f'"/", LANDLOCK_READ_DIR | LANDLOCK_{right}' for right in ("READ_FILE", "WRITE_FILE", "EXECUTE", "MAKE_REG"))),
    Rule("landlock", linux("landlock"), r"landlock_rights\(mount, abi\)", ("landlock_known(abi)",)),
    # namespaces, ids, capabilities
    Rule("namespaces", linux("launch"), r"\{STEP_\w+, CLONE_NEW\w+\}", (r"{STEP_LIFE, 0}",)),
    Rule("namespaces", linux("launch"), r"CLONE_NEW(?:USER|PID)\b(?= \|)", ("0",), within="clone_init"),
    Rule("namespaces", linux("launch"), r"CLONE_NEW(?:NS|UTS)\b(?= \|)", ("0",)),
    Rule("namespaces", linux("userns"), r'"deny"|"1000\\n"', (r'"0\\n"',)),
    Rule("namespaces", linux("userns"), r"plan->id_base", ("0U",)),
    Rule("capabilities", ("src/linux/confine.h",), r"SECBIT_\w+ \| | \| *\n? *SECBIT_\w+(?=,)", ("",),
         compiled=("src/linux/confine.c", "src/linux/verify.c")),
    Rule("capabilities", linux("confine"), r"CAPABILITIES_MAX = 64", ("CAPABILITIES_MAX = 1", "CAPABILITIES_MAX = 32")),
    Rule("capabilities", linux("confine"), r"effective \| permitted \| inheritable",
         ("effective | permitted", "effective | inheritable", "permitted | inheritable")),
    Rule("capabilities", linux("confine"), r"byte = \{1, 1\}", ("byte = {0, 0}", "byte = {1, 2}", "byte = {0, 1}")),
    # mounts and their attributes
    Rule("mounts", linux("compile_base"), r"^    PROC_(?:EMPTY|READONLY)\(.*\),$", ("",)),
    Rule("mounts", linux("compile_base"), r'(?<=[{ ])\{"/dev/\w+", RIGHTS_(DEVICE|RANDOM)\}',
         (r'{"/dev/mem", RIGHTS_\1}',)),
    Rule("mounts", PLANNED, r"(failed \|=|int failed =)\s+((?:add|mount)_\w+\()", (r"\1 0 && \2",)),
    Rule("mounts", PLANNED, r"RIGHTS_(?:READ|PROC|SOCKET|RANDOM)\b", ("RIGHTS_WRITE",)),
    Rule("mounts", PLANNED,
         r"\.writable = writable|\.discard = true|\.owned = true|mount->view =|0700|(?<=\? )MODE_\w+", ("0",)),
    Rule("mounts", linux("compile_mounts"), r"mount\.(discard|owned) = true", (r"mount.\1 = false",)),
    Rule("attributes", MOUNTS,
         r"\bMOUNT_(?:NOSUID|NODEV|RDONLY|NOEXEC|IDMAP)\b|\bMS_(?:PRIVATE|NOSUID|NODEV|NOEXEC|RDONLY)\b"
         r"|AT_SYMLINK_NOFOLLOW|(?<=\| )O_NOFOLLOW|MS_REC(?= \| MS_P)", ("0",)),
    Rule("attributes", linux("lookup"), r"RESOLVE_\w+_\b|(?<=\| )O_NOFOLLOW", ("0",)),
    Rule("attributes", linux("overlay"), r'\{"userxattr", NULL\}, ', ("",)),
    Rule("attributes", linux("mounts"), r'"0\\n", 2', (r'"9\\n", 2',)),
    Rule("attributes", linux("mounts"), r'"0620"|"0666"', ('"0606"',)),
    # proofs
    Rule("proofs", linux("verify"), r"\bmust_(fail|be)\((&?check, GUARANTEE_\w+,\s*[^,]+)",
         (r"0 * must_\1(\2",)),
    Rule("proofs", linux("verify_held"), r"\bmust_(fail|be)\((&?check, GUARANTEE_\w+,\s*[^,]+)", (r"0 * must_\1(\2",),
         within="verify_covers"),
    Rule("proofs", linux("command"), r"atomic_store\(.*\);", ("",)),
    Rule("proofs", linux("launch"), r"launch->begun = result && ", ("launch->begun = 0 && ",)),
    Rule("proofs", linux("launch"), r"\? 0 : G\((FS_READ|NET_LOCAL)\)", ("? 0 : 0",)),
    # what is done without being asked how it went
    Rule("clean-up", linux("init", "command", "launch", "mounts", "relay_process", "native", "harden"),
         r"^ *(?:\(void\))?(?:title_set|umask|channels_close|witness_close|launch_kill|close|fd_close|kill|"
         r"sigdelset|sigaddset|sigfillset|copy_words|wait_for|sigprocmask)\(.*\);",
         ("",)),
    Rule("clean-up", linux("init"), r"if \(wait\[0\]\.revents\)", ("if (0)",)),
    Rule("clean-up", linux("init"), r"poll\(&life, 1, 0\) != 0", ("0",)),
)
