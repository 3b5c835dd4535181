/* mount_rules.h: what must be true of the mounts of every plan, whatever the host and the policy. */
#ifndef PINFOLD_TESTS_MOUNT_RULES_H
#define PINFOLD_TESTS_MOUNT_RULES_H

#include "host.h"

#include "base/path.h"
#include "linux/landlock.h"
#include "linux/uapi_landlock.h"

/* The mount that shows `path` of those before number `end`: the last one that holds it. */
static inline const struct mount *shown_by(const struct plan *plan, const char *path, size_t end) {
    for (size_t i = end; i-- > 0;)
        if (path_is_under(path, plan->mounts.at[i].target))
            return &plan->mounts.at[i];
    return NULL;
}

/* May `path` be changed in the box? */
static inline bool writable_at(const struct host *host, const char *path) {
    const struct mount *mount = shown_by(&host->plan, path, host->plan.mounts.count);
    return mount && mount->writable;
}

static inline bool on_host(const struct host *host, const char *path) {
    const struct mount *mount = shown_by(&host->plan, path, host->plan.mounts.count);
    return mount && mount->kind == MOUNT_TREE && !mount->session;
}

/* A tree of the host may be written to only where that was granted. */
static inline bool is_granted_for_writing(const struct host *host, const char *path) {
    bool granted = strcmp(host->probe.workspace.path, path) == 0;
    for (size_t i = 0; i < host->policy.grants.count; i++)
        granted |= host->policy.grants.at[i].access == ACCESS_WRITE && strcmp(host->probe.grants.at[i].path, path) == 0;
    return granted;
}

/* What was looked up under this path, with this device and inode? */
static inline bool is_probed(const struct host *host, const struct mount *mount) {
    const struct probe *probe = &host->probe;
    const struct {
        const struct place *at;
        size_t count;
    } lists[] = {{&probe->workspace, 1},
                 {&probe->work_tree, 1},
                 {probe->system.at, probe->system.count},
                 {probe->grants.at, probe->grants.count}};
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++)
        for (size_t i = 0; i < lists[list].count; i++) {
            const struct place *place = &lists[list].at[i];
            if (place->path && strcmp(place->path, mount->source) == 0 && place->dev == mount->dev &&
                place->ino == mount->ino)
                return true;
        }
    return false;
}

static inline void check_place(const struct host *host, size_t i) {
    const struct plan *plan = &host->plan;
    const struct mount *mount = &plan->mounts.at[i], *above = shown_by(plan, mount->target, i);
    bool held = mount->kind == MOUNT_HOLD; /* of what could be changed on the host otherwise */
    bool cover = mount->kind == MOUNT_EMPTY || mount->kind == MOUNT_READONLY;
    assert_true(path_is_canonical(mount->target));
    assert_non_null(mount->why);
    for (size_t j = 0; j < i; j++) /* no parent after its child, no place twice */
        assert_false(path_is_under(plan->mounts.at[j].target, mount->target));
    if (mount->create) /* only in folders of the box's own */
        assert_true(!above || above->kind == MOUNT_SCRATCH);
    else if (!cover)
        assert_true(above && above->kind != MOUNT_SCRATCH);
    /* what stands in a kept folder gets its place there before the launch, and is no link, which would stay */
    assert_int_equal(mount->in_session, above && above->session);
    assert_false(mount->in_session && (mount->create || cover || mount->kind == MOUNT_LINK));
    if (cover) /* what it covers was mounted before */
        assert_true(above && (above->kind == MOUNT_TREE || above->kind == MOUNT_PROC) && !above->discard);
    if (mount->discard) /* nothing but the workspace */
        assert_string_equal(mount->target, host->probe.workspace.path);
    assert_true(!cover || (mount->optional && !mount->create));
    assert_true(!held || (above->kind == MOUNT_TREE && above->writable && !above->discard));
    assert_true(!held || (mount->dev && mount->ino && !mount->optional && !mount->create));
}

static inline void check_access(const struct host *host, const struct mount *mount) {
    if (mount->session) { /* only what is the session's own, only where a scratch folder would be */
        assert_non_null(host->policy.session);
        assert_true(path_is_under(mount->source, host->policy.state));
        assert_true(mount->kind == MOUNT_TREE && mount->folder && mount->owned && !mount->view && !mount->discard);
        return;
    }
    if (mount->kind == MOUNT_TREE) {
        assert_string_equal(mount->source, mount->target); /* everything stands at its own path */
        assert_true(mount->device || is_probed(host, mount));
        assert_true(!mount->device || path_is_under(mount->target, "/dev"));
    }
    if (mount->writable && mount->kind == MOUNT_TREE)
        assert_true(is_granted_for_writing(host, mount->target));
    if (mount->kind == MOUNT_LINK || mount->kind == MOUNT_EMPTY || mount->kind == MOUNT_READONLY ||
        mount->kind == MOUNT_HOLD) {
        assert_false(mount->writable);
        assert_int_equal(mount->rights, RIGHTS_NONE);
    }
}

/* Landlock never allows what the mount doesn't, but on devices, which a read-only mount lets be written to. */
static inline void check_landlock(const struct host *host, const struct mount *mount) {
    const uint64_t change = LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE | LANDLOCK_REMOVE_DIR | LANDLOCK_REMOVE_FILE |
                            LANDLOCK_MAKE_DIR | LANDLOCK_MAKE_REG | LANDLOCK_MAKE_SOCK | LANDLOCK_MAKE_FIFO |
                            LANDLOCK_MAKE_SYM | LANDLOCK_REFER;
    const uint64_t never = LANDLOCK_MAKE_CHAR | LANDLOCK_MAKE_BLOCK;
    const uint64_t folders = LANDLOCK_READ_DIR | (change & ~(uint64_t)(LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE));
    uint64_t rights = landlock_rights(mount, host->probe.landlock_abi);
    assert_int_equal(rights & ~landlock_known(host->probe.landlock_abi), 0);
    assert_int_equal(rights & never, 0);
    if (!mount->writable && !mount->device)
        assert_int_equal(rights & change, 0);
    if (!mount->device)
        assert_int_equal(rights & LANDLOCK_IOCTL_DEV, 0);
    if (!mount->folder)
        assert_int_equal(rights & folders, 0);
    if (mount->rights != RIGHTS_SOCKET)
        assert_int_equal(rights & LANDLOCK_RESOLVE_UNIX, 0);
    else
        assert_int_equal(rights & ~(uint64_t)LANDLOCK_RESOLVE_UNIX, 0);
}

/* Landlock can't take away below what it gave above: a read-only folder there is a view, where it can be one. */
static inline void check_view(const struct plan *plan, size_t i) {
    const struct mount *mount = &plan->mounts.at[i];
    bool below = false;
    for (size_t j = 0; j < i; j++)
        below |= plan->mounts.at[j].rights == RIGHTS_WRITE && path_is_under(mount->target, plan->mounts.at[j].target);
    bool could = mount->kind == MOUNT_TREE && mount->folder && !mount->writable && !mount->has_mounts;
    assert_int_equal(mount->view, could && below);
}

/* What is found in a writable root can't be changed, nor can a folder between it and the top of its tree be moved. */
static inline void check_protected(const struct host *host) {
    const struct plan *plan = &host->plan;
    for (size_t i = 0; i < host->probe.protection.held.count && plan->taken[STEP_PROTECT]; i++) {
        const struct place *place = &host->probe.protection.held.at[i].place;
        const struct mount *mount = shown_by(plan, place->path, plan->mounts.count);
        if (!S_ISLNK(place->mode) && mount && mount->kind == MOUNT_TREE)
            assert_true(!mount->writable || mount->discard);
    }
    for (size_t i = 0; i < plan->mounts.count; i++)
        for (const char *path = plan->mounts.at[i].target, *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
            char above[256];
            snprintf(above, sizeof above, "%.*s", (int)(at - path), path);
            const struct mount *shown = shown_by(plan, above, plan->mounts.count);
            bool could = plan->mounts.at[i].kind == MOUNT_HOLD && shown && shown->kind == MOUNT_TREE &&
                         shown->writable && !shown->discard && strcmp(shown->target, above) != 0;
            bool pinned = false;
            for (size_t p = 0; p < plan->pins.count; p++)
                pinned |= strcmp(plan->pins.at[p].path, above) == 0;
            assert_true(!could || pinned);
        }
    for (size_t p = 1; p < plan->pins.count; p++) /* the deeper first, or the other would hide it */
        assert_false(path_is_under(plan->pins.at[p].path, plan->pins.at[p - 1].path));
}

static inline void check_mounts(const struct host *host) {
    const struct plan *plan = &host->plan;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        check_place(host, i);
        check_access(host, &plan->mounts.at[i]);
        check_landlock(host, &plan->mounts.at[i]);
        check_view(plan, i);
    }
    check_protected(host);
    /* workspace and grants are there as they were given */
    assert_int_equal(writable_at(host, host->probe.workspace.path), host->policy.mode.value != MODE_READONLY);
    const struct mount *workspace = host_mount(host, host->probe.workspace.path);
    if (host->policy.mode.value == MODE_DISCARD) /* else it may be part of a grant, and have none of its own */
        assert_true(workspace && workspace->discard);
    assert_true(on_host(host, host->probe.workspace.path));
    for (size_t g = 0; g < host->policy.grants.count; g++) {
        assert_true(on_host(host, host->probe.grants.at[g].path));
        if (host->policy.grants.at[g].access == ACCESS_WRITE)
            assert_true(writable_at(host, host->probe.grants.at[g].path));
    }
    /* a socket of the host that a root shows is covered, unless it is granted */
    for (size_t s = 0; s < host->probe.sockets.count; s++) {
        const struct mount *mount = shown_by(plan, host->probe.sockets.at[s], plan->mounts.count);
        if (mount && mount->kind == MOUNT_TREE && !mount->discard &&
            !mount->session) /* these show nothing of the host */
            assert_int_equal(mount->rights, RIGHTS_SOCKET);
    }
    for (size_t p = 0; plan->root_kept && p < host->probe.private_places.count; p++)
        assert_false(on_host(host, host->probe.private_places.at[p].path));
    /* the home is a folder of the box: scratch, or in what is granted */
    const struct mount *home = shown_by(plan, plan->home, plan->mounts.count);
    assert_true(home && (home->kind == MOUNT_TREE || strcmp(home->target, plan->home) == 0));
    /* nothing that other boxes keep */
    if (host->policy.state) {
        assert_false(on_host(host, host->policy.state));
        assert_false(on_host(host, arena_printf(&((struct host *)(uintptr_t)host)->arena, "%s/x", host->policy.state)));
    }
    /* the box's own queues, never the host's */
    bool queues = false;
    for (size_t i = 0; i < plan->mounts.count; i++)
        queues |= plan->mounts.at[i].kind == MOUNT_QUEUES;
    assert_int_equal(queues, plan->taken[STEP_IPC_NAMESPACE]);
}

#endif
