# SPDX-License-Identifier: BSD-2-Clause
"""Which reader knows a line: rows of programs and of the kernel first, then the forms."""
import re

import form_call
import form_completion
import form_kernel
import form_output
import meaning
import rows

LONGEST = 2000  # characters of a message; more are a dump, or no message
FILES = ("programs", "kernel")
FORMS = (form_kernel.read, form_completion.read, form_call.read)


def row_of(line, kind=None):
    """The first row that matches, and its match; @kind: of those that add to an item of this kind."""
    for name in FILES:
        for row in rows.of(name, "line"):
            match = row.match(line) if (row.joins and row.kind == kind if kind else row.alone) else None
            if match:
                return row, match
    return None


def by_row(line, row, match):
    f = meaning.Facts(row.kind, row.title, line)
    form_kernel.add_origin(f.item, line)
    f.add_match(match)
    f.end()
    f.item.advise(row)
    return f.item, row


def read(line, before, indent=0):
    """(item, row or None) of the line, where the item is @before if the line goes on with it; None: not known."""
    line = line[:LONGEST]
    found = form_output.read(line, before, indent)
    if found:
        return found, None
    row = before and row_of(line, before.kind) or row_of(line)
    if row:
        return by_row(line, *row)
    forms = FORMS[:1] if form_kernel.origin(line) else FORMS[1:]
    return next(filter(None, (form(line) for form in forms)), None)


COMMAND = re.compile(r"op_mod\(.*, syndrome +\(0x")
WRAPPED = (  # what a line that is wrapped has, and what it has when it is whole
    (re.compile(r"handle_wc\]"), re.compile(r"error polling [A-Z]+ CQ .*vendor error \d+ qp_idx \d")),
    (re.compile(r"op_mod\("), COMMAND),
    (re.compile(r"mlx5_cmd_(?:check|out_err):\d+:\(pid \d+\):\s*(?:\w+\(0x\w+\))?$|mlx5_core [\w:.]+:$"), COMMAND),
    (re.compile(r"dump_command:\d+:\(pid \d+\): cmd\[\d+\]:$"), re.compile(r"dump command data \w+\(0x")),
)


def whole(line):
    """The pattern of the whole line, of one that a mailer or a terminal may have wrapped; None: it is no such line."""
    return next((pattern for word, pattern in WRAPPED if word.search(line) and not pattern.search(line)), None)
