"""The benchmarks: topics, options, goals. docs/bench.md says what each number means."""
import argparse
import json
import os
import sys
from pathlib import Path

import common
import many
import memory
import start
import steady

TOPICS = {"start": start, "steady": steady, "memory": memory, "many": many}

# What must be reached: in words, where the number stands in the JSON, the most that it may be.
GOALS = [
    ("start, output to /dev/null, of bubblewrap's", ("start", "null", "pinfold", "start_to_bubblewrap"), 0.45),
    ("start, output to pipes, of bubblewrap's", ("start", "pipes", "pinfold", "start_to_bubblewrap"), 0.45),
    ("inner half over a spawn, us", ("start", "inner", "over_spawn_us"), 300),
    ("compile, of unboxed", ("steady", "compile", "pinfold", "to_unboxed"), 1.05),
    ("git status, of unboxed", ("steady", "git status", "pinfold", "to_unboxed"), 1.05),
    ("stat, of unboxed", ("steady", "stat", "pinfold", "to_unboxed"), 1.05),
    ("open+read+close, of Landlock alone", ("steady", "open+read+close", "pinfold", "to_landlock"), 1.05),
    ("supervisor and pid 1, output to /dev/null, KiB", ("memory", "null", "supervisor_and_init_kib"), 2048),
    ("supervisor and pid 1, output to pipes, KiB", ("memory", "pipes", "supervisor_and_init_kib"), 2048),
    ("boxes at once that failed", ("many", "at_once", "failed"), 0),
    ("boxes in a row that failed", ("many", "in_a_row", "failed"), 0),
    ("things that boxes in a row leaked", ("many", "in_a_row", "leaked"), 0),
]


def verdicts(result):
    """The goals of the topics that ran; a number that couldn't be had is None, and its goal missed."""
    rows = []
    for what, path, most in GOALS:
        if path[0] in result:
            value = result
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            rows.append({"goal": what, "value": value, "most": most, "met": value is not None and value <= most})
    return rows


def main():
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"of {', '.join(TOPICS)}; all without one")
    parser.add_argument("--build", type=Path, default=os.environ.get("PINFOLD_BUILD", common.ROOT / "build"))
    parser.add_argument("--rounds", type=int, default=300, help="of starts; what takes longer has fewer")
    parser.add_argument("--core", type=int, help="pin the starts to this core")
    parser.add_argument("--small", action="store_true", help="a few files and boxes only: does everything work?")
    parser.add_argument("--clis", action="store_true", help="compare with the published sandboxes that npm has, too")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    parser.add_argument("--check", action="store_true", help="end with 1 when a goal is missed")
    options = parser.parse_args()
    unknown = set(options.topics) - set(TOPICS)
    if unknown or options.rounds < 1:
        parser.error(f"no such topic: {', '.join(unknown)}" if unknown else "at least one round")
    result = {"host": common.host()}
    print("{kernel}, {processor}, {cores} cores, uid {uid}, {date}".format(**result["host"]))
    if result["host"]["load"] > 1:
        print(f"the machine is busy (load {result['host']['load']:.1f}): the numbers say little", file=sys.stderr)
    json_file = options.json and options.json.resolve()
    with common.place(options) as place:
        for name in options.topics or TOPICS:
            result[name] = TOPICS[name].measure(place)
    result["goals"] = verdicts(result)
    common.table("goals", ["", "seen", "at most", ""], [
        [row["goal"], row["value"], row["most"], "met" if row["met"] else "MISSED"] for row in result["goals"]])
    if json_file:
        json_file.write_text(json.dumps(result, indent=2) + "\n")
    if options.check and not all(row["met"] for row in result["goals"]):
        sys.exit(1)


if __name__ == "__main__":
    main()
