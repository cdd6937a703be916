#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvkit-emu --check names what a program did wrong or did not destroy, with its place in the trace.
#
#	findings.sh LAUNCHER WRONG SHARED	WRONG: bin/wrong_programs; SHARED: test_e2e, for queues on one register
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 wrong=$2 e2e=$3

# finds WHAT REGEX...: wrong_programs WHAT ends well, and each line is there.
finds() {
	local what=$1 regex
	shift
	# shellcheck disable=SC2086 # one word per argument
	expect_status 0 emulated --check -- "$wrong" $what
	for regex in "$@"; do
		has "$regex"
	done
}

finds nothing '^dvkit-emu: \[[0-9]+\] check: 0 findings$'
finds unrung '^\[[0-9]+:[0-9]+\] check    QP 0x[0-9a-f]+: the record is 0x1, the last doorbell was for 0x0; remedy: write the doorbell register after the record' \
	'check: 1 finding$'
finds unsignalled ': a whole ring of [0-9]+ blocks without a signalled WQE; remedy: set MLX5_WQE_CTRL_CQ_UPDATE ' 'check: 1 finding$'
key="check    key 0x[0-9a-f]+: QP 0x[0-9a-f]+, "
peer='check    QP 0x[0-9a-f]+: WQE 0x0: the peer refuses 64 bytes at 0x[0-9a-f]+ of rkey 0x[0-9a-f]+; remedy: see the finding of the peer'
finds stale "${key}remote write of 64 bytes at 0x[0-9a-f]+: the key was deregistered at \[[0-9]+:[0-9]+\]; remedy: deregister a region only after " \
	"$peer" 'check: 2 findings$'
finds unknown "${key}remote write of 64 bytes at 0x[0-9a-f]+: there is no such key; remedy: use the lkey" "$peer"
finds unknown_lkey "${key}local read of 64 bytes at 0x[0-9a-f]+: there is no such key; remedy: " 'check: 1 finding$'
finds variant "$key.*: the low 8 bits of the key are 0x[0-9a-f]{2}, not 0x[0-9a-f]{2}; remedy: use the key as" "$peer"
finds other_pd "$key.*: the key is of PD 0x[0-9a-f]+, not 0x[0-9a-f]+; remedy: register the region in the PD of the QP" "$peer"
finds right "${key}remote read of 64 bytes at 0x[0-9a-f]+: the key lacks IBV_ACCESS_REMOTE_READ; remedy: register" "$peer"
finds local_right "${key}local write of 64 bytes at 0x[0-9a-f]+: the key lacks IBV_ACCESS_LOCAL_WRITE; remedy: register" \
	'check: 1 finding$'
finds range "${key}remote write of 64 bytes at 0x([0-9a-f]+): the key covers 32 bytes at 0x\\1; remedy: stay inside" "$peer"
finds local_range "${key}local read of 64 bytes at 0x([0-9a-f]+): the key covers 32 bytes at 0x\\1; remedy: stay inside" \
	'check: 1 finding$'
finds unmapped "${key%QP*}the memory at 0x[0-9a-f]+ was unmapped or replaced after its registration, .*; remedy: keep the memory mapped until its region is deregistered" 'check: 1 finding$'
finds unbound "$key.*: the key is bound to no memory; remedy: bind the window" "$peer"

finds unfenced 'check    QP 0x[0-9a-f]+: WQE 0x3 uses key 0x[0-9a-f]+, which a UMR WQE before it changes, and has no fence; remedy: set the small fence .*DV_FENCE_INITIATOR_SMALL' \
	'check: 1 finding$'
finds fenced 'check: 0 findings$'
finds unreleased 'check    CQ 0x[0-9a-f]+: 1 CQEs were written, and the consumer index never was; remedy: poll the CQ, and release .*dv_cq_release' \
	'check: 1 finding$'
finds overrun 'check    CQ 0x[0-9a-f]+: a CQE of QP 0x[0-9a-f]+ is lost: ([0-9]+) CQEs were not released, and the ring has \1; remedy: release CQEs .*dv_cq_release'

# what the engine decided, and what dv says of the bytes
finds short 'check    QP 0x[0-9a-f]+: WQE 0: ds 1 is too short for RDMA_WRITE, which has 16 bytes of remote address at 16; it ended in a local QP operation error' \
	'check: 1 finding$'
finds leak 'not destroyed: qp 0x[0-9a-f]+, made at \[[0-9]+:[0-9]+\]$' \
	'check: 0 findings; left at exit: 1 uctx, 1 pd, .* 2 mkey, 2 cq, 2 qp$'

# the place leads to the command that made the object
expect_status 0 emulated --check --trace fw --trace-file "$work/trace" -- "$wrong" leak
place=$(sed -n 's/.*not destroyed: qp 0x[0-9a-f]*, made at //p' "$work/trace" | head -1)
grep -Fq "$place fw       CREATE_QP" "$work/trace" || fail "'$place' is no CREATE_QP: $(grep -n 'CREATE_QP\|left' "$work/trace")"

# by a signal: the summary comes, with what is found at the end, and the signal ends the process
finds 'watch term' 'the record is 0x1, the last doorbell was for 0x0; remedy: ' \
	'check: 1 finding, ended by signal 15; left at exit: 1 uctx, 1 pd' '^killed by signal 15$'
finds 'watch term_while_busy' 'check: 0 findings, ended by signal 15; left' '^killed by signal 15$'
finds 'watch abort' 'check: 0 findings, ended by signal 6; left' '^killed by signal 6$'
finds 'watch fault' 'check: 0 findings, ended by signal 11; left' '^killed by signal 11$'
finds 'watch broken_pipe' 'check: 0 findings, ended by signal 13; left' '^killed by signal 13$'
finds 'watch own_handler' 'check: 0 findings; left' '^status 3$'
finds 'watch ignored' 'check: 0 findings, ended by signal 15; left' '^killed by signal 15$'
finds in_a_child 'check: 0 findings$'
lacks 'ended by signal' # a summary of a child
emulated --check -- "$wrong" killed >"$work/out" 2>"$work/err" && fail 'killed: status 0'
has '^dvkit-emu: check: no summary: the command was killed$'
# from outside, through the launcher
"$emu" --fabric "$fabric" --check -- "$wrong" unsignalled >"$work/unsignalled.log" 2>&1 &
launcher=$!
until grep -q 'without a signalled WQE' "$work/unsignalled.log" || ! kill -0 $launcher 2>/dev/null; do sleep 0.05; done
kill -TERM $launcher
expect_status 143 wait $launcher
has 'check: 1 finding, ended by signal 15; left' "$work/unsignalled.log"

# Two queues on one register, each of them rung: where stores are seen one by one, that is no
# mistake; where the register is polled for, the second ring hides the first.
expect_status 0 emulated --check -- "$e2e" --jobs 1 --filter 'shared_register/*'
case $(uname -m) in
x86_64) shared='check: 0 findings$' ;;
*) shared='check    QP 0x[0-9a-f]+: served by a doorbell that named another QP; remedy: ' ;;
esac
has "$shared"
