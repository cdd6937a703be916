#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A QP ends with RETRY_EXC_ERR after retry_cnt + 1 = 8 transmissions of its oldest request, and not before: of
# requests that get no reply at all, and of those that often get none.
#
#	uses_up_retries.sh DVKIT_EMU MIXED_OPERATIONS
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 program=$2

# run FAULTS… -- ARG…: with the frames in $work/trace; the QPs that are lost are in $work/lost.
run()
{
	expect_status 3 emulated --trace=wire --trace-file="$work/trace" "$@" # no QP was lost: not 3
	sed -n 's/^QP [0-9]* to \(0x[0-9a-f]*\): transport retry counter.*/\1/p' "$work/out" >"$work/lost"
}

# For each lost QP: how often was the packet sent that was sent most often?
transmissions()
{
	awk '
	NR == FNR { lost[$1]; next }
	$3 == "→" {
		for (i = 1; i < NF; i++)
			if ($i == "qp")
				qp = $(i + 1)
			else if ($i == "psn")
				psn = $(i + 1)
		if (qp in lost && ++times[qp, psn] > most[qp])
			most[qp] = times[qp, psn]
	}
	END { for (qp in lost) print qp, most[qp] + 0 }' "$work/lost" "$work/trace"
}

run --drop=100% -- "$program" 32 4
has_lines 4 '' "$work/lost"
transmissions | awk '$2 != 8 { print "no reply: QP " $1 " was given up after " $2; bad = 1 }
	END { exit bad }'

run --drop=40% -- "$program" 4000 16
transmissions | awk '$2 < 8 { print "few replies: QP " $1 " was given up after " $2; bad = 1 }
	END { exit bad }'
echo "$(wc -l <"$work/lost") of 16 QPs lost with 40 %"
