#!/usr/bin/env python3
"""The kit's graph calls in the words of the-loopy-one 20.10.2, whose `the-loop` is found on PATH.

An example of a wrapper. It renames: verbs, flags, keys and words that mean the same. It never decides: whether a graph
compiles, whether a gate holds and what is said of a node comes from the program alone. What the program has no words
for ends with 64, which no check takes for an answer.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NO_SUCH_CALL = 64
STATE = "work-item-state.json"


class Arguments(argparse.ArgumentParser):
    """The arguments of one verb. A call that cannot be translated is no refusal of the program's."""

    def __init__(self, verb):
        super().__init__(prog=verb, add_help=False, allow_abbrev=False)
        self.add_argument("--config")
        self.add_argument("--root", default=".")

    def error(self, message):
        no_such_call(f"{self.prog}: {message}")


def no_such_call(what):
    print(f"the wrapper has no translation: {what}", file=sys.stderr)
    sys.exit(NO_SUCH_CALL)


def the_loop(words, config=None):
    command = ["the-loop", *(["--config", config] if config else []), *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")


def hand_on(answer):
    sys.stdout.write(answer.stdout)
    sys.stderr.write(answer.stderr)
    return answer.returncode


def declared_name(file):
    """A graph is declared under the name that its file gives itself."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"^name:[ \t]*[\"']?([^\s\"'#]+)", text, re.MULTILINE)
    return found.group(1) if found else "unnamed"


def compile_graphs(words):
    """`graph compile FILE…`: the operator declares the file, and `graph loops` says whether what is declared compiles.

    It prints that on standard output and exits 1 where one does not; the kit's words are standard error and 2.
    """
    parser = Arguments("graph compile")
    parser.add_argument("files", nargs="+")
    worst = 0
    for file in parser.parse_args(words).files:
        path = Path(file).absolute()
        name = declared_name(path)
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "cli-config.yaml")
            # JSON is YAML.
            config.write_text(json.dumps({"graphs": [{"name": name, "path": str(path)}]}), encoding="utf-8")
            answer = the_loop(["graph", "loops", "--format", "json"], str(config))
        try:
            report = json.loads(answer.stdout)
            loops = [loop for loop in report["loops"] if loop["kind"] == "declared"]
        except (ValueError, KeyError, TypeError):
            return hand_on(answer)
        for complaint in [report.get("error"), *(loop.get("error") for loop in loops)]:
            if complaint:
                print(f"{file}: {complaint}", file=sys.stderr)
        if answer.returncode == 0:
            for loop in loops:
                print(f"{file}: {loop['name']}: {loop['status']}")
        sys.stderr.write(answer.stderr)
        worst = max(worst, 2 if answer.returncode == 1 else answer.returncode)
    return worst


def show(words):
    """`graph show [NAME]`: there is a loop for work items, shown by default, and one for pull requests."""
    parser = Arguments("graph show")
    parser.add_argument("name", nargs="?", default="pdlc-work-item-loop")
    parser.add_argument("--format", default="text")
    call = parser.parse_args(words)
    flags = {"pdlc-work-item-loop": [], "pdlc-pr-loop": ["--pr", "1"]}
    if call.name not in flags:
        no_such_call(f"graph show {call.name}: it shows its loops for work items and for pull requests only")
    shown = ["graph", "--repo", call.root, "show", "--format", call.format, *flags[call.name]]
    return hand_on(the_loop(shown, call.config))


def in_its_keys(state):
    """The state of a work item: the same facts under the program's keys."""
    if not isinstance(state, dict):
        return state
    theirs = dict(state)
    if "current" in theirs:
        theirs["currentNode"] = theirs.pop("current")
    frozen = theirs.pop("frozen", None)
    records = theirs.get("nodes")
    if isinstance(records, dict):
        theirs["nodes"] = {node: in_its_record(record) for node, record in records.items()}
        for record in records.values():
            if isinstance(record, dict) and record.get("outcome") == "selected":
                theirs["decisions"] = {"phase-selection": {**record, "graph": frozen}}
    return theirs


def in_its_record(record):
    if not isinstance(record, dict):
        return record
    at = record.get("at", "")
    return {**record, "enteredAt": at, "exitedAt": at}


def in_kit_words(report):
    """A report of `check`: the same keys and words as the kit's."""
    report["current"] = report.pop("currentNode", None)
    for node in report.get("nodes", []):
        node["status"] = {"skip": "skipped"}.get(node["status"], node["status"])
    return report


def check(words):
    """`check ITEM`: the same call, over a copy of the checkout in which states have the program's keys."""
    parser = Arguments("check")
    parser.add_argument("item", nargs="?")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--format", default="table")
    parser.add_argument("--recompute", action="store_true")
    parser.add_argument("--fail-on")
    call = parser.parse_args(words)
    root = Path(call.root).absolute()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, root.name or "root")
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for state in copy.rglob(STATE):
            try:
                state.write_text(json.dumps(in_its_keys(json.loads(state.read_text(encoding="utf-8")))))
            except ValueError:
                pass  # No JSON: what that means is the program's to say.
        checked = ["check", *([call.item] if call.item else []), "--repo", str(copy), "--format", call.format]
        checked += ["--all"] if call.all else []
        checked += ["--recompute"] if call.recompute else []
        checked += ["--fail-on", call.fail_on] if call.fail_on else []
        answer = the_loop(checked, call.config)
    answer.stdout = answer.stdout.replace(str(copy), str(root))
    answer.stderr = answer.stderr.replace(str(copy), str(root))
    if call.format == "json":
        try:
            report = json.loads(answer.stdout)
            reports = [in_kit_words(item) for item in report] if call.all else in_kit_words(report)
            answer.stdout = json.dumps(reports, indent=2) + "\n"
        except (ValueError, AttributeError, KeyError, TypeError):
            pass  # No report: it is handed on as it is.
    return hand_on(answer)


def main(words):
    if words[:1] == ["check"]:
        return check(words[1:])
    if words[:1] != ["graph"]:
        os.execvp("the-loop", ["the-loop", *words])  # The same in both: `critic …`, `--version`.
    verbs = {"compile": compile_graphs, "show": show}
    if words[1:2] and words[1] in verbs:
        return verbs[words[1]](words[2:])
    return no_such_call(f"{' '.join(words[:2])}: without its service and GitHub there is no such command")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
