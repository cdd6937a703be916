#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The table of refusals in docs/host-dpu-dma.md: every row is provoked and has the answer that the page says, no other
# row is; the assumptions that it names exist.
#
#	refusals.sh TEST_REFUSALS
. "$(dirname "$0")/../../lib/pair.sh"
program=$1
docs=$(dirname "$0")/../../../docs
page=$docs/host-dpu-dma.md

# run OPTION... -- ARGUMENT...
run() {
	emulated "$@" 2>>"$work/errors.log"
}

{
	run --device bf2 -- "$program" || fail "status $?"
	run --device cx7 -- "$program" without || fail "status $? without"
	run --device bf2 --as host -- "$program" exporter |
		run --device bf2 --as dpu -- "$program" killed || fail "status $? when the exporter is killed"
} >"$work/answers"

rows() {
	awk -F ' *[|] *' '/^## / { inside = $0 == "## Refusals" } inside && $2 ~ /^[a-z_0-9]+$/' "$page"
}

rows | awk -F ' *[|] *' '{ print $2 "\t" $4 }' | sort >"$work/page"
sort "$work/answers" | diff "$work/page" - >"$work/differences.log" || fail 'the page (<) differs from the emulator (>)'
[ "$(wc -l <"$work/page")" -ge 25 ] || fail 'the page has no table'

rows | grep -o '\*assumed\*: [a-z_0-9]*' | sed 's/.*: //' | sort -u | while read -r name; do
	grep -qF -- "- **$name**:" "$docs/assumptions.md" || fail "no assumption $name"
done
