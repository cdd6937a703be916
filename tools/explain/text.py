# SPDX-License-Identifier: BSD-2-Clause
"""A text to items.

    lines of hex digits         an item, or a part of the one that announced the dump
    a line that a reader knows  an item, or more facts of the item before
    the rest                    counted, the first of them shown
"""
import re

import dump
import form_output
import item
import meaning
import readers

WRAPPED = 3     # lines that a mailer made of one
SEEN = 32       # items before that the same one may repeat
# Replacements of x, minus, blank and apostrophe by mail clients and web pages.
TYPED = str.maketrans("\u00d7\u2010\u2011\u2013\u2212\u00a0\u2018\u2019", "x---- ''", "\u200b\ufeff")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?")  # colours and titles of a terminal
LINE = 132000   # characters of a line, which may be a dump, that are looked at
ADDED = {"assert_var", "step"}  # facts of which an item may have several
FREE = ADDED | {"device", "kernel module", "function", "subsystem"}  # facts that differ between lines of one item


class Text:
    def __init__(self, data, kind):
        text = data.replace(b"\0", b" ").decode("utf-8", "surrogateescape")
        text = ESCAPE.sub("", text.translate(TYPED))
        lines = [line[:LINE].lstrip(">").rstrip() for line in text.split("\n")]
        self.lines = [line.lstrip("> \t") for line in lines]
        self.indents = [len(raw) - len(line) for raw, line in zip(lines, self.lines)]
        self.kind, self.at = kind, 0
        self.items, self.open = [], None   # the latest item, if the next line may belong to it
        self.dump, self.command = None, None  # what a dump that follows is, of which command
        self.others, self.other = [], 0

    def keep(self, new, first):
        new.lines = [first, self.at]
        self.items.append(new)
        self.open = new

    def leave_out(self, number, line):
        self.open = self.dump = None
        self.other += 1
        if len(self.others) < item.OTHERS:
            self.others.append({"line": number, "text": item.visible(line[:160])})


def take_known(t, line, first):
    found = readers.read(line, t.open, t.indents[first - 1])
    if not found:
        return False
    new, row = found
    t.dump = row.dump if row else None
    t.command = meaning.command_in(line) if t.dump else None
    if new is t.open:
        t.open.lines[1] = t.at
    elif row and row.joins and t.open and t.open.kind == row.kind and not repeats(t.open, new):
        join(t, new)
    else:
        t.keep(new, first)
    return True


def repeats(old, new):
    """Whether the old one has another fact of the same name: then the new one is about something else."""
    return any(old.has(name) for name, text in new.facts if name not in FREE and (name, text) not in old.facts)


def join(t, new):
    old = t.open
    for name, text in new.facts:
        if not (name in FREE - ADDED and old.has(name)):
            old.fact(name, text)
    old.summary = old.summary or new.summary
    old.add("causes", new.causes, first=True)
    old.add("steps", new.steps)
    old.add("unknown", new.unknown)
    old.lines[1] = t.at


def take_wrapped(t, line):
    """A line that a mailer wrapped, between words, or a terminal, anywhere."""
    pattern = readers.whole(line)
    start = t.at
    for between in (" ", "") if pattern else ():
        joined = line
        for _ in range(1, WRAPPED):
            if t.at >= len(t.lines) or dump.row(t.lines[t.at]):
                break
            joined += between + t.lines[t.at]
            t.at += 1
            if pattern.search(joined):
                return take_known(t, joined, start)
        t.at = start
    return False


def gather(t, row):
    """The rows of a dump, until another line follows, another dump begins, or a CQE is complete."""
    rows = [row]
    while t.at < len(t.lines) and not (t.dump == "cqe" and dump.is_cqe(rows)):
        line = t.lines[t.at]
        row = dump.row(line) or (line if dump.goes_on(line) else None)
        if not row or dump.starts_over(row):
            break
        rows.append(row)
        t.at += 1
    return rows


def take_dump(t, line):
    row = dump.row(line)
    if not row:
        return False
    first = t.at
    rows = gather(t, row)
    kind = t.kind or t.dump
    fields = meaning.decode(kind, t.command, "\n".join(rows) + "\n")
    if not fields:
        return skip_dump(t, first, line)
    if t.dump and t.open:
        new = t.open
        new.lines[1] = t.at
    else:
        new = item.Item(fields["kind"], "a dump")
        t.keep(new, first)
    meaning.add_dump(new, fields, guessed=not kind, kind=t.kind or fields["kind"])
    t.dump = t.open = None
    return True


def skip_dump(t, first, line):
    """A dump of something else: its first line is shown, all are counted. One line may be no dump at all."""
    if t.at == first:
        return False
    t.leave_out(first, line)
    t.other += t.at - first
    return True


def take_syndrome(t, line):
    """A number alone is a syndrome; or one that the line calls so."""
    new = meaning.bare_syndrome(line)
    if new:
        t.keep(new, t.at)
        t.open = None
    return bool(new)


def once(items):
    """The items, each once; how often it was there is its times."""
    kept = []
    for new in items:
        old = next((k for k in reversed(kept[-SEEN:]) if k.content() == new.content()), None)
        if old:
            old.times += 1
        else:
            kept.append(new)
    return kept


def explain(data, kind):
    if b"\0" in data and len(data) <= 4096:  # bytes as a program wrote them
        data = b"\n".join(data[i:i + 16].hex(" ").encode() for i in range(0, len(data), 16))
    t = Text(data, kind)
    while t.at < len(t.lines):
        line = t.lines[t.at]
        t.at += 1
        if line and not (take_dump(t, line) or take_wrapped(t, line) or take_known(t, line, t.at) or
                         take_syndrome(t, line)):
            t.leave_out(t.at, line)
    for found in t.items:
        form_output.finish(found)
    return {"explained": once(t.items), "not_understood": t.other, "first_not_understood": t.others}
