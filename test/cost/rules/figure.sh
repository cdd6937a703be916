#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# figure.sh BUILD: plot.sh makes a file that is SVG and has a line for each back end, and a table with each number.
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
"$(dirname "$0")/plot.sh" "$1" "$work/figure.svg" 1 10
for backend in verbs kernel devx dr; do
	[ "$(grep -c "^$backend"$'\t' "$work/figure.tsv")" = 2 ] || { echo "$backend has not two rows"; exit 1; }
done
python3 - "$work/figure.svg" <<'END'
import sys
import xml.etree.ElementTree as tree

text = " ".join(tree.parse(sys.argv[1]).getroot().itertext())
for word in ("verbs", "kernel", "devx", "dr", "To install a rule", "A packet of the rule"):
    assert word in text, word
END
