/* environment.c (pure): the allow-list of variables. Names that make a program load code or that carry secrets or
 * addresses of host services are not on it; a toolchain variable is on it when it only names folders or flags. */
#include "policy/environment.h"

#include <string.h>

/* A name that ends in '*' allows every name with that prefix. */
static const char *const allowed[] = {
    /* who and where */
    "HOME",
    "LOGNAME",
    "PATH",
    "PWD",
    "SHELL",
    "USER",
    "HOSTTYPE",
    "OSTYPE",
    /* locale and time */
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "SOURCE_DATE_EPOCH",
    /* terminal */
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "FORCE_COLOR",
    "LINES",
    "LS_COLORS",
    "NO_COLOR",
    "TERM",
    /* editors and pagers are names of programs inside the box */
    "EDITOR",
    "LESSCHARSET",
    "MANPAGER",
    "PAGER",
    "VISUAL",
    /* continuous integration */
    "CI",
    "CONTINUOUS_INTEGRATION",
    "DEBIAN_FRONTEND",
    /* compilers and build tools */
    "AR",
    "AS",
    "CC",
    "CFLAGS",
    "CPP",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "DESTDIR",
    "FC",
    "FFLAGS",
    "LD",
    "LDFLAGS",
    "LIBRARY_PATH",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "NINJA_STATUS",
    "NM",
    "PKG_CONFIG_PATH",
    "RANLIB",
    "STRIP",
    "CMAKE_BUILD_PARALLEL_LEVEL",
    "CMAKE_BUILD_TYPE",
    "CMAKE_GENERATOR",
    "CMAKE_PREFIX_PATH",
    /* languages */
    "CARGO_HOME",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TARGET_DIR",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CGO_ENABLED",
    "GOARCH",
    "GOCACHE",
    "GOFLAGS",
    "GOMODCACHE",
    "GOOS",
    "GOPATH",
    "GOROOT",
    "GOTOOLCHAIN",
    "JAVA_HOME",
    "JDK_HOME",
    "M2_HOME",
    "MAVEN_HOME",
    "GRADLE_HOME",
    "NODE_ENV",
    "NVM_DIR",
    "NVM_BIN",
    "NVM_INC",
    "VOLTA_HOME",
    "FNM_DIR",
    "BUN_INSTALL",
    "DENO_DIR",
    "PNPM_HOME",
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "PIPX_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "VIRTUAL_ENV",
    "GEM_HOME",
    "GEM_PATH",
    "RBENV_ROOT",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "SDKMAN_DIR",
    "DOTNET_ROOT",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
    "DOTNET_NOLOGO",
    /* where a toolchain of the home is (toolchains.def) */
    "CABAL_DIR",
    "DENO_INSTALL",
    "DENO_INSTALL_ROOT",
    "ELAN_HOME",
    "GOENV_ROOT",
    "HOMEBREW_PREFIX",
    "JENV_ROOT",
    "MAMBA_ROOT_PREFIX",
    "NODENV_ROOT",
    "N_PREFIX",
    "OPAMROOT",
    "PIXI_HOME",
    "POETRY_HOME",
    "PROTO_HOME",
    "SWIFTLY_HOME_DIR",
    "rvm_path",
    /* set by pinfold itself, where the work tree around the workspace is another file system (see compile) */
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    /* the temporary folder: the value is kept only when it names a folder of the box (see compile) */
    "TMPDIR",
};

bool environment_allows(const char *name, size_t size) {
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        if (*allowed[i] != *name)
            continue;
        size_t length = strlen(allowed[i]);
        if (allowed[i][length - 1] == '*' ? size >= length && strncmp(name, allowed[i], length - 1) == 0
                                          : size == length && memcmp(name, allowed[i], size) == 0)
            return true;
    }
    return false;
}

static int environment_add(struct arena *arena, struct environment *environment, const char *entry) {
    size_t size = strcspn(entry, "=");
    for (size_t i = 0; i < environment->kept.count; i++)
        if (strncmp(environment->kept.at[i], entry, size + 1) == 0) {
            environment->kept.at[i] = entry;
            return 0;
        }
    if (text_add(arena, &environment->kept, entry) || text_add(arena, &environment->kept, NULL))
        return -1;
    environment->kept.count--;
    return 0;
}

int environment_set(struct arena *arena, struct environment *environment, const char *name, const char *value) {
    char *entry = arena_printf(arena, "%s=%s", name, value);
    return entry ? environment_add(arena, environment, entry) : -1;
}

/* The caller's variable of this name, or NULL. */
static const char *caller_entry(char *const *caller, const char *name) {
    size_t size = strlen(name);
    for (; *caller; caller++)
        if (strncmp(*caller, name, size) == 0 && (*caller)[size] == '=')
            return *caller;
    return NULL;
}

bool environment_asked_for(const struct policy *policy, const char *name, size_t size) {
    for (size_t i = 0; i < policy->environment.count; i++) {
        const char *asked = policy->environment.at[i].entry;
        if (strncmp(asked, name, size) == 0 && (asked[size] == '=' || asked[size] == '\0'))
            return true;
    }
    return false;
}

int environment_build(struct arena *arena, const struct policy *policy, char *const *caller,
                      struct environment *environment, struct error *err) {
    for (char *const *at = caller; *at; at++) {
        const char *equals = strchr(*at, '=');
        size_t size = equals ? (size_t)(equals - *at) : strlen(*at);
        if (equals && size && environment_allows(*at, size)) {
            if (environment_add(arena, environment, *at))
                return error_memory(err);
        } else if (!environment_asked_for(policy, *at, size)) {
            const char *name = arena_copy_bytes(arena, *at, size);
            if (!name || text_add(arena, &environment->dropped, name))
                return error_memory(err);
        }
    }
    for (size_t i = 0; i < policy->environment.count; i++) {
        const char *asked = policy->environment.at[i].entry;
        const char *entry = strchr(asked, '=') ? asked : caller_entry(caller, asked);
        if (entry && environment_add(arena, environment, entry))
            return error_memory(err);
    }
    return 0;
}
