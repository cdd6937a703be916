#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random bytes as xxd, od and hexdump of this machine print them: decode reads the same from each. encode turns the output of decode --json into the same
# bytes.
#
#	input_forms.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
dvfw=$2

# form NAME PROGRAM ARGUMENT...: the program's output for $work/raw is read as the bytes of $work/raw.
form() {
	local name=$1
	shift
	command -v "$1" >/dev/null || return 0
	"$@" "$work/raw" >"$work/text"
	"$dvfw" --json decode create_mkey_in "$work/text" >"$work/json" && "$dvfw" encode "$work/json" --binary "$work/again" &&
		cmp "$work/raw" "$work/again" || fail "$name: $(cat "$work/text")"
}

for round in 1 2 3 4 5; do
	head -c $((255 + round)) /dev/urandom >"$work/raw"
	if [ $round = 4 ]; then # lines that repeat
		printf '\1\2\3\4%0300d\5' 0 | tr 0 '\7' >"$work/raw"
	fi
	[ $round != 5 ] || printf '0123456789abcdef%0100dcafe' 0 >"$work/raw" # characters that are digits
	form xxd xxd
	form 'xxd -g1' xxd -g1
	form 'xxd -g4' xxd -g4
	form 'xxd -a' xxd -a
	form 'xxd -p' xxd -p
	form 'od -t x1' od -t x1
	form 'od -A x -t x1z' od -A x -t x1z
	form 'od -v -A n -t x1' od -v -A n -t x1
	form 'hexdump -C' hexdump -C
	# Words of 16 bits: only an even number of bytes has one reading.
	[ $(($(wc -c <"$work/raw") % 2)) = 1 ] || form hexdump hexdump
done

# From one command to the other, through pipes, and a field of it set afterwards.
want=$("$dvfw" encode CREATE_QP st=UD pd=0x12 pas=1,2)
expect_equal 'decode --json | encode -' "$("$dvfw" decode --json CREATE_QP in "$want" | "$dvfw" encode -)" "$want"
expect_equal 'encode - st=RC' "$("$dvfw" decode --json CREATE_QP in "$want" | "$dvfw" encode - st=RC)" \
	"$("$dvfw" encode CREATE_QP st=RC pd=0x12 pas=1,2)"

# bad REGEX ARGUMENT...: one line on standard error, status 2.
bad() {
	expect_refusal "$1" timeout 20 "$dvfw" "${@:2}" <"$work/text"
}
printf '00 01 02\n03 0q 05\n' >"$work/text"
bad 'standard input, line 2, character 5: ' decode CREATE_QP in -
bad 'is not JSON of decode --json' encode -
bad 'no-such.json: No such file' encode no-such.json
