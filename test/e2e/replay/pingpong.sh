#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# pingpong.sh REPLAY PROGRAM ARGUMENT...: what "--trace fw" shows of both sides of Debian's PROGRAM
# is all that there is to know of its objects: REPLAY makes the same ones of it, through DevX.
. "$(dirname "$0")/../../lib/pair.sh"

replay=$1
shift
needs "$1"
emu_options=(--trace fw)
pair "$@"
timeout -k 5 "$limit" "$emu" --fabric "$fabric-replay" -- \
	"$replay" "$work/server.log" "$work/client.log" >"$work/replay.log" 2>&1 ||
	fail "the replay ended with $?"
cat "$work/replay.log"
# The three moves of two QPs, each with its context compared.
has_lines 6 '^qp .* after .*2.*_QP: ' "$work/replay.log"
