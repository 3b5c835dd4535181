/* floor.c (pure): see floor.h. Both lists end with NULL. Settings in which a secret is the exception are not here: a
 * build that lacks them fails, and --deny names them. */
#include "plan/floor.h"

#include <stddef.h>

const char *const floor_system[] = {
    /* accounts */
    "/etc/gshadow", "/etc/gshadow-", "/etc/security/opasswd", "/etc/shadow", "/etc/shadow-", "/etc/sudoers",
    "/etc/sudoers.d",
    /* keys of the host and its services */
    "/etc/ipsec.d/private", "/etc/ipsec.secrets", "/etc/krb5.keytab", "/etc/letsencrypt/accounts",
    "/etc/letsencrypt/archive", "/etc/letsencrypt/keys", "/etc/letsencrypt/live", "/etc/openvpn/client",
    "/etc/openvpn/easy-rsa/pki/private", "/etc/openvpn/server", "/etc/pki/tls/private", "/etc/ssh/ssh_host_dsa_key",
    "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_rsa_key", "/etc/ssl/private",
    "/etc/swanctl/private", "/etc/wireguard",
    /* passwords of networks, mail and databases */
    "/etc/NetworkManager/system-connections", "/etc/exim4/passwd.client", "/etc/fetchmailrc", "/etc/mysql/debian.cnf",
    "/etc/postfix/sasl_passwd", "/etc/ppp/chap-secrets", "/etc/ppp/pap-secrets", "/etc/rsyncd.secrets",
    "/etc/wpa_supplicant/wpa_supplicant.conf",
    /* orchestration */
    "/etc/credstore", "/etc/docker/key.json", "/etc/kubernetes/admin.conf", "/etc/kubernetes/pki",
    "/etc/rancher/k3s/k3s.yaml", NULL};

static const char *const in_home[] = {
    /* keys */
    ".bitcoin", ".electrum", ".ethereum/keystore", ".gnupg", ".minisign", ".pki", ".ssh", ".step/secrets",
    /* passwords */
    ".gnome2/keyrings", ".password-store",
    /* clouds and their tools */
    ".aliyun", ".aws", ".azure", ".bluemix", ".boto", ".cloudflared", ".databrickscfg", ".fly", ".kube", ".oci",
    ".passwd-s3fs", ".pulumi/credentials.json", ".s3cfg", ".snowsql", ".terraform.d/credentials.tfrc.json",
    ".vault-token", ".wrangler",
    /* containers, packages, source */
    ".cargo/credentials", ".cargo/credentials.toml", ".composer/auth.json", ".docker/config.json", ".gem/credentials",
    ".git-credentials", ".gitcookies", ".kaggle/kaggle.json", ".npmrc", ".pypirc", ".cache/huggingface/token",
    ".huggingface/token",
    /* agents' own */
    ".claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gemini/google_accounts.json",
    ".gemini/oauth_creds.json", ".qwen/oauth_creds.json",
    /* network, mail, databases, display */
    ".ICEauthority", ".Xauthority", ".authinfo", ".authinfo.gpg", ".fetchmailrc", ".mbsyncrc", ".msmtprc", ".my.cnf",
    ".mylogin.cnf", ".netrc", ".offlineimaprc", ".pgpass", ".thunderbird", ".vnc/passwd",
    /* browsers and chats: cookies and tokens */
    ".librewolf", ".mozilla", ".weechat/sec.conf", "snap/firefox",
    /* what was typed */
    ".bash_history", ".histfile", ".history", ".mysql_history", ".node_repl_history", ".psql_history",
    ".python_history", ".zhistory", ".zsh_history", NULL};

static const char *const in_config[] = {"sops/age",
                                        "1Password",
                                        "Bitwarden",
                                        "Bitwarden CLI",
                                        "gopass",
                                        "op",
                                        "doctl",
                                        "gcloud",
                                        "hcloud",
                                        "linode-cli",
                                        "ngrok",
                                        "rclone",
                                        "scw",
                                        "stripe",
                                        "composer/auth.json",
                                        "containers/auth.json",
                                        "gh",
                                        "git/credentials",
                                        "glab-cli",
                                        "hub",
                                        "pypoetry/auth.toml",
                                        "anthropic",
                                        "github-copilot",
                                        "goose/secrets.yaml",
                                        "msmtp",
                                        "BraveSoftware",
                                        "Element",
                                        "Signal",
                                        "Slack",
                                        "chromium",
                                        "discord",
                                        "google-chrome",
                                        "microsoft-edge",
                                        "opera",
                                        "vivaldi",
                                        NULL};

static const char *const in_data[] = {"gopass",         "keyrings",           "kwalletd",
                                      "com.vercel.cli", "opencode/auth.json", "TelegramDesktop",
                                      "atuin",          "fish/fish_history",  NULL};

const struct floor_folder floor_home[] = {
    {"", in_home}, {".config", in_config}, {".local/share", in_data}, {NULL, NULL}};
