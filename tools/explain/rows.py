# SPDX-License-Identifier: BSD-2-Clause
"""The files of data/. A row begins in column 0, its first word says what it is; then, with a tab before them:

    - cause    what is likely, in the order of probability
    > step     what to do next
    ~ pattern  a regular expression, any case; of several one has to match
    # comment  anywhere: the source
"""
import functools
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]|\{[\d,]*\}|.", re.S)


def literal(pattern):
    """The longest text that all matches of the pattern have, in lower case."""
    runs, depth = [""], 0
    for token in TOKEN.findall(pattern):
        if token == "|" and not depth:
            return ""
        if token[0] in "?*{":
            runs += [runs.pop()[:-1], ""]
        elif not depth and (token.isalnum() or token in " _:=,'/-<>\"" or token[0] == "\\" and not token[1].isalnum()):
            runs[-1] += token[-1].lower()
        else:
            runs.append("")
        depth += {"(": 1, ")": -1}.get(token, 0)
    return max(runs, key=len)


@functools.lru_cache(8)
def lower(line):
    return line.lower()


class Pattern:
    """A regular expression that is compiled when a line has its literal text: most never are."""

    def __init__(self, source):
        self.source, self.literal = source, literal(source)

    @functools.cached_property
    def compiled(self):
        return re.compile(self.source, re.I)

    def search(self, line):
        return self.compiled.search(line) if self.literal in lower(line) else None


class Row:
    def __init__(self, head):
        self.word, _, self.rest = head.partition(" ")
        before, _, self.title = self.rest.partition(" | ")
        self.words = before.split()
        self.kind = self.words[0].rstrip("+") if self.words else ""
        self.joins = bool(self.words) and self.words[0].endswith("+")
        self.alone = not (self.words and self.words[0].endswith("++"))
        self.dump = self.words[1] if self.word == "line" and len(self.words) > 1 else None
        self.causes, self.steps, self.patterns = [], [], []

    def add(self, line):
        mark, _, text = line.partition(" ")
        {"-": self.causes, ">": self.steps, "~": self.patterns}[mark].append(Pattern(text) if mark == "~" else text)

    def match(self, line):
        return next(filter(None, (p.search(line) for p in self.patterns)), None)


@functools.lru_cache(None)
def rows(name):
    found = []
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line or line.lstrip("\t").startswith("# "):
                continue
            if line[0] == "\t":
                found[-1].add(line[1:])
            else:
                found.append(Row(line))
    return found


@functools.lru_cache(None)
def of(name, word):
    """The rows of the file @name that begin with @word."""
    return [row for row in rows(name) if row.word == word]


def first(name, word, line):
    """The first of them that matches, and its match; None, None."""
    for row in of(name, word):
        match = row.match(line)
        if match:
            return row, match
    return None, None
