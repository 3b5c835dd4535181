/* pinfold.h: run commands in boxes from a program. The manual is pinfold(3), with an example.
 *
 * The library starts the pinfold program, which makes the box, and speaks with it by descriptors. It never prints,
 * exits, installs signal handlers, or changes the signal mask, the umask, the current folder, the environment or a
 * limit of its host. All its descriptors are 3 or above and close-on-exec. A start costs the same whatever the size of
 * the host. When the host dies, by any signal, its boxes end.
 *
 * Threads: every function may be called by any thread at any time; one object may be used by several at once, but it is
 * freed by one, when no other uses it any more. Forks: objects belong to the process that made them; in a child they
 * can only be freed, which ends nothing. Signals: the host gets SIGCHLD when a box ends. It may ignore it, and may wait
 * for all its children: results don't depend on wait statuses.
 *
 * Errors: functions that take an `err` return 0, or -1 and fill *err; err may be NULL. The status is what pinfold(1)
 * would exit with: 125 for what the caller can mend (a wrong policy, a path that is not there), 126 for what could not
 * be done here. After either, nothing was started. */
#ifndef PINFOLD_PINFOLD_H
#define PINFOLD_PINFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINFOLD_API __attribute__((visibility("default")))

struct pinfold;        /* an opened pinfold program; never changes */
struct pinfold_policy; /* a policy's text; never changes */
struct pinfold_box;    /* one run */

struct pinfold_error {
    int status;      /* 125 or 126 */
    char text[2048]; /* one line, without newline; of a policy FILE:LINE:COLUMN: what is wrong */
};

/* A descriptor of the host for the command. */
struct pinfold_descriptor {
    int descriptor; /* the host's: a socket, or a pipe or file that is open one way */
    int number;     /* the command's: 3 to 255 */
};

/* What to run. Set it to PINFOLD_RUN_INIT first. Everything it points to stays the caller's and is not needed after the
 * call that it was given to; so with the descriptors, which the caller closes. Strings are bytes, NUL-terminated. */
struct pinfold_run {
    size_t size;                         /* of this struct, as the caller was compiled with */
    const char *const *arguments;        /* the command and its arguments, NULL at the end; at least one for a start */
    const struct pinfold_policy *policy; /* on top of what the operator's files say; NULL: only those */
    const char *profile;                 /* a profile's name; NULL: what the policies say */
    const char *folder;                  /* where the command starts; NULL: the host's current folder */
    const char *workspace;               /* what it may change, absolute or below `folder`; NULL: `folder` */
    const char *const *environment;      /* NAME=VALUE, NULL at the end: the variables from which those that the policy
                                            allows are passed; NULL: the host's own, then no thread may set one */
    const char *const *variables;        /* NAME=VALUE, NULL at the end: passed whatever the policy allows by default,
                                            and instead of others of this name; NULL: none */
    int standard[3];                     /* descriptors for its 0, 1 and 2: pipe, file, socket or terminal; -1: none */
    size_t descriptor_count;             /* of the next, at most 32 */
    const struct pinfold_descriptor *descriptors; /* others that it gets */
    uint64_t timeout_ms;                          /* end everything after this time; 0: what the policies say */
};

#define PINFOLD_RUN_INIT                                                                                               \
    { sizeof(struct pinfold_run), NULL, NULL, NULL, NULL, NULL, NULL, NULL, {-1, -1, -1}, 0, NULL, 0 }

/* How a run ended. It and its strings are the box's, and stay as they are until the box is freed. */
struct pinfold_result {
    const char *outcome; /* exited, signalled, timeout, terminated, not-found, not-executable, refused, usage, killed */
    const char *confined; /* full, waived, broken, not-started; unknown when pinfold itself was killed */
    int exit;             /* as of pinfold run: the command's own, 128 + signal, 124 to 127; 137 when killed */
    const char *error;    /* why nothing was started or what went wrong, one line; "" */
    const char *messages; /* warnings, each with a newline; "" */
    const char *receipt;  /* JSON, see pinfold(1); NULL when there is none, as when pinfold itself was killed */
};

/* The version of the library, such as "0.1.0". The string is the library's. */
PINFOLD_API const char *pinfold_version(void);

/* Open the pinfold program, for all that follows. `program`: its absolute path; NULL: the one that the library was
 * installed with. It must belong to root or to the effective user, and nobody else may be able to write to it (126).
 * What is opened stays in use when the file is replaced. *pinfold is the caller's: pinfold_close. */
PINFOLD_API int pinfold_open(struct pinfold **pinfold, const char *program, struct pinfold_error *err);

/* Boxes that were started with it go on. NULL is nothing. */
PINFOLD_API void pinfold_close(struct pinfold *pinfold);

/* A policy from text of `size` bytes, or from a file, read once. `name` stands for it in messages; NULL: "policy". It
 * is checked: 125 with NAME:LINE:COLUMN and what is wrong. *policy is the caller's, needs neither text nor file any
 * more, and can be shared by any number of runs: pinfold_policy_free. */
PINFOLD_API int pinfold_policy_parse(const struct pinfold *pinfold, struct pinfold_policy **policy, const char *text,
                                     size_t size, const char *name, struct pinfold_error *err);
PINFOLD_API int pinfold_policy_read(const struct pinfold *pinfold, struct pinfold_policy **policy, const char *file,
                                    struct pinfold_error *err);

/* NULL is nothing. */
PINFOLD_API void pinfold_policy_free(struct pinfold_policy *policy);

/* What a start of `run` would do, as JSON, starting nothing; a millisecond or two. *json is the caller's:
 * pinfold_text_free. -1 with status 126 and *json set: a guarantee is known to be lacking, and *json says which; else
 * *json is NULL after -1. Descriptor 1 stands in it as a file. */
PINFOLD_API int pinfold_explain(const struct pinfold *pinfold, const struct pinfold_run *run, char **json,
                                struct pinfold_error *err);

/* What would become of these paths (NULL at the end, at least one) when the command of `run` reads or lists them, or
 * with `write` changes or creates them: the box of `run` is made, the kernel is asked in it, and nothing is run or
 * changed; as dear as a start. For tools of the host's own that want to keep to what the box allows, and for telling
 * why a command failed. The answer is of this moment: it is advice, not a wall. *json is the caller's:
 * pinfold_text_free; pinfold(1), PATHS, has its keys. Of `run`, NULL for the defaults, `arguments` isn't looked at. -1:
 * wrong use (125) or no box (126). */
PINFOLD_API int pinfold_path(const struct pinfold *pinfold, const struct pinfold_run *run, int write,
                             const char *const *paths, char **json, struct pinfold_error *err);

/* What this host can hold, as JSON; everything is tried. *starts: 1 when a run with the default policy would start, 0
 * when not; both are success. *json is the caller's: pinfold_text_free. */
PINFOLD_API int pinfold_doctor(const struct pinfold *pinfold, char **json, int *starts, struct pinfold_error *err);

/* Start a run. Returns as soon as pinfold is on its way; whether the command could be started is in the result. *box is
 * the caller's: pinfold_box_free. -1: descriptors, memory or processes are lacking (126), or `run` is wrong (125). */
PINFOLD_API int pinfold_box_start(const struct pinfold *pinfold, const struct pinfold_run *run,
                                  struct pinfold_box **box, struct pinfold_error *err);

/* A descriptor that becomes readable (POLLIN) when the run has ended, and stays so. For poll, epoll and event loops:
 * not to be read or closed. It is the box's, and -1 for NULL. */
PINFOLD_API int pinfold_box_descriptor(const struct pinfold_box *box);

/* Wait until the run has ended and nothing of the box is left, at most `timeout_ms`; 0: only look; -1: without end. 1:
 * it has ended; 0: not yet; -1 with errno: it can't be known (EINVAL, ENOMEM). */
PINFOLD_API int pinfold_box_wait(struct pinfold_box *box, int timeout_ms);

/* Send a signal (1 to 64) to the command's process group, or with `all` to every process of the box. SIGKILL ends the
 * box at once, SIGTERM and SIGHUP after the policy's grace time at the latest. A signal that comes before the command
 * has begun ends the run: outcome "refused", nothing was started. 0, or -1 with errno: ESRCH (it has ended), EINVAL,
 * EAGAIN (too many are waiting), EPERM (the box is another process's). */
PINFOLD_API int pinfold_box_kill(struct pinfold_box *box, int signal, int all);

/* How it ended; NULL while it runs, and when there is no memory (errno ENOMEM). */
PINFOLD_API const struct pinfold_result *pinfold_box_result(struct pinfold_box *box);

/* End what still runs, as by SIGKILL, wait until nothing of it is left, and free the box. NULL is nothing. */
PINFOLD_API void pinfold_box_free(struct pinfold_box *box);

/* Free JSON that the library returned. NULL is nothing. */
PINFOLD_API void pinfold_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
