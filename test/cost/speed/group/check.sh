#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# check.sh LEAST MORE GROUP RANKS PATTERN OPTION...: a group that sends a number of messages. Every message completes,
# the last one of each link has the right bytes, and
#
#	nothing is sent again	the QPs wait for ever (-T 0), so a frame that is lost stops its link
#	LEAST			the messages that every link has sent when the first one has sent all
#	MORE			KiB by which a process may grow after the first round, when it has had time to give
#				memory back
. "$(dirname "$0")/../../../lib/pair.sh"
. "$(dirname "$0")/group.sh"

least=$1 more=$2
group "${@:3}" -T 0 -m "$more"
cat "$work/group.log"
[ "$(of_group retransmits)" = 0 ] || fail 'frames were sent again'
[ "$(of_group least)" -ge "$least" ] || fail "a link had sent less than $least messages when another one had sent all"
[ "$(of_group more)" -le "$more" ] || fail "a process grew by more than $more KiB after the first round"
