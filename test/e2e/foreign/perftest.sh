#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# perftest.sh PROGRAM ARGUMENT...: one of perftest's programs, server and client. Both end
# well, and the client's table has a row of numbers for every message size.
. "$(dirname "$0")/../../lib/pair.sh"

needs "$1"
rows=1
for argument in "$@"; do
	# -a: 2 … 2^23 bytes
	[ "$argument" != -a ] || rows=23
done

pair "$@" -F
found=$(awk '
	/^ *#bytes/ { table = 1; next }
	# The last column is a rate or a time; a bandwidth may round to 0.00 for 2 bytes. Latencies
	# are "inf", and rates 0, when perftest could not measure the clock of a busy CPU; it reports that.
	/Correlation coefficient/ { clock = 1 }
	table && $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^(inf|[0-9.]+)$/ && ($NF > 0 || clock) { n++ }
	END { print n + 0 }' "$work/client.log")
[ "$found" = $rows ] || fail "$found rows of results, expected $rows"
awk '/^ *#bytes/ { table = 1 } /^-/ { table = 0 } table' "$work/client.log"
