/* Attacks on the mount tree and the root directory, by the old and the new interface (touching).
 * Each one needs capabilities in its own mount namespace: the control leg runs it under `unshare -Urm`. */
#include "attacker.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <sys/mount.h> clashes with <linux/mount.h>: the calls are made by number. */
static long call_mount(const char *source, const char *target, const char *type, unsigned long flags) {
    return syscall(SYS_mount, source, target, type, flags, NULL);
}

static int attack_mount_tmpfs(int count, char **words) {
    (void)count;
    return report(call_mount("none", words[0], "tmpfs", 0));
}

static int attack_mount_proc(int count, char **words) {
    (void)count;
    return report(call_mount("none", words[0], "proc", 0));
}

static int attack_mount_bind(int count, char **words) {
    (void)count;
    return report(call_mount(words[0], words[1], NULL, MS_BIND));
}

static int attack_mount_move(int count, char **words) {
    (void)count;
    if (call_mount(words[0], words[0], NULL, MS_BIND) || call_mount("", words[0], NULL, MS_PRIVATE))
        return report(-1);
    return report(call_mount(words[0], words[1], NULL, MS_MOVE));
}

static int attack_remount_rw(int count, char **words) {
    (void)count;
    return report(call_mount("none", words[0], NULL, MS_REMOUNT | MS_BIND));
}

static int attack_mount_propagation(int count, char **words) {
    (void)count;
    return report(call_mount("none", words[0], NULL, MS_SHARED | MS_REC));
}

static int attack_umount(int count, char **words) {
    const long flags = count > 1 ? number_of(words[1]) : 0;
    return report(syscall(SYS_umount2, words[0], flags));
}

static int attack_pivot_root(int count, char **words) {
    (void)count;
    return report(chdir(words[0]) ? -1 : syscall(SYS_pivot_root, ".", "."));
}

static int attack_chroot(int count, char **words) {
    (void)count;
    return report(chroot(words[0]));
}

static int attack_fsopen(int count, char **words) {
    (void)count;
    return report(syscall(CALL_FSOPEN, words[0], 0));
}

/* A whole new tmpfs by the new interface, put over DIR. */
static int attack_fsmount(int count, char **words) {
    (void)count;
    const long context = syscall(CALL_FSOPEN, "tmpfs", 0);
    if (context < 0 || syscall(CALL_FSCONFIG, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return report(-1);
    const long tree = syscall(CALL_FSMOUNT, context, 0, 0);
    if (tree < 0)
        return report(-1);
    return report(syscall(CALL_MOVE_MOUNT, tree, "", AT_FDCWD, words[0], MOVE_MOUNT_F_EMPTY_PATH));
}

/* The calls by themselves, with arguments that are wrong in a way the kernel would tell by another errno. */
static int attack_fsconfig_alone(int count, char **words) {
    (void)count, (void)words;
    return report(syscall(CALL_FSCONFIG, -1, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
}

static int attack_fsmount_alone(int count, char **words) {
    (void)count, (void)words;
    return report(syscall(CALL_FSMOUNT, -1, 0, 0));
}

static int attack_move_mount_alone(int count, char **words) {
    (void)count;
    return report(syscall(CALL_MOVE_MOUNT, AT_FDCWD, words[0], AT_FDCWD, words[1], 0));
}

static int attack_fspick(int count, char **words) {
    (void)count;
    return report(syscall(CALL_FSPICK, AT_FDCWD, words[0], 0));
}

static int attack_open_tree(int count, char **words) {
    (void)count;
    return report(syscall(CALL_OPEN_TREE, AT_FDCWD, words[0], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

static int attack_open_tree_attr(int count, char **words) {
    (void)count;
    struct call_mount_attr attributes = {0};
    return report(syscall(CALL_OPEN_TREE_ATTR, AT_FDCWD, words[0], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC, &attributes,
                          sizeof attributes));
}

/* Clones a tree and puts the clone elsewhere. */
static int attack_open_tree_move(int count, char **words) {
    (void)count;
    const long tree = syscall(CALL_OPEN_TREE, AT_FDCWD, words[0], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0)
        return report(-1);
    return report(syscall(CALL_MOVE_MOUNT, tree, "", AT_FDCWD, words[1], MOVE_MOUNT_F_EMPTY_PATH));
}

static int attack_mount_setattr(int count, char **words) {
    (void)count;
    struct call_mount_attr attributes = {.attr_clr = MOUNT_ATTR_RDONLY};
    return report(syscall(CALL_MOUNT_SETATTR, AT_FDCWD, words[0], 0, &attributes, sizeof attributes));
}

static int attack_listmount(int count, char **words) {
    (void)count, (void)words;
    uint64_t ids[64];
    struct call_mount_id_request request = {.size = sizeof request, .mount_id = UINT64_MAX};
    return report(syscall(CALL_LISTMOUNT, &request, ids, 64, 0));
}

static int attack_unshare(int count, char **words) {
    (void)count;
    return report(unshare((int)number_of(words[0])));
}

/* unshare, then a mount in the new namespaces: what is left when only seccomp is missing. */
static int attack_unshare_mount(int count, char **words) {
    (void)count;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return report(-1);
    return report(call_mount("none", words[0], "tmpfs", 0));
}

static int attack_unshare_remount(int count, char **words) {
    (void)count;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return report(-1);
    return report(call_mount("none", words[0], NULL, MS_REMOUNT | MS_BIND));
}

static int attack_unshare_umount(int count, char **words) {
    (void)count;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return report(-1);
    return report(syscall(SYS_umount2, words[0], 2));
}

/* A handle is made from the name and opened by the handle alone, from the mount that PATH is on. */
static int attack_open_by_handle(int count, char **words) {
    (void)count;
    struct call_file_handle handle = {.bytes = sizeof handle.handle};
    int mount_id;
    const int mount = open(words[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mount < 0 || syscall(SYS_name_to_handle_at, AT_FDCWD, words[0], &handle, &mount_id, 0))
        return report(-1);
    return report(syscall(SYS_open_by_handle_at, mount, &handle, O_RDONLY));
}

const struct attack attacks_mounts[] = {
    {"mount-tmpfs", attack_mount_tmpfs, "DIR"},
    {"mount-proc", attack_mount_proc, "DIR"},
    {"mount-bind", attack_mount_bind, "SOURCE DIR"},
    {"mount-move", attack_mount_move, "SOURCE DIR"},
    {"remount-rw", attack_remount_rw, "DIR"},
    {"mount-propagation", attack_mount_propagation, "DIR"},
    {"umount", attack_umount, "DIR [flags]"},
    {"pivot-root", attack_pivot_root, "DIR"},
    {"chroot", attack_chroot, "DIR"},
    {"fsopen", attack_fsopen, "TYPE"},
    {"fsmount", attack_fsmount, "DIR"},
    {"fsconfig-alone", attack_fsconfig_alone, ""},
    {"fsmount-alone", attack_fsmount_alone, ""},
    {"move-mount-alone", attack_move_mount_alone, "SOURCE DIR"},
    {"fspick", attack_fspick, "DIR"},
    {"open-tree", attack_open_tree, "DIR"},
    {"open-tree-attr", attack_open_tree_attr, "DIR"},
    {"open-tree-move", attack_open_tree_move, "SOURCE DIR"},
    {"mount-setattr", attack_mount_setattr, "DIR"},
    {"listmount", attack_listmount, ""},
    {"unshare", attack_unshare, "FLAGS"},
    {"unshare-mount", attack_unshare_mount, "DIR"},
    {"unshare-remount", attack_unshare_remount, "DIR"},
    {"unshare-umount", attack_unshare_umount, "DIR"},
    {"open-by-handle", attack_open_by_handle, "PATH MOUNT"},
    {0},
};
