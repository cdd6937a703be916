# SPDX-License-Identifier: BSD-2-Clause
"""Items: what is known of some lines; and how they are printed."""
import json
import os
import sys

LISTS = ("fields", "causes", "steps", "unknown")
COMPARED = 64  # items before that may have the same causes and steps
OTHERS = 5     # lines that are shown, of those that are not understood


def visible(text):
    """Without what a terminal obeys."""
    return "".join(c if c.isprintable() else "\\x%02x" % ord(c) if ord(c) < 256 else "\\u%04x" % ord(c)
                   for c in text)


class Item:
    def __init__(self, kind, title):
        self.kind, self.title, self.summary = kind, title, ""
        self.lines, self.times = [0, 0], 1
        self.facts = []  # (name, text)
        self.output = None  # of what a tool printed: form_output.py
        self.fields, self.causes, self.steps, self.unknown = [], [], [], []

    def fact(self, name, text):
        """Adds it, once."""
        fact = (name, visible(str(text)))
        if fact not in self.facts:
            self.facts.append(fact)

    def has(self, name):
        return any(n == name for n, _ in self.facts)

    def summarize(self, text):
        self.summary = visible(text.strip())

    def add(self, name, lines, first=False):
        """To one of LISTS; what is there stays where it is."""
        old = getattr(self, name)
        new = [line for line in dict.fromkeys(lines) if line not in old]
        setattr(self, name, new + old if first else old + new)

    def advise(self, row, first=False):
        """The causes and steps of a row of data."""
        if row:
            self.add("causes", row.causes, first)
            self.add("steps", row.steps, first)

    def content(self):
        return self.title, tuple(self.facts), tuple(self.fields)

    def advice(self):
        return tuple(self.causes), tuple(self.steps)

    def json(self):
        out = {"kind": self.kind, "title": self.title}
        if self.summary:
            out["summary"] = self.summary
        out.update(lines=self.lines, times=self.times,
                   facts=[{"name": n, "text": t} for n, t in self.facts])
        out.update((name, getattr(self, name)) for name in LISTS if getattr(self, name))
        return out


def print_json(found):
    print(json.dumps(dict(found, explained=[i.json() for i in found["explained"]]), indent=2, ensure_ascii=False))


def colors(when):
    """The codes that begin a title, a heading, the name of a fact, and end them."""
    on = when == "always" or when == "auto" and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return ("\033[1;36m", "\033[1m", "\033[2m", "\033[0m") if on else ("",) * 4


def print_list(heading, lines, mark, paint):
    if lines and heading:
        print("  %s%s:%s" % (paint[1], heading, paint[3]))
    for line in lines:
        print("    %s%s" % (mark, line))


def print_item(item, said, paint):
    """@said: an item before that has the same causes and steps, or None."""
    first, last = item.lines
    print("line %d: " % first if first == last else "lines %d-%d: " % (first, last), end="")
    summary = ": " + item.summary if item.summary else ""
    times = ", %d times" % item.times if item.times > 1 else ""
    print("%s%s%s%s (%s)%s" % (paint[0], item.title, summary, paint[3], item.kind, times))
    for name, text in item.facts:
        print("  %s%-14s%s %s" % (paint[2], name, paint[3], text))
    print_list("", item.fields, "", paint)
    if said:
        print("  likely causes, next steps: those of line %d" % said.lines[0])
    else:
        print_list("likely causes", item.causes, "- ", paint)
        print_list("next steps", item.steps, "- ", paint)
    print_list("not known", item.unknown, "- ", paint)
    print()


def print_words(found, paint):
    items = found["explained"]
    for i, item in enumerate(items):
        before = items[max(0, i - COMPARED):i]
        said = next((b for b in before if item.causes and b.advice() == item.advice()), None)
        print_item(item, said, paint)
    n, shown = found["not_understood"], found["first_not_understood"]
    if n:
        print("%d line%s not understood%s" % (n, "s were" if n > 1 else " was",
                                              ", the first of them:" if n > len(shown) else ":"))
    for other in shown:
        print("  %d: %s" % (other["line"], other["text"]))
