"""The JSON Schema and the parser judge the same files the same, as far as a schema can say it."""
import json
import re
import subprocess

import jsonschema
import pytest

import harness
import policies

SCHEMA = json.loads((harness.ROOT / "policies" / "policy.schema.json").read_text())
WORKSPACE = {"$ref": "#/$defs/workspace", "$defs": SCHEMA["$defs"]}
TEXTS = {**policies.GOOD, **{name: text for name, (text, _, _) in policies.BROKEN.items()},
         "never-waive-odd": '{"never": {"waive": ["environment"]}}', "profile-schema": '{"profiles": {"a": {"$schema": "x"}}}',
         "profile-backend": '{"profiles": {"a": {"backend": "native"}}}', "zeros": '{"timeout": "0000s"}',
         "zeros-one": '{"timeout": "0001s"}', "digits-none": '{"timeout": "s"}', "grace-none": '{"grace": "ms"}',
         "tilde": '{"read": ["~/"]}', "root": '{"read": ["/"]}', "dots": '{"read": ["/../x"]}', "space": '{"env": [" "]}'}


def fits(schema, text):
    validator = jsonschema.Draft202012Validator(schema)
    return validator.is_valid(json.loads(policies.without_comments(text)))


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """Which of the texts pinfold check takes, as an operator's file and as a workspace's."""
    folder = tmp_path_factory.mktemp("schema")
    folder.chmod(0o755)
    names = {}
    for name, text in TEXTS.items():
        (folder / name).mkdir()
        for kind, file in (("operator", f"{name}/policy.json"), ("workspace", f"{name}/.pinfold.json")):
            (folder / file).write_text(text)
            names[file] = (kind, name)
    done = subprocess.run([harness.Lab.pinfold, "check", "--json", *names], cwd=folder, capture_output=True, text=True)
    return {names[row["file"]]: row for row in json.loads(done.stdout)}


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", TEXTS)
def test_operator(taken, name):
    row = taken["operator", name]
    if name in policies.BEYOND:
        assert fits(SCHEMA, TEXTS[name]) and not row["ok"], row
    else:
        assert fits(SCHEMA, TEXTS[name]) == row["ok"], row


@pytest.mark.parametrize("name", TEXTS)
def test_workspace(taken, name):
    row = taken["workspace", name]
    if name in policies.BEYOND and fits(WORKSPACE, TEXTS[name]):
        assert not row["ok"], row
    else:
        assert fits(WORKSPACE, TEXTS[name]) == row["ok"], row


def test_what_is_built_in():
    """The built-in profiles fit, and the schema knows their names."""
    files = sorted((harness.ROOT / "policies").glob("*.json"))
    built_in = [file for file in files if not file.name.endswith(".schema.json")]
    assert all(fits(SCHEMA["$defs"]["profile"] | {"$defs": SCHEMA["$defs"]}, file.read_text()) for file in built_in)
    assert [file.stem for file in built_in] == SCHEMA["properties"]["profiles"]["propertyNames"]["allOf"][1]["not"]["enum"]


def test_guarantees():
    table = (harness.ROOT / "src" / "guarantees.def").read_text()
    names = re.findall(r'GUARANTEE\(\w+,\s+"([a-z-]+)"', table)
    assert SCHEMA["$defs"]["guarantees"]["items"]["enum"] == [n for n in names if n not in ("environment", "descriptors")]
