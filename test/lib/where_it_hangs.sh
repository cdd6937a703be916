#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# where_it_hangs.sh: each process that descends from this one's parent, and where its threads are: their
# stacks, or if nothing can read those (elfutils or gdb, with the rights of ptrace(2)), what they wait for.

# Pairs of parent and child, of all processes: proc(5), stat; a name can have parentheses in it.
pairs() {
	cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) . \([0-9]*\) .*/\2 \1/p'
}

# below PID WITHOUT: the processes, one a line.
below() {
	pairs | awk -v top="$1" -v without="$2" '
		{ children[$1] = children[$1] " " $2 }
		function walk(pid,    of, n, i) {
			n = split(children[pid], of, " ")
			for (i = 1; i <= n; i++)
				if (of[i] != without) { print of[i]; walk(of[i]) }
		}
		END { walk(top) }'
}

stacks() {
	if command -v eu-stack >/dev/null; then
		timeout 60 eu-stack -n 32 -p "$1"
	elif command -v gdb >/dev/null; then
		timeout 60 gdb -nx -batch -p "$1" -ex 'thread apply all backtrace 32' </dev/null
	else
		return 1
	fi 2>&1
}

waits_for() {
	local task
	for task in /proc/"$1"/task/*; do
		echo "thread ${task##*/} $(cat "$task/comm"): $(sed -n 's/^State:\s*//p' "$task/status"), in $(cat "$task/wchan")"
	done 2>/dev/null
}

for pid in $(below $PPID $$); do
	echo "---- process $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
	stacks "$pid" || waits_for "$pid"
done 2>/dev/null
