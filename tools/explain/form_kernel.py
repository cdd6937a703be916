# SPDX-License-Identifier: BSD-2-Clause
"""A message of mlx5_core or mlx5_ib in the kernel's log: its module, function and subsystem, and what causes it there."""
import errno
import re

import meaning
import rows

DEVICE = re.compile(r"\bmlx5_core(?:\.\w+)? (?P<device>[\w.<>-]+(?::[\w.<>-]+)*)(?: (?P<interface>[\w.<>-]+)(?: \([^)]*\))?)?: (?P<message>.*)")
PORT = re.compile(r"\binfiniband (?P<device>mlx5_\w+|\w+(?=: \w*mlx5)|\(null\)|uverbs\d+): (?P<message>.*)")
ALONE = re.compile(r"(?P<extack>Error: |Warning: )?\b(?P<module>mlx5_(?:core|ib|vdpa)): (?P<message>.*)")
CALLER = re.compile(r"^(?:[0-9a-f:.]+:)?(?P<function>[A-Za-z_]\w+):\d+:\(pid \d+\): ?(?P<message>.*)")
BARE = re.compile(r"\b(?P<function>(?:\w+_)?mlx5\w*):\d+:\(pid \d+\): ?(?P<message>.*)")
ERRNO = re.compile(r"(?:\berr(?:or)?\b[^-\d]{0,8}|failed\b[^-\d]{0,12}|[ =(:,])(-\d{1,3})\b", re.I)


def origin(line):
    """(module, function, "netdev" or "extack"; message); None: the line is not of mlx5."""
    found, module, place = DEVICE.search(line), "mlx5_core", "driver"
    if found and found.group("interface"):
        place = "netdev"
    if not found:
        found, module = PORT.search(line), "mlx5_ib"
    if not found:
        found = ALONE.search(line)
        module = found.group("module") if found else ""
        place = "extack" if found and found.group("extack") else module
    if not found:
        found = BARE.search(line)
        return found and ("mlx5_ib" if "mlx5_ib" in found.group("function") else "mlx5_core", *found.groups())
    caller = CALLER.match(found.group("message"))
    return (module, *caller.groups()) if caller else (module, place, found.group("message"))


def subsystem(module, function, message):
    row = rows.first("subsystems", "subsystem", "%s: %s" % (function, message))[0]
    if row:
        return row.rest
    if module == "mlx5_ib":
        return "RDMA driver"
    return "network interface" if function == "netdev" or "mlx5e" in function else "not known"


def add_origin(item, line):
    """Adds where a line comes from; the subsystem, or None."""
    found = origin(line)
    if not found:
        return None
    module, function, message = found
    part = subsystem(*found)
    item.fact("kernel module", module)
    if function not in ("driver", "netdev", "extack", module):
        item.fact("function", function)
    item.fact("subsystem", part)
    return part


def cause(part, message):
    """The first row for the subsystem that matches."""
    for row in rows.of("kernel", "cause"):
        if row.rest == "*" or part in row.rest.split(", "):
            if row.match(message):
                return row
    return None


def read(line):
    found = origin(line)
    if not found or not found[2].strip():
        return None
    f = meaning.Facts("kernel", "%s, %s" % (found[0], subsystem(*found)), line)
    part, message = add_origin(f.item, line), found[2]
    f.item.summarize(message[:160])
    error = ERRNO.search(message)
    if error and abs(int(error.group(1))) in errno.errorcode:
        f.add("errno", error.group(1))
    f.item.advise(cause(part, message))
    return f.end(), KERNEL


KERNEL = rows.Row("line kernel | ")
