/* protected.c (pure): see protected.h. What is held is there when the run begins, at the top of a writable root; never
 * deeper, where packages that are unpacked may have all these names. */
#include "plan/protected.h"

#include <string.h>
#include <strings.h>

#include <stddef.h>

const char *const protected_names[] = {
    /* editors: tasks, debuggers, interpreters, language servers */
    ".vscode", ".idea", ".run", ".fleet", ".zed", ".vs", ".vim", ".helix", ".devcontainer", ".devcontainer.json",
    ".exrc", ".vimrc", ".gvimrc", ".lvimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el", ".dir-locals-2.el",
    /* coding agents: hooks, tool servers, permissions */
    ".claude", ".mcp.json", ".cursor", ".codex", ".agents", ".gemini", ".qwen", ".windsurf", ".continue", ".roo",
    ".kiro", ".amazonq", ".junie", ".trae", ".factory", ".opencode", "opencode.json", "opencode.jsonc", ".crush.json",
    "crush.json", ".aider.conf.yml",
    /* what runs at cd, at commits, at the start of an interpreter or a debugger */
    ".envrc", ".mise.toml", "mise.toml", ".mise", ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml",
    ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook-local.yml", ".lefthook-local.yml", ".lefthook",
    ".gdbinit", ".lldbinit", ".pdbrc", ".irbrc", ".pryrc", ".Rprofile",
    /* version control beside git */
    ".hg/hgrc", ".jj/repo/config.toml",
    /* what narrows the next run */
    ".pinfold.json", NULL};

const char *const protected_bare_names[] = {"config", "config.worktree", "commondir", "hooks",
                                            "info",   "modules",         "worktrees", NULL};

static int lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? letter + 'a' - 'A' : letter;
}

bool protected_begins(const char *listed, const char *name) {
    const size_t size = strlen(name);
    bool odd = (unsigned char)name[0] >= 0x80; /* letters that may stand for others */
    if (!odd && lower(name[0]) != lower(listed[0]))
        return false;
    for (const char *at = name; *at; at++)
        odd |= (unsigned char)*at >= 0x80;
    return odd || (strncasecmp(listed, name, size) == 0 && (!listed[size] || listed[size] == '/'));
}
