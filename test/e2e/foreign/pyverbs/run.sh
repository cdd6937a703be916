#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rdma-core's own Python tests, as Debian ships them in python3-pyverbs, on the software
# ConnectX; the outcome of every test has to be the one in
# expected-RELEASE.txt, RELEASE being that of rdma-core.
#
#	run.sh [--update | --guest] [FILE...]	test_device test_pd …; without FILE those of $default; FILE@bf2: on
#					that device
#
#	tests of rdma-core -> record.py under dvkit-emu, a process per FILE -> outcomes
#	                                   outcomes, expected-44.txt -> differences, summary
#
# A line of that file has four fields, parted by tabs:
#
#	device.DMTest.test_dm_read  skip  Device memory is not supported  device memory
#	(file, class, test)         how   why, in the test's words         what it needs, in ours
#
# How: pass, skip, fail (an assertion), error (any other exception, death, time limit). "machine"
# as the last field: the test needs something of the machine, not of the emulator; it may pass.
# --update writes the outcomes there; the last field is by hand and survives.
#
# FILE.json, where there is one, is the adapter for FILE, and is taken at its word. test_mlx5_var
# only wants doorbell pages of virtio queues; the kernel gives them to programs that have an adapter
# with such queues, and none of the emulated ones claims to, because nothing serves the queues.
#
# With --guest this is a virtual machine, and its kernel drives the adapter. guest-RELEASE.txt has the outcomes that differ
# there, and those of $guest_more; the fourth field begins with "6.12: " where they do with that kernel only.
#
# DVKIT_EMU names the launcher, DVKIT_TEST_LIMIT the seconds that a FILE may take.
# Exit status: 0 as expected, 1 different, 77 something is not installed, or its release has no file.
set -eu
. "$(dirname "$0")/../../../lib/frame.sh"

here=$(cd "$(dirname "$0")" && pwd)
emu=${DVKIT_EMU:-dvkit-emu}
limit=${DVKIT_TEST_LIMIT:-60}
packed=/usr/share/doc/rdma-core/tests
python=/usr/bin/python3 # Debian's, whatever comes first on PATH
default='test_device test_pd test_mr test_cq test_qp test_qpex test_odp test_cqex
	test_cq_events test_atomic test_addr test_parent_domain test_shared_pd test_fork test_relaxed_ordering
	test_mlx5_devx test_mlx5_uar test_mlx5_var test_mlx5_pp test_mlx5_sched
	test_mlx5_lag_affinity test_mlx5_query_port test_mlx5_udp_sport test_mlx5_cq test_mlx5_dc
	test_rdmacm test_mlx5_rdmacm test_mlx5_dma_memcpy test_mlx5_dma_memcpy@bf2
	test_flow test_mlx5_flow test_mlx5_flow@cx6dx test_rss_traffic test_mlx5_raw_wqe test_mlx5_timestamp test_mlx5_dr
	test_mlx5_dr@cx6dx test_mlx5_dr@cx7 test_mlx5_flow@cx7'

guest_more='test_mlx5_mkey test_mlx5_huge_page test_mlx5_dm_ops test_tag_matching'

update='' guest=''
case ${1:-} in
--update) update=1 && shift ;;
--guest)
	guest=1 && shift
	# shellcheck disable=SC2086 # one word per file
	default="$(printf '%s\n' $default | grep -v @) $guest_more"
	emulated() {
		while [ "$1" != -- ]; do shift; done
		shift
		timeout -k 5 "$limit" "$@"
	}
	;;
esac
# shellcheck disable=SC2086 # one word per file
[ $# -gt 0 ] || set -- $default

[ -d "$packed" ] || skip "no $packed"
needs_modules pyverbs.device scapy # scapy: for the layouts in test_mlx5_devx
needs ip # the tests ask it for the address of the port's interface

release=$(dpkg-query -W -f '${Version}' python3-pyverbs | sed 's/\..*//')
table=$here/expected-$release.txt
if [ ! -e "$table" ] && [ -z "$update" ]; then
	echo "there is no expected-$release.txt; --update writes it"
	exit 77
fi

if [ -n "$guest" ]; then
	[ -e "$here/guest-$release.txt" ] || skip "there is no guest-$release.txt"
	# The later rows replace the earlier ones.
	awk -F '\t' -v kernel="$(uname -r | cut -d . -f 1,2): " '
		/^#/ || !NF || $1 ~ /@/ { next }
		$4 ~ /^6\.[0-9]*: / && index($4, kernel) != 1 { next }
		!($1 in row) { order[++n] = $1 }
		{ row[$1] = $0 }
		END { for (i = 1; i <= n; i++) print row[order[i]] }' "$table" "$here/guest-$release.txt" >"$work/table"
	table=$work/table
fi

cp -r "$packed" "$work/tests"
find "$work/tests" -name '*.gz' -exec gunzip {} +

# attempt FILE AFTER: one process; its exit status.
attempt() {
	local status=0 device=() module=${1%@*}
	[ ! -f "$here/$module.json" ] || device=(--trust-device --device "$here/$module.json")
	[ "$module" = "$1" ] || device=(--device "${1#*@}")
	# Standard input is a terminal for some and nothing for others: nothing for all.
	emulated "${device[@]}" -- \
		"$python" -B "$here/record.py" "$work/tests" "$module" "$work/$1.record" ${2:+"$2"} \
		</dev/null >>"$work/$1.log" 2>&1 || status=$?
	return $status
}

# last WORD FILE: the last test that was planned, or run.
last() {
	awk -F '\t' -v word="$1" '$1 == word { at = $2 } END { print at }' "$work/$2.record"
}

# run FILE: in a process; what follows a test that ends it, in another one.
run() {
	local status at='' next
	: >"$work/$1.record"
	while :; do
		status=0
		attempt "$1" "$at" || status=$?
		[ $status != 0 ] || break
		if [ "$(tail -n 1 "$work/$1.record")" = end ]; then
			echo "$1: the process ended with $status after its last test" >&2
			break
		fi
		next=$(last run "$1")
		if [ "$next" = "$at" ]; then
			echo "$1 did not start, exit status $status:" >&2
			tail -n 20 "$work/$1.log" >&2
			exit 1
		fi
		at=$next
		printf 'error\t%s\tthe process ended with %s\n' "$at" $status >>"$work/$1.record"
		# 124, 137: the time limit
		if [ $status = 124 ] || [ $status = 137 ] || [ "$at" = "$(last plan "$1")" ]; then
			break
		fi
	done
	outcomes "$1"
}

# outcomes FILE: one line per test; of several the worst.
outcomes() {
	local device=${1#"${1%@*}"} # with its @
	awk -F '\t' -v OFS='\t' -v device="$device" '
		function named(id) { sub(/\./, device ".", id); return id }
		BEGIN { split("pass skip fail error", w, " "); for (i in w) rank[w[i]] = i }
		$1 == "plan" { n++; id[n] = $2 }
		$1 in rank && rank[$1] > rank[how[$2]] { how[$2] = $1; why[$2] = $3 }
		END {
			for (i = 1; i <= n; i++)
				if (id[i] in how)
					print named(id[i]), how[id[i]], why[id[i]]
				else
					print named(id[i]), "error", "was not run"
		}' "$work/$1.record"
}

for file in "$@"; do
	run "$file" >"$work/$file.outcomes"
done
for file in "$@"; do
	cat "$work/$file.outcomes"
done >"$work/outcomes"

# summary: a line per file and the total, of lines like those of the table.
summary() {
	awk -F '\t' '
		{ file = $1; sub(/\..*/, "", file) }
		!(file in tests) { order[++n] = file }
		{ tests[file]++; count[file, $2 == "error" ? "fail" : $2]++ }
		function line(name, all, pass, skip, fail) {
			printf "%-20s %5d %5d %5d %5d\n", name, all, pass, skip, fail
		}
		END {
			printf "%-20s %5s %5s %5s %5s\n", "file", "tests", "pass", "skip", "fail"
			for (i = 1; i <= n; i++) {
				f = order[i]
				line(f, tests[f], count[f, "pass"], count[f, "skip"], count[f, "fail"])
				all += tests[f]; pass += count[f, "pass"]
				skip += count[f, "skip"]; fail += count[f, "fail"]
			}
			line("total", all, pass, skip, fail)
		}' "$1"
}

# what_it_takes: how many tests wait for what.
what_it_takes() {
	awk -F '\t' '$4 != "" { n[$4]++ } END { for (w in n) printf "%5d  %s\n", n[w], w }' "$1" |
		sort -k1,1nr -k2
}

# merged: the outcomes with the last field of the table, and its lines of other files; file
# by file in the order that is there.
merged() {
	awk -F '\t' -v OFS='\t' '
		/^#/ || !NF { next }
		{ file = $1; sub(/\..*/, "", file) }
		!(file in known) { known[file] = 1; order[++n] = file }
		FILENAME == ARGV[1] { needs[$1] = $4; old[file] = old[file] $0 "\n"; next }
		{
			line = $1 OFS $2
			if ($2 != "pass" || needs[$1] == "machine")
				line = line OFS $3 OFS (needs[$1] == "" ? "?" : needs[$1])
			new[file] = new[file] line "\n"
		}
		END {
			for (i = 1; i <= n; i++)
				printf "%s", order[i] in new ? new[order[i]] : old[order[i]]
		}' "$table" "$work/outcomes"
}

if [ -n "$update" ]; then
	[ -e "$table" ] || : >"$table"
	merged >"$work/lines"
	{
		echo '# Written by run.sh --update; run.sh explains the fields.'
		echo '#'
		summary "$work/lines" | sed 's/^/# /'
		echo '#'
		echo '# Requirements of the tests that do not pass:'
		what_it_takes "$work/lines" | sed 's/^/# /'
		echo
		cat "$work/lines"
	} >"$work/new"
	cp "$work/new" "$table"
fi

# Reasons of failures are a program's words, with addresses and numbers in them: only how counts.
differences() {
	awk -F '\t' -v files=" $* " -v uid="$(id -u)" '
		/^#/ || !NF { next }
		FILENAME == ARGV[1] {
			file = $1; sub(/\..*/, "", file)
			if (index(files, " test_" file " ")) { how[$1] = $2; why[$1] = $3; needs[$1] = $4 }
			next
		}
		function blame(text) { print $1 ": " text; bad = 1 }
		{ seen[$1] = 1 }
		!($1 in how) { blame($2 ", not in the table"); next }
		needs[$1] == "?" { blame("the table does not say what it needs") }
		needs[$1] == "machine" && ($2 == "pass" || $2 == "skip") { next }
		uid && $2 == "skip" && $3 ~ /by root/ { next }
		$2 != how[$1] { blame($2 " " $3 ", expected " how[$1] " " why[$1]); next }
		$2 == "skip" && $3 != why[$1] { blame("skipped: " $3 ", expected: " why[$1]) }
		END {
			for (t in how)
				if (!(t in seen)) { print t ": expected, but there is no such test"; bad = 1 }
			exit bad
		}' "$table" "$work/outcomes"
}

status=0
differences "$@" >"$work/differences" || status=1
if [ $status != 0 ]; then
	for file in "$@"; do
		grep -q "^${file#test_}\.[^:]*: \(fail\|error\)" "$work/differences" || continue
		echo "---- $file"
		tail -n 100 "$work/$file.log"
	done
fi
summary "$work/outcomes"
if [ $status != 0 ]; then
	echo "not as in $(basename "$table"):"
	cat "$work/differences"
fi
exit $status
