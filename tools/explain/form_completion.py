# SPDX-License-Identifier: BSD-2-Clause
"""A status of a work completion, in any spelling: "status: (12)", "error 12, opcode", "IBV_WC_RETRY_EXC_ERR", the text of
ibv_wc_status_str(3) or of the kernel."""
import functools
import re

import fields
import form_call
import meaning
import rows

NUMBERS = [re.compile(p, re.I) for p in (  # the first of these that the line has
    r"\b(?:wc_?)?status(?: number)?\b\W{0,4}(0x[0-9a-f]+|\d+)\b",
    r"\b(?:error state|error|err|failed)\b\W{0,4}(0x[0-9a-f]+|\d+)\b",
    r"\((\d+)\)")]
REQUEST = re.compile(r"request|completion|\b(?:wc|cqe?|wr_?id)\b", re.I)
WEAK = ("fatal error", "general error")  # other programs say so, too


@functools.lru_cache(None)
def patterns():
    """(number, weak, text or name) of all statuses."""
    found = []
    for row in rows.of("facts", "wc"):
        text = " ".join(row.words[3:])
        either = "|".join([re.escape(text)] + [p.source for p in row.patterns])
        found.append((row.words[0], text in WEAK, re.compile(r"(?:%s)|(?<![A-Z])WC_%s\b" % (either, row.words[1]), re.I)))
    return found


def in_words(line):
    request = REQUEST.search(line)
    return next((number for number, weak, pattern in patterns() if (request or not weak) and pattern.search(line)), None)


def in_number(line):
    """A bare number, where the line is about completions and not about another call."""
    if not rows.first("programs", "context", line)[0] or form_call.call_in(line)[0] not in (None, "ibv_poll_cq"):
        return None
    numbers = (meaning.number_of(found.group(1)) for pattern in NUMBERS for found in pattern.finditer(line))
    return next((str(n) for n in numbers if 0 < n <= 23), None)


def read(line):
    number = in_words(line) or in_number(line)
    if not number:
        return None
    program = rows.first("programs", "program", line)[0]
    f = meaning.Facts(program.kind, program.title, line)
    f.add("wc_status", number)
    fields.add(f, line)
    f.item.add("steps", program.steps)
    return f.end(), program
