# SPDX-License-Identifier: BSD-2-Clause
"""A call that failed: its name, or words for it ("create QP"), and an errno in any spelling: a number, -n, [n], (n), its
name, its text, or none."""
import errno
import re

import fields
import meaning
import rows

NAME = re.compile(r"""\b((?:ibv_(?:create|destroy|modify|query|reg|rereg|dereg|alloc|dealloc|free|open|close|post|poll|req|
    attach|detach|get|ack|resize|bind|import|unimport|advise|fork|init|cmd|resolve|set|exp)(?:_\w+)?|mlx5dv_\w+|
    rdma_(?:create|destroy|bind|resolve|connect|accept|reject|listen|get|ack|join|leave|disconnect|set|init|migrate|post|reg|
    establish|notify)(?:_\w+)?))\b(?:\(([^)]*)\))?""", re.X)
FAILED = re.compile(r"fail|\berr|errno|error|cannot|can't|could ?n't|could not|unable|null value|refused|not supported|"
                    r"return(?:ed|s)?\b\D{0,3}-?[1-9]", re.I)
BEFORE = re.compile(r"\b(?:fail\w*|unable|cannot|can't|could ?n't|could not|null value)\W+(?:\w+\W+){0,2}$", re.I)
AFTER = re.compile(r"\W*(?:\S+\s+){0,3}?\W?(?:fail|error|errno|refused)", re.I)
TEXT = re.compile(r"(?<![a-z])(%s)(?![a-z])" % "|".join(
    re.escape(text) for text in sorted(meaning.ERRNO, key=len, reverse=True)), re.I)
SYMBOL = re.compile(r"\b(%s)\b" % "|".join(errno.errorcode.values()))
NUMBER = re.compile(r"""\berrno\b[ :=(\[]{0,3}-?(\d{1,3})\b
    |\b(?:error|err|status|rc|ret|returned|code|with)\b[ :=(\[]{0,3}-?(\d{2,3}|[2-9])\b(?!\.)
    |(?:failed|[:=,])\s*[(\[]?-(\d{2,3}|[2-9])\b|[(\[]-?(\d{2,3}|[2-9])[)\]]\W*$""", re.I | re.X)
SUCCESS = re.compile(r"\b(?:errno|error|err|ret|rc|status)\W{1,3}0\b|\bsuccess", re.I)
PERROR = re.compile(r"\b[a-z0-9_]+(?:\([^)]*\))?\s*: ?%s" % TEXT.pattern, re.I)


def errno_in(line):
    """0: the line has none."""
    text = TEXT.search(line)
    if text:
        return meaning.ERRNO[text.group(1).lower()]
    symbol = SYMBOL.search(line)
    if symbol:
        return getattr(errno, symbol.group(1))
    number = NUMBER.search(line)
    number = int(next(filter(None, number.groups()))) if number else 0
    return number if number in errno.errorcode else 0


def call_in(line):
    """The name of the call, and its arguments if the line has them."""
    name = NAME.search(line)
    if name:
        return "mlx5dv_devx_alloc_uar" if name.group(1) == "mlx5dv_devx_uar" else name.group(1), name.group(2)
    row, match = rows.first("programs", "call", line)
    if row and (BEFORE.search(line[:match.start()]) or AFTER.match(line[match.end():])):
        return row.words[0], None
    return None, None


def title(line):
    if "NULL value" in line or "non-zero status" in line:
        return "NVSHMEM: a call of libibverbs failed"
    if "Couldn't allocate MR" in line:
        return "perftest: memory could not be registered"
    return "a call of %s failed" % ("librdmacm" if re.search(r"\brdma_", line) else "libibverbs")


def read(line):
    name, arguments = call_in(line)
    error = errno_in(line) if name else 0
    if not name or not error and SUCCESS.search(line) or not (FAILED.search(line) or error and PERROR.search(line)):
        return None
    f = meaning.Facts("verbs_call", title(line), line)
    f.add("call", name)
    if arguments:
        f.item.fact("arguments", arguments)
    if error:
        f.add("call_errno", str(error))
    fields.add(f, line, FIELDS)
    return f.end(), READS


FIELDS = {"port", "from", "to", "gid_index", "local_gid", "remote_gid", "call_address"}
READS = rows.Row("line verbs_call | ")
