#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The sample devx_rc_write makes its CQ, QP and memory key by firmware commands and by nothing
# else:
#
#	its object file asks for none of the verbs that make one	(nm)
#	it ends well with a library that refuses those verbs		(LD_PRELOAD)
#	the commands that were executed are a DevX user's		(--trace fw)
#
# The first two would accept anything if they looked the wrong way: rc_write, which uses these
# verbs, has to fail both.
#
#	devx_rc_write.sh DVKIT_EMU REFUSE.so DEVX_RC_WRITE DEVX_RC_WRITE.o RC_WRITE DEVICE.o
#
# DEVICE.o is the object file of the samples that makes their verbs objects.
set -eu
. "$(dirname "$0")/../../lib/frame.sh"

emu=$1 refuse=$2 sample=$3 object=$4 other=$5 other_object=$6

# verbs OBJECT: those that make CQs, QPs, SRQs, WQs and memory regions, as it asks for them.
verbs() {
	nm -u "$1" | grep -E ' (ibv|mlx5dv)_(create_(cq|qp|srq|wq|mkey)|reg_.*mr|modify_qp)' || true
}

[ -n "$(verbs "$other_object")" ] || fail "nm shows no verbs in $other_object"
[ -z "$(verbs "$object")" ] || fail "$object asks for $(verbs "$object")"

# run LOG PROGRAM: where those verbs are refused.
run() {
	LD_PRELOAD=$refuse emulated --trace fw -- "$2" \
		>"$work/$1.log" 2>&1
}

status=0
run other "$other" || status=$?
[ $status = 3 ] || fail "$other ended with $status, not 3"
grep -q '^refused: ibv_' "$work/other.log" || fail "$other was not refused a verb"
run sample "$sample" || fail "$sample ended with $?"
grep -q '^written by DevX: ' "$work/sample.log" || fail 'nothing was written'

# one COMMAND FIELD: it was executed once, and that once with FIELD.
one() {
	[ "$(grep -cE "fw +$1 +in " "$work/sample.log")" = 1 ] || fail "not one $1"
	grep -qE "fw +$1 +in .*$2" "$work/sample.log" || fail "$1 is not a DevX user's"
	grep -qE "fw +$1 +out +OK" "$work/sample.log" || fail "$1 was refused"
}

# Objects that the kernel makes for a verb have their pages in the command; a DevX user has umems.
one CREATE_CQ 'uid=.*cq_umem_valid=0x1'
one CREATE_QP 'uid=.*wq_umem_valid=0x1'
one CREATE_MKEY 'uid=.*mkey_umem_valid=0x1'
grep -E 'fw +CREATE_' "$work/sample.log"
