#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random bytes as xxd, od and hexdump of this machine print them: decode reads the same from each. What
# decode --json prints, encode turns into the same bytes.
#
#	input_forms.sh LAUNCHER DVFW
set -u
dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# form NAME PROGRAM ARGUMENT...: the program's output for $dir/raw is read as the bytes of $dir/raw.
form() {
	local name=$1
	shift
	command -v "$1" >/dev/null || return 0
	"$@" "$dir/raw" >"$dir/text"
	if ! "$dvfw" --json decode create_mkey_in "$dir/text" >"$dir/json" ||
		! "$dvfw" encode "$dir/json" --binary "$dir/again" ||
		! cmp "$dir/raw" "$dir/again"; then
		echo "FAIL: $name"
		cat "$dir/text"
		failed=1
	fi
}

for round in 1 2 3 4 5; do
	head -c $((255 + round)) /dev/urandom >"$dir/raw"
	if [ $round = 4 ]; then # lines that repeat
		printf '\1\2\3\4%0300d\5' 0 | tr 0 '\7' >"$dir/raw"
	fi
	[ $round != 5 ] || printf '0123456789abcdef%0100dcafe' 0 >"$dir/raw" # characters that are digits
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
	[ $(($(wc -c <"$dir/raw") % 2)) = 1 ] || form hexdump hexdump
done

# From one command to the other, through pipes, and a field of it set afterwards.
want=$("$dvfw" encode CREATE_QP st=UD pd=0x12 pas=1,2)
got=$("$dvfw" decode --json CREATE_QP in "$want" | "$dvfw" encode -)
[ "$want" = "$got" ] || { echo "FAIL: decode --json | encode -: $got" && failed=1; }
got=$("$dvfw" decode --json CREATE_QP in "$want" | "$dvfw" encode - st=RC)
[ "$got" = "$("$dvfw" encode CREATE_QP st=RC pd=0x12 pas=1,2)" ] ||
	{ echo "FAIL: encode - st=RC: $got" && failed=1; }

# bad REGEX ARGUMENT...: one line on standard error, status 2.
bad() {
	local regex=$1 got
	shift
	timeout 20 "$dvfw" "$@" >"$dir/out" 2>"$dir/err" <"$dir/text"
	got=$?
	if [ $got != 2 ] || [ "$(wc -l <"$dir/err")" != 1 ] || ! grep -q "$regex" "$dir/err"; then
		echo "FAIL: dvfw $*: status $got"
		cat "$dir/err"
		failed=1
	fi
}
printf '00 01 02\n03 0q 05\n' >"$dir/text"
bad 'standard input, line 2, character 5: ' decode CREATE_QP in -
bad 'is not JSON of decode --json' encode -
bad 'no-such.json: No such file' encode no-such.json
exit $failed
