# SPDX-License-Identifier: BSD-2-Clause
"""Lines of hex digits in a log. Which bytes they are "dvfw decode" says, which reads all forms of dumps."""
import re

# Prefixes of logs before a message: time, host, "kernel:", the device, the slot of a command.
LOG = re.compile(r"""^(?:<\d+>)?\s*(?:\w{3}\s+\d+\s+[\d:]{8}\s+\S+\s+)?(?:\d\d:\d\d:\d\d\s+)?(?:kernel:\s*)?
    (?:\[\s*\d+\.\d+\](?:\[[^\]]*\])?\s*)?(?:\w[\w.]*\s+[\w:.]+:\s+)?(?:cmd\[\d+\]:\s*)?""", re.X)
OFFSET = re.compile(r"(?:0x)?[0-9a-f]{3,8}:\s+(?=[0-9a-f])", re.I)
BARE_OFFSET = re.compile(r"[0-9a-f]{6,8}(?:\s+(?=(?:[0-9a-f]{2}\s){3}|(?:[0-9a-f]{4}\s){3})|$)", re.I)
WORDS = re.compile(r"(?:(?:0x)?[0-9a-f]{8}(?=[\s,|\[]|$)[\s,]*){2,}|(?:(?:0x)?[0-9a-f]{2}(?=[\s,|\[]|$)[\s,]*){8,}", re.I)
DIGITS = re.compile(r"(?:[0-9a-f]{2}){16,}$", re.I)
MORE = re.compile(r"\*$|[0-9a-f]{6,8}$|[0-9a-f]{2,8}(?: [0-9a-f]{2,8})*$", re.I)
WORD = re.compile(r"\b[0-9a-f]{8}\b", re.I)


def row(line):
    """The row of a dump in the line; None: it is not a dump."""
    at = LOG.match(line).end()
    for rest in (line[at:], line):
        if OFFSET.match(rest) or BARE_OFFSET.match(rest + " ") or WORDS.match(rest) or DIGITS.match(rest):
            return rest.partition("[")[0]
        if re.fullmatch(r"[0-9]{7}", rest):
            return rest
    return None


def goes_on(line):
    """Whether this may belong to a dump that has begun: a short last row, "*", the offset at the end."""
    return bool(MORE.match(line))


def starts_over(text):
    """Whether another dump begins with this row."""
    return bool(re.match(r"0{3,8}:", text))


def is_cqe(rows):
    """Whether the rows, words without offsets, are a whole CQE."""
    return not OFFSET.match(rows[0]) and len(WORD.findall(" ".join(rows))) >= 16
