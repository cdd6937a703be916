#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# frozen.sh PROGRAM [--write]: what PROGRAM (frozen.c) prints is frozen.txt. --write makes it so,
# after comparing the difference with its source.
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
here=$(cd "$(dirname "$0")" && pwd)
"$1" "$here/not_in_kernel.txt" >"$work/out"
if [ "${2:-}" = --write ]; then
	cp "$work/out" "$here/frozen.txt"
	exit 0
fi
diff "$here/frozen.txt" "$work/out" || {
	echo "a fact without a second source has changed (< frozen.txt, > include/prm)"
	exit 1
}
echo "prm: $(wc -l <"$work/out") rows without a second source are as frozen.txt has them"
