# SPDX-License-Identifier: BSD-2-Clause
"""Facts that a line has beside what happened: rows "field NAME" of data/programs."""
import rows


def add(f, line, names=None):
    """Those of @names only, or all; of each name once."""
    for row in rows.of("programs", "field"):
        name = row.words[0]
        match = row.match(line) if not names or name in names else None
        if match and not (name == "vendor" and f.vendor) and not f.item.has(name):
            f.add(name, match.group(1))
