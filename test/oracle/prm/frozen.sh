#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# frozen.sh PROGRAM [--write]: what PROGRAM (frozen.c) prints is frozen.txt. --write makes it so,
# after comparing the difference with its source.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$1" "$here/not_in_kernel.txt" >"$out"
if [ "${2:-}" = --write ]; then
	cp "$out" "$here/frozen.txt"
	exit 0
fi
diff "$here/frozen.txt" "$out" || {
	echo "a fact without a second source has changed (< frozen.txt, > include/prm)"
	exit 1
}
echo "prm: $(wc -l <"$out") rows without a second source are as frozen.txt has them"
