#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How many cache lines of data one post with its doorbell touches: valgrind's lackey lists every
# load and store between two stores to a marker. Everything counts: the queue's structure, the ring,
# the record, the register, the arguments, the stack. At most 6 lines for the single posts of one
# block.
#
#	count.sh PROGRAM
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
needs valgrind

valgrind --tool=lackey --trace-mem=yes --log-file="$work/trace" "$1" >"$work/said"
marker=$(head -n 1 "$work/said" | sed 's/^0x0*//')

awk -v MARKER="$marker" -v LIMIT=6 '
	BEGIN {
		for (i = 0; i < 16; i++)
			digit[substr("0123456789abcdef", i + 1, 1)] = i
	}

	# 64 bytes: all digits but the last two, and two bits of the last but one.
	function line(address)
	{
		return substr(address, 1, length(address) - 2) "." \
			int(digit[substr(address, length(address) - 1, 1)] / 4)
	}

	function last_byte(address, size,    i, carry, d, result)
	{
		carry = size - 1
		result = ""
		for (i = length(address); i > 0; i--) {
			d = digit[substr(address, i, 1)] + carry
			carry = int(d / 16)
			result = substr("0123456789abcdef", d % 16 + 1, 1) result
		}
		return result
	}

	function report(    name, held)
	{
		name = names[++reported]
		held = name == "send_ud" || name == "poll_retire" || lines <= LIMIT
		printf "%-14s %2d cache lines, %3d accesses%s\n", name, lines, accesses,
			held ? "" : ": more than " LIMIT
		bad += !held || !accesses
	}

	FNR == NR {
		if (FNR > 1)
			names[++count] = $1
		next
	}

	/^ [LSM] / {
		split(tolower($2), at, ",")
		sub(/^0*/, "", at[1])
		if (at[1] == MARKER) {
			if (inside)
				report()
			inside = !inside
			lines = accesses = 0
			split("", touched)
			next
		}
		if (!inside)
			next
		accesses++
		n = split(line(at[1]) " " line(last_byte(at[1], at[2])), both, " ")
		for (i = 1; i <= n; i++)
			if (!(both[i] in touched)) {
				touched[both[i]] = 1
				lines++
			}
	}

	END {
		if (!count || reported != count) {
			print "seen " reported + 0 " of " count + 0 " parts"
			bad = 1
		}
		exit bad > 0
	}' "$work/said" "$work/trace"
