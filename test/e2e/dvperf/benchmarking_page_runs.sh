#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every command of dvperf in docs/benchmarking.md runs as it is written there, on the emulator: shorter, on
# CPUs that are here, without the huge pages that may not be, and with both hosts on this one.
#
#	benchmarking_page_runs.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

folder=$(cd "$(dirname "$0")" && pwd)
page=$folder/../../../docs/benchmarking.md
needs_modules matplotlib scipy
cd "$work" || exit
ran=0

# The commands: indented lines that begin with dvperf, joined where a backslash ends them.
commands() {
	sed -n '/^    /{:a;/\\$/{N;s/ *\\\n */ /;ba};p}' "$page" |
		sed -n 's/^    \(dvkit-emu -- \)\{0,1\}\(mpirun .* \)\{0,1\}dvperf /\2dvperf /p'
}

# here COMMAND...: as it is possible here; what comes last counts.
here() {
	local word args=() skip=''
	for word; do
		[ -z "$skip" ] || { skip=''; continue; }
		case $word in
		-D | --host) skip=1 ;;
		--pin=*) args+=(--pin=0) ;;
		--pages=*) ;;
		--rate=*) args+=(--rate=5k) ;;
		server) args+=(127.0.0.1) ;;
		*) args+=("$word") ;;
		esac
	done
	case "$*" in
	*'--preset list') ;;
	*--loopback*) args+=(-n 100 --repeat=1) ;;
	'dvperf bw'* | 'dvperf lat'* | 'dvperf sweep'*) args+=(-n 100 --repeat=1 -p "$port") ;;
	esac
	printf '%s\n' "${args[@]:1}"
}

# on_page COMMAND...: on the emulator; the launcher in front is that of this build.
on_page() {
	local device=()

	case "$*" in
	*vhca*server) device=(--device bf3 --as dpu) ;;
	*--op=mmo*) device=(--device bf3) ;;
	esac
	mapfile -t args < <(here "$@")
	emulated "${device[@]}" -- "$dvperf" "${args[@]}"
}

# with_server COMMAND...: as a client; the server's line is the same without its last word.
with_server() {
	local server
	commands | grep -qxF "$(echo "${*:1:$#-1}" | sed 's, --output [^ ]*,,')" ||
		fail "$*: the page does not start its server"
	on_page "${@:1:$#-1}" >server 2>&1 &
	server=$!
	for _ in $(seq 200); do
		ss -Hltn "sport = :$port" 2>/dev/null | grep -q . && break
		sleep 0.1
	done
	expect_status 0 on_page "$@"
	wait $server || fail "$*: its server: $(cat server)"
}

# The difference that compare has to find.
mkdir results-before results-after
for api in direct verbs; do
	on_page dvperf bw --loopback -s 8 --api=$api --json >$api.json 2>err || fail $api
done
cp direct.json results-before/
cp direct.json results-after/

while read -r -a words; do
	case ${words[0]} in
	mpirun) continue ;; # mpi.sh
	esac
	ran=$((ran + 1))
	case "${words[*]}" in
	*' server')
		with_server "${words[@]}"
		;;
	*--remote-vhca* | *remote_vhca*) ;; # a server's
	'dvperf post'* | 'dvperf report'* | 'dvperf compare'* | *--loopback* | *--op=mmo* | *'--preset list')
		expect_status 0 on_page "${words[@]}"
		;;
	*) ;; # a server's
	esac
done < <(commands)

for file in sweep.json sweep.csv sweep.svg smart-fig3.json report.html ../results-mmo/sweep.svg ../results-vhca/sweep.svg; do
	[ -s "results/$file" ] || fail "no results/$file"
done
echo "$ran commands"
[ "$ran" -ge 20 ] || fail 'that is too few'
