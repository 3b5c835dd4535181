"""A corpus of policy files, good and broken, for the tests of parser and schema and as seeds of the fuzzers.

GOOD    name: text
BROKEN  name: (text, "LINE:COLUMN", word of the message), each wrong in what its JSON says
NO_JSON name: (text, "LINE:COLUMN", word of the message), each no JSON at all, or too much of it
BEYOND  names in BROKEN that a schema can't express
"""

GOOD = {
    "empty": "{}",
    "comments": "// one\n{ // two\n}\n// three",
    "comment-signs-in-strings": '{"env": ["A=// no comment", "B=\\"// neither"]}',
    "schema": '{"$schema": "x"}',
    "empty-lists": '{"read": [], "write": [], "unix-socket": [], "env": [], "waive": []}',
    "grants": '{"read": ["/usr", "~/.cargo"], "write": ["/srv/cache"], "unix-socket": ["/run/x"]}',
    "deny": '{"deny": ["/srv/x", "~/.config/**/*.pem", "/a\\\\*b"], "profiles": {"p": {"deny": []}}}',
    "variables": '{"env": ["NAME", "NAME=", "NAME=a=b"]}',
    "waive": '{"waive": ["net-local", "net-local", "fs-read"]}',
    "limits": '{"timeout": "10m", "grace": "0", "output-limit": "256K"}',
    "modes": '{"mode": "discard"}',
    "git": '{"git": "writable", "profiles": {"a": {"git": "read-only"}}}',
    "protect": '{"protect": ["/srv/data", "~/x"], "profiles": {"a": {"protect": []}}}',
    "toolchains": '{"toolchains": "none"}',
    "toolchains-profile": '{"profiles": {"a": {"toolchains": "auto"}}}',
    "never-toolchains": '{"toolchains": "none", "never": {"toolchains": true}}',
    "backend": '{"backend": "native"}',
    "profile": '{"profile": "verify"}',
    "profiles": '{"profiles": {"a": {"extends": "b", "read": ["/usr"]}, "b": {"extends": "readonly"}}, "profile": "a"}',
    "never-true": '{"never": {"read": true, "write": true, "unix-socket": true, "env": true, "waive": true, "fd": true,'
                  ' "mode": true, "git": true, "limits": true, "profile": true, "session": true}}',
    "session": '{"session": "ci", "profiles": {"a": {"session": "none"}, "b": {"session": "a.B_-9"}}}',
    "never-lists": '{"never": {"read": ["~/.ssh"], "write": ["/srv"], "unix-socket": ["/run"], "env": ["TOKEN"],'
                   ' "waive": ["net-egress"]}}',
    "never-nothing": '{"never": {}}',
    "escapes": '{"env": ["A=\\u00e9\\n\\t\\"\\\\ \\ud83d\\ude00"]}',
    "utf-8": '{"env": ["A=é\U0001f600"]}',
    "crlf": '{\r\n"mode": "direct"\r\n}\r\n',
}

BROKEN = {
    # words that there are not
    "unknown-key": ('{"raed": []}', "1:2", 'did you mean "read"'),
    "unknown-key-far": ('{"qqqqqqqq": 1}', "1:2", "there are: "),
    "unknown-key-line": ('{\n  "mode": "direct",\n  "wirte": []\n}', "3:3", 'did you mean "write"'),
    "unknown-key-bytes": ('{"env": ["A=é"], "tiemout": "1s"}', "1:19", 'did you mean "timeout"'),
    "unknown-key-comment": ('// x\n{ // "read": 1,\n\t"output_limit": "1K"}', "3:2", 'did you mean "output-limit"'),
    "unknown-key-empty": ('{"": 1}', "1:2", "there is no key"),
    "unknown-key-case": ('{"Read": []}', "1:2", 'did you mean "read"'),
    "unknown-key-socket": ('{"unix-sockets": []}', "1:2", 'did you mean "unix-socket"'),
    "unknown-key-control": ('{"re\\u0007d": []}', "1:2", "\\x07"),
    "unknown-key-workspace": ('{"workspace": "/srv"}', "1:2", "there is no key workspace"),
    "unknown-key-receipt": ('{"receipt": "/srv/r"}', "1:2", "there is no key receipt"),
    "unknown-key-command": ('{"command": ["sh"]}', "1:2", "there is no key command"),
    "unknown-key-network": ('{"allow": ["@npm"]}', "1:2", "there is no key allow"),
    "unknown-never": ('{"never": {"reed": true}}', "1:12", 'did you mean "read"'),
    "unknown-never-timeout": ('{"never": {"timeout": true}}', "1:12", "in never"),
    "unknown-profile-key": ('{"profiles": {"a": {"raed": []}}}', "1:21", 'did you mean "read"'),
    "unknown-guarantee": ('{"waive": ["netlocal"]}', "1:12", 'did you mean "net-local"'),
    "unknown-guarantee-second": ('{"waive": ["ipc",\n "fsread"]}', "2:2", 'did you mean "fs-read"'),
    "unknown-guarantee-never": ('{"never": {"waive": ["proces"]}}', "1:22", 'did you mean "process"'),
    "unknown-guarantee-far": ('{"waive": ["everything"]}', "1:12", "no such guarantee"),
    "unknown-mode": ('{"mode": "diskard"}', "1:10", 'did you mean "discard"'),
    "unknown-git": ('{"git": "readonly"}', "1:9", 'did you mean "read-only"'),
    "unknown-git-far": ('{"git": "xx"}', "1:9", "read-only, writable"),
    "git-true": ('{"git": true}', "1:9", "this is true"),
    "never-git-list": ('{"never": {"git": ["writable"]}}', "1:19", "true is wanted"),
    "protect-string": ('{"protect": "/srv"}', "1:13", "this is a string"),
    "protect-relative": ('{"protect": ["data"]}', "1:14", "relative"),
    "unknown-toolchains": ('{"toolchains": "autp"}', "1:16", 'did you mean "auto"'),
    "toolchains-true": ('{"toolchains": true}', "1:16", '"auto" or "none" is wanted'),
    "never-toolchains-list": ('{"never": {"toolchains": []}}', "1:26", "true is wanted"),
    "unknown-mode-far": ('{"mode": "xx"}', "1:10", "direct, discard, readonly"),
    "unknown-profile": ('{"profile": "verfy"}', "1:13", "did you mean verify"),
    "unknown-extends": ('{"profiles": {"a": {"extends": "defualt"}}, "profile": "a"}', "1:32", "did you mean default"),
    # reserved, and what belongs elsewhere
    "sandbox": ('{"sandbox": {}}', "1:2", "reserved for approvals"),
    "sandbox-profile": ('{"profiles": {"a": {"sandbox": 1}}}', "1:21", "reserved for approvals"),
    "extends-top": ('{"extends": "default"}', "1:2", "belongs into a profile"),
    "session-number": ('{"session": 3}', "1:13", "this is a number"),
    "session-space": ('{"session": "a b"}', "1:13", 'did you mean "a-b"?'),
    "session-path": ('{"session": "../x"}', "1:13", 'did you mean "x"?'),
    "session-empty": ('{"session": ""}', "1:13", "1 to 64 letters"),
    "session-in-profile": ('{"profiles": {"a": {"session": "-"}}}', "1:32", "1 to 64 letters"),
    "never-session-list": ('{"never": {"session": ["ci"]}}', "1:23", "this is a list"),
    "never-in-profile": ('{"profiles": {"a": {"never": {}}}}', "1:21", "not in a profile"),
    "profile-in-profile": ('{"profiles": {"a": {"profile": "b"}}}', "1:21", "not in a profile"),
    "profiles-in-profile": ('{"profiles": {"a": {"profiles": {}}}}', "1:21", "not in a profile"),
    "builtin-default": ('{"profiles": {"default": {}}}', "1:15", "built in"),
    "builtin-verify": ('{"profiles": {"a": {}, "verify": {"mode": "direct"}}}', "1:24", "built in"),
    # circles
    "circle-itself": ('{"profiles": {"a": {"extends": "a"}}, "profile": "a"}', "1:32", "circle"),
    "circle": ('{"profiles": {"a": {"extends": "b"},\n"b": {"extends": "a"}}, "profile": "a"}', "2:18", "circle"),
    # types
    "root-list": ("[]", "1:1", "an object is wanted"),
    "read-string": ('{"read": "/usr"}', "1:10", "this is a string"),
    "read-object": ('{"read": {}}', "1:10", "this is an object"),
    "read-null": ('{"read": null}', "1:10", "this is null"),
    "read-number": ('{"read": [1]}', "1:11", "this is a number"),
    "read-nested": ('{"read": ["/usr", ["/etc"]]}', "1:19", "this is a list"),
    "read-true": ('{"read": true}', "1:10", "this is true"),
    "write-false": ('{"write": false}', "1:11", "this is false"),
    "deny-string": ('{"deny": "/x"}', "1:10", "a list of paths"),
    "deny-relative": ('{"deny": ["*.pem"]}', "1:11", "a relative path"),
    "deny-empty": ('{"deny": [""]}', "1:11", "the path is empty"),
    "deny-number": ('{"deny": [1]}', "1:11", "this is a number"),
    "socket-null": ('{"unix-socket": [null]}', "1:18", "this is null"),
    "env-object": ('{"env": {"A": "b"}}', "1:9", "this is an object"),
    "env-number": ('{"env": ["A", 7]}', "1:15", "this is a number"),
    "waive-string": ('{"waive": "all"}', "1:11", "this is a string"),
    "waive-true": ('{"waive": [true]}', "1:12", "this is true"),
    "mode-number": ('{"mode": 0}', "1:10", "this is a number"),
    "timeout-number": ('{"timeout": 30}', "1:13", "this is a number"),
    "grace-list": ('{"grace": ["1s"]}', "1:11", "this is a list"),
    "limit-real": ('{"output-limit": 1.5}', "1:18", "this is a number"),
    "profile-list": ('{"profile": ["verify"]}', "1:13", "this is a list"),
    "profiles-list": ('{"profiles": []}', "1:14", "this is a list"),
    "profiles-string": ('{"profiles": {"a": "b"}}', "1:20", "this is a string"),
    "extends-list": ('{"profiles": {"a": {"extends": ["default"]}}}', "1:32", "this is a list"),
    "never-list": ('{"never": ["read"]}', "1:11", "this is a list"),
    "never-false": ('{"never": {"read": false}}', "1:20", "this is false"),
    "never-fd-list": ('{"never": {"fd": [3]}}', "1:18", "this is a list"),
    "never-mode-string": ('{"never": {"mode": "direct"}}', "1:20", "this is a string"),
    "schema-number": ('{"$schema": 1}', "1:13", "this is a number"),
    "backend-null": ('{"backend": null}', "1:13", "this is null"),
    # values
    "path-empty": ('{"read": [""]}', "1:11", "empty"),
    "path-relative": ('{"read": ["src"]}', "1:11", "relative"),
    "path-dot": ('{"write": ["./x"]}', "1:12", "relative"),
    "path-variable": ('{"read": ["$HOME/x"]}', "1:11", "relative"),
    "path-user": ('{"read": ["~root/x"]}', "1:11", "~/"),
    "path-home": ('{"write": ["~"]}', "1:12", "~/"),
    "never-path": ('{"never": {"read": ["x"]}}', "1:21", "relative"),
    "env-empty": ('{"env": [""]}', "1:10", "NAME"),
    "env-equals": ('{"env": ["=x"]}', "1:10", "NAME"),
    "never-env-value": ('{"never": {"env": ["A=b"]}}', "1:20", "without a value"),
    "waive-environment": ('{"waive": ["environment"]}', "1:12", "can't be waived"),
    "waive-descriptors": ('{"waive": ["descriptors"]}', "1:12", "can't be waived"),
    "timeout-zero": ('{"timeout": "0"}', "1:13", "above 0"),
    "timeout-word": ('{"timeout": "soon"}', "1:13", "30s"),
    "timeout-unit": ('{"timeout": "3d"}', "1:13", "30s"),
    "timeout-sign": ('{"timeout": "-3s"}', "1:13", "30s"),
    "timeout-space": ('{"timeout": "3 s"}', "1:13", "30s"),
    "timeout-empty": ('{"timeout": ""}', "1:13", "30s"),
    "timeout-long": ('{"timeout": "99999h"}', "1:13", "30s"),
    "grace-real": ('{"grace": "1.5s"}', "1:11", "5s"),
    "limit-small": ('{"output-limit": "1"}', "1:18", "64K"),
    "limit-large": ('{"output-limit": "2G"}', "1:18", "64K"),
    "limit-unit": ('{"output-limit": "1KB"}', "1:18", "64K"),
    "name-slash": ('{"profiles": {"a/b": {}}}', "1:15", "letters"),
    "name-empty": ('{"profiles": {"": {}}}', "1:15", "letters"),
    "name-long": ('{"profiles": {"%s": {}}}' % ("a" * 65), "1:15", "letters"),
    "name-space": ('{"profile": "a b"}', "1:13", "letters"),
}

# what stands in the file is right for a schema: names that exist, ranges
BEYOND = {"unknown-profile", "unknown-extends", "circle-itself", "circle", "timeout-long", "limit-small", "limit-large"}

NO_JSON = {
    "nothing": ("", "1:1", "nothing in the file"),
    "spaces": ("  \n\t ", "2:3", "nothing in the file"),
    "comment-only": ("// {}", "1:6", "nothing in the file"),
    "open": ("{", "1:2", "ends"),
    "open-key": ('{"read"', "1:8", "ends"),
    "open-colon": ('{"read":', "1:9", "ends"),
    "open-list": ('{"read": [', "1:11", "ends"),
    "open-string": ('{"read": ["/us', "1:15", "ends"),
    "open-escape": ('{"read": ["\\', "1:11", "escape"),
    "open-second": ('{"mode": "direct",\n', "2:1", "ends"),
    "comment-hides-end": ('{"mode": "direct" // }', "1:23", "ends"),
    "comma-object": ('{"mode": "direct",}', "1:18", "no comma"),
    "comma-list": ('{"read": ["/usr",\n]}', "1:17", "no comma"),
    "comma-missing": ('{"mode": "direct"\n "grace": "1s"}', "2:2", "a comma is missing"),
    "comma-missing-list": ('{"read": ["/usr" "/etc"]}', "1:18", "a comma is missing"),
    "comma-missing-after": ('{"read": ["/usr"] "mode": "direct"}', "1:19", "a comma is missing"),
    "key-word-second": ('{"mode": "direct", grace: "1s"}', "1:20", 'keys stand in ""'),
    "bracket-wrong-object": ('{"mode": "direct"]\n', "1:18", "near"),
    "colon-missing": ('{"mode" "direct"}', "1:9", "':' expected"),
    "word": ('{"mode": direct}', "1:10", "direct"),
    "key-word": ("{mode: 1}", "1:2", 'keys stand in ""'),
    "single-quotes": ("{'mode': 1}", "1:2", "''"),
    "block-comment": ("/* x */ {}", "1:1", "//"),
    "hash-comment": ("# x\n{}", "1:1", "//"),
    "slash": ("/ {}", "1:1", "near"),
    "after": ("{} {}", "1:4", "follows"),
    "after-bracket": ("{}}", "1:3", "follows"),
    "bracket-wrong": ('{"read": ["/usr"}', "1:17", "near"),
    "string-root": ('"read"', "1:1", "near"),
    "number-root": ("1", "1:1", "near"),
    "newline-in-string": ('{"env": ["A\nB"]}', "1:10", "not JSON"),
    "control-in-string": ('{"env": ["A\tB"]}', "1:10", "control"),
    "escape-wrong": ('{"env": ["A\\x41"]}', "1:10", "escape"),
    "escape-short": ('{"env": ["\\u12"]}', "1:10", "escape"),
    "escape-nul": ('{"env": ["A\\u0000B"]}', "1:10", "\\u0000"),
    "surrogate-alone": ('{"env": ["\\ud800"]}', "1:10", "nicode"),
    "number-leading-zero": ('{"timeout": 01}', "1:13", "near"),
    "number-overflow": ('{"timeout": 1e999}', "1:13", "overflow"),
    "number-long": ('{"timeout": 99999999999999999999}', "1:13", "too big"),
    "nan": ('{"timeout": NaN}', "1:13", "near"),
    "twice": ('{"read": [], "read": []}', "1:14", "twice"),
    "twice-line": ('{"mode": "direct",\n"grace": "1s",\n  "mode": "discard"}', "3:3", "twice"),
    "twice-escaped": ('{"read": [], "\\u0072ead": []}', "1:14", "twice"),
    "twice-never": ('{"never": {"read": true, "read": []}}', "1:26", "twice"),
    "twice-profile": ('{"profiles": {"a": {}, "a": {}}}', "1:24", "twice"),
    "twice-unknown": ('{"x": 1, "x": 2}', "1:10", "twice"),
    "depth-17": ('{"read": ' + "[" * 16 + "]" * 16 + "}", "1:25", "in one another"),
    "depth-10000": ('{"read": ' + "[" * 10000, "1:25", "in one another"),
    "depth-objects": ('{"a":' * 10000, "1:81", "in one another"),
    "bom": (b"\xef\xbb\xbf{}", "1:1", "byte order mark"),
    "utf-16": ("{}".encode("utf-16-le"), "1:2", "NUL"),
    "nul": (b'{"read": \x00[]}', "1:10", "NUL"),
    "nul-in-string": (b'{"read": ["/us\x00r"]}', "1:15", "NUL"),
    "nul-in-comment": (b"// \x00\n{}", "1:4", "NUL"),
    "nul-at-end": (b"{}\x00", "1:3", "NUL"),
    "utf-8-wrong": (b'{"read": ["/\xff"]}', "1:13", "UTF-8"),
    "utf-8-comment": (b"{} // \xc3(", "1:7", "UTF-8"),
    "utf-8-long": (b'{"read": ["\xc0\xaf"]}', "1:12", "UTF-8"),
    "utf-8-surrogate": (b'{"env": ["A=\xed\xa0\x80"]}', "1:13", "UTF-8"),
    "utf-8-cut": (b'{"env": ["\xf0\x9f\x98', "1:11", "UTF-8"),
    "latin-1": ('{"env": ["A=é"]}'.encode("latin-1"), "1:13", "UTF-8"),
    "binary": (bytes(range(128, 256)), "1:1", "UTF-8"),
    "elf": (b"\x7fELF\x02\x01\x01\x00", "1:8", "NUL"),
}


def encoded(text):
    return text if isinstance(text, bytes) else text.encode()


def without_comments(text):
    """As JSON, for files of GOOD and BROKEN: comments out, by a reading of its own."""
    out, string, at = [], False, 0
    while at < len(text):
        if string and text[at] == "\\":
            out.append(text[at:at + 2])
            at += 2
            continue
        if text[at] == '"':
            string = not string
        if not string and text.startswith("//", at):
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
            continue
        out.append(text[at])
        at += 1
    return "".join(out)
