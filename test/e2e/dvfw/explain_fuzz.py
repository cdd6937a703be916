#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Texts as people paste them, for dvfw explain: the reports of explain/*.txt, cut, mixed and damaged, with lines joined, CRLF,
UTF-8, bits flipped, NULs; one is large, one is a single line. Whatever they are, each item has a kind, a title and lines within
the text, no more lines are counted than there are, nothing that a terminal obeys is printed, and the result is JSON.

    explain_fuzz.py LAUNCHER DVFW [SEED [COUNT]]
"""
import glob
import json
import os
import random
import sys

DVFW = os.path.abspath(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 4000
os.environ["DVKIT_PROGRAM"] = DVFW
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(DVFW), "..", "libexec", "dvkit", "explain"))
import text

WORDS = ["\u201c", "\u00a0", "\u2026", "\ufeff", "> ", "\x1b[31m", "\x9b", "\u202e", "(", "[", "{", "|", "0x", "-", ":", "%s", "\\", "~"]
KINDS = ["cqe", "eqe", "wqe", "ring", "recv", "inbox", "outbox", "ring-ud", "wqe-eth"]


def read_reports():
    lines = []
    for name in sorted(glob.glob(os.path.join(os.path.dirname(__file__), "explain", "*.txt"))):
        with open(name, "rb") as file:
            lines += [line for line in file if not line.startswith(b"# ")]
    assert len(lines) > 100
    return lines


def compose(lines, chance):
    """A few lines, mostly consecutive ones."""
    at, made = chance.randrange(len(lines)), []
    for _ in range(chance.randint(1, 10)):
        made.append(lines[at])
        at = chance.randrange(len(lines)) if chance.random() < 1 / 6 else (at + 1) % len(lines)
    return b"".join(made)


def damage(data, chance):
    at, n = chance.randrange(len(data) + 1), chance.randrange(40)
    return chance.choice((
        lambda: data[:at] + bytes([chance.randrange(256)]) + data[at + 1:],
        lambda: data[:at] + data[at + n:],
        lambda: data[:at] + data[at:at + n] + data[at:],
        lambda: data[:at],
        lambda: data[:at] + chance.choice(b"0x:|[]()#*>\n ,=f9").to_bytes(1, "big") + data[at + 1:],
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: data.replace(b"\n", chance.choice((b"", b" ")), 1),
        lambda: data[:at] + chance.choice(WORDS).encode() + data[at:],
        lambda: data[:at] + b"\0" * n + data[at + n:],
        lambda: data[:at] + bytes(b ^ 1 << chance.randrange(8) for b in data[at:at + 1]) + data[at + 1:],
    ))()


def check(data, kind):
    found = text.explain(data, kind)
    count = max(data.count(b"\n") + 1, len(data) // 16 + 1)
    for item in found["explained"]:
        first, last = item.lines
        assert item.kind and item.title and 1 <= first <= last <= count, item.lines
        shown = [item.title, item.summary, *item.causes, *item.steps, *item.unknown, *item.fields]
        shown += [words for fact in item.facts for words in fact]
        assert all(c.isprintable() for words in shown for c in words), shown
    assert all(other["text"].isprintable() for other in found["first_not_understood"])
    assert found["not_understood"] <= count
    json.dumps([item.json() for item in found["explained"]])
    return bool(found["explained"])


def main():
    lines, explained = read_reports(), 0
    for n in range(COUNT):
        chance = random.Random(SEED * 1000003 + n)
        data = compose(lines, chance)
        for _ in range(chance.randrange(8) if chance.randrange(4) else 0):
            data = damage(data, chance)
        if n in (7, 8):
            data = data * (200000 // (len(data) + 1))
        data = data.replace(b"\n", b" ") if n == 8 else data
        kind = chance.choice(KINDS) if chance.random() < 1 / 8 else None
        try:
            explained += check(data, kind)
        except Exception:
            print("seed %d, text %d, kind %s: %r" % (SEED, n, kind, data[:2000]))
            raise
    for line in ("!", "cqe ", "11 ", "error ", "a: ", "qp ", "failed to create ", "(", "mlx5_core: ", "ibv_a(", "0x", " -", "[ "):
        for begin in ("", "link m/1 rx_write_requests 1 ", "link m/1 rx_write_requests 1\n", "create qp ", "hca_id: x\n"):
            check((begin + line * 5000).encode(), None)  # patterns that try too much would not end
    print("%d texts, %d explained" % (COUNT, explained))
    assert explained > COUNT / 2


main()
