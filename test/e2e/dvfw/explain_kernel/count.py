#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""How many messages of mlx5_core and mlx5_ib dvfw explain knows. TREE is the source of Linux; of Debian's:

    apt-get download linux-source-6.1; dpkg-deb -x linux-source-6.1_*.deb .; tar -xf usr/src/linux-source-6.1.tar.xz
    count.py DVFW linux-source-6.1 [--list]

Exit status 1: fewer than 95 % are identified with module and subsystem, or fewer than 40 % have causes.
"""
import os
import sys

DVFW, TREE = os.path.abspath(sys.argv[1]), sys.argv[2]
os.environ["DVKIT_PROGRAM"] = DVFW
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(DVFW), "..", "libexec", "dvkit", "explain"))
import formats
import readers


def main():
    count = identified = caused = 0
    for path, _, line in formats.messages(TREE):
        found = readers.read(line, None)
        facts = dict(found[0].facts) if found else {}
        known = facts.get("subsystem", "not known") != "not known" and "kernel module" in facts
        count += 1
        identified += known
        caused += bool(found and found[0].causes)
        if not known and "--list" in sys.argv:
            print(path, line, sep="\t")
    print("%d messages, %d identified, %d with causes" % (count, identified, caused))
    return 0 if count and identified >= 0.95 * count and caused >= 0.40 * count else 1


sys.exit(main())
