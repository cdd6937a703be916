# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced after lib/pair.sh: group GROUP RANKS PATTERN OPTION... starts RANKS processes of the program GROUP on one
# fabric and waits for them. The line of process 0 is in $work/group.log. When one fails all are ended.
group() {
	local pids=() rank
	rm -f "$work"/*.log "$work/group.file"
	for ((rank = 0; rank < $2; rank++)); do
		timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${emu_options[@]}" -- \
			"$1" "$work/group.file" "$rank" "$2" "$3" "${@:4}" >"$work/member.$rank.log" 2>&1 &
		pids+=($!)
	done
	if ! group_ends "${pids[@]}"; then
		kill "${pids[@]}" 2>/dev/null || true
		wait "${pids[@]}" || true
		find "$work" -name 'member.*.log' -size 0 -delete
		fail "group ${*:2}: a process ended with $group_status"
	fi
	mv "$work/member.0.log" "$work/group.log"
}

# group_ends PID...: all with 0; false as soon as one ends with another status, which is in group_status.
group_ends() {
	local running=("$@") pid next
	while [ ${#running[@]} -gt 0 ]; do
		next=()
		for pid in "${running[@]}"; do
			if kill -0 "$pid" 2>/dev/null; then
				next+=("$pid")
			else
				wait "$pid" || { group_status=$? && return 1; }
			fi
		done
		running=("${next[@]}")
		sleep 0.1
	done
}

# of_group NAME: a value of that line.
of_group() {
	awk -v name="$1" '{ for (i = 1; i <= NF; i++) if (split($i, v, "=") == 2 && v[1] == name) print v[2] }' \
		"$work/group.log"
}
