"""Reads receipts, and holds each against the published schema."""
import hashlib
import json
from functools import lru_cache
from pathlib import Path

SCHEMA = Path(__file__).resolve().parent.parent / "policies" / "receipt.schema.json"


@lru_cache(maxsize=None)
def validator():
    import jsonschema  # here, since programs that only pass through the harness are many
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def once(pairs):
    """A JSON object in which no key stands twice."""
    assert len({key for key, _ in pairs}) == len(pairs), f"a key stands twice: {[key for key, _ in pairs]}"
    return dict(pairs)


def check(text):
    """The receipt in a text: one JSON object and a newline, as the schema has it."""
    assert text.endswith("}\n"), f"no whole receipt: {text[-80:]!r}"
    receipt = json.loads(text, object_pairs_hook=once)
    wrong = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator().iter_errors(receipt)]
    assert not wrong, f"not as the schema has it: {wrong}\n{text}"
    return receipt


def read(path):
    return check(path.read_text())


def other_names(path):
    """The names under which a receipt is written before it takes its own."""
    digest = hashlib.sha256(path.name.encode()).hexdigest()[:16]
    return [path.parent / f".pinfold-receipt-{digest}.{slot}" for slot in range(16)]
