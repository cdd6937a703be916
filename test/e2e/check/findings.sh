#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvkit-emu --check names what a program did wrong or left behind, with its place in the trace.
#
#	findings.sh LAUNCHER ODD SHARED	ODD: bin/odd; SHARED: test_e2e, for queues on one register
set -eu
emu=$1 odd=$2 e2e=$3
out=$(mktemp)
trap 'rm -f "$out" "$out.trace"' EXIT
failed=0

# finds WHAT REGEX...: odd WHAT ends well, and each line is there.
finds() {
	local what=$1 regex
	shift
	timeout 20 "$emu" --fabric "check-$$" --check -- "$odd" "$what" >"$out" 2>&1 ||
		{ echo "FAIL: odd $what: status $?"; failed=1; }
	for regex in "$@"; do
		grep -Eq -- "$regex" "$out" && continue
		echo "FAIL: odd $what: no line '$regex' in:"
		cat "$out"
		failed=1
	done
}

finds nothing '^dvkit-emu: \[[0-9]+\] check: 0 findings$'
finds unrung '^\[[0-9]+:[0-9]+\] check    QP 0x[0-9a-f]+: the record says 0x1, the last ring said 0x0; remedy: write the doorbell register after the record' \
	'check: 1 finding$'
finds unsignalled ': a whole ring of [0-9]+ blocks without a signalled WQE; remedy: set MLX5_WQE_CTRL_CQ_UPDATE ' 'check: 1 finding$'
finds stale 'check    key 0x[0-9a-f]+: used, and was deregistered at \[[0-9]+:[0-9]+\]; remedy: deregister a region only after '
# what the engine decided, and what dv says of the bytes
finds short 'check    QP 0x[0-9a-f]+: WQE 0: ds 1 is too short for RDMA_WRITE, which has 16 bytes of remote address at 16; it ended in a local QP operation error' \
	'check: 1 finding$'
finds leak 'left behind: qp 0x[0-9a-f]+, made at \[[0-9]+:[0-9]+\]$' \
	'check: 0 findings; left at exit: 1 uctx, 1 pd, .* 2 mkey, 2 cq, 2 qp$'

# the place leads to the command that made the object
timeout 20 "$emu" --fabric "check-$$" --check --trace fw --trace-file "$out.trace" -- \
	"$odd" leak >"$out" 2>&1 || failed=1
place=$(sed -n 's/.*left behind: qp 0x[0-9a-f]*, made at //p' "$out.trace" | head -1)
grep -Fq "$place fw       CREATE_QP" "$out.trace" ||
	{ echo "FAIL: '$place' is no CREATE_QP:"; grep -n 'CREATE_QP\|left' "$out.trace"; failed=1; }

# a doorbell that served another queue too
timeout 60 "$emu" --fabric "check-$$" --check -- "$e2e" --jobs 1 --filter 'shared_register/*' \
	>"$out" 2>&1 || { echo "FAIL: shared_register"; failed=1; }
grep -Eq 'check    QP 0x[0-9a-f]+: served by a doorbell that named another QP; remedy: ' "$out" ||
	{ echo 'FAIL: no finding about a shared register in:'; cat "$out"; failed=1; }

exit $failed
