# SPDX-License-Identifier: BSD-2-Clause
"""Facts from dvfw: names of commands and values, syndromes, fields of bytes. Answers are kept."""
import functools
import json
import os
import subprocess
import sys

PROGRAM = os.environ.get("DVKIT_PROGRAM", "dvfw")


def run(*words, text=None):
    """The output of dvfw; None: it refused."""
    try:
        done = subprocess.run([PROGRAM, *words], input=text, stdin=None if text else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except OSError as e:
        sys.exit("dvfw: %s: %s: explain asks it for names and bytes" % (PROGRAM, e.strerror))
    return done.stdout.decode() if not done.returncode else None


def version():
    return (run("--version") or "dvfw").strip()


def ask(*words, text=None):
    printed = run(*words, "--json", text=text)
    return json.loads(printed) if printed else None


@functools.lru_cache(None)
def commands():
    """Names by opcode."""
    return {c["opcode"]: c["name"] for c in ask("list", "commands") or []}


@functools.lru_cache(None)
def opcodes():
    return {name: opcode for opcode, name in commands().items()}


@functools.lru_cache(None)
def values(kind):
    """(name, words) by number."""
    return {v["value"]: (v["name"], v.get("text", ""))
            for one in ask("list", "values", kind) or [] for v in one["values"]}


@functools.lru_cache(None)
def syndromes():
    """(command, text) by syndrome, of all that are public."""
    return {s["syndrome"]: (s["command"], s["text"]) for s in ask("list", "syndromes") or []}


@functools.lru_cache(4096)
def syndrome(opcode, number):
    """The firmware's meaning in an answer to this command; None: it is not known."""
    name = commands().get(opcode)
    answer = ask("decode", name, "out", "01000000%08x" % (number & 0xffffffff)) if name else None
    return answer.get("explanation") if answer else None


@functools.lru_cache(4096)
def error_cqe(number, vendor):
    """The meanings of the two syndromes of an error CQE."""
    return ask("decode", "cqe", "%0108x%02x%02x%016x" % (0, vendor, number, 0xd0))["error"]


@functools.lru_cache(512)
def decode(kind, rows):
    """Fields of a dump in hex, as decode --json prints them; None: it cannot."""
    return ask("decode", *kind.split(), "-", text=rows.encode(errors="replace"))
