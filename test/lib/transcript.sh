#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Commands and all that they print, in a file of a folder transcripts; those called device-* are run on the emulator.
#
#	$ COMMAND	of bash, below it what it prints on both streams, and "[N]" if its exit status is N, not 0
#	> LINE		of a "dvfw shell", which ends before the next command; below it what that prints
#	## WORDS	a comment
#
#	transcript.sh LAUNCHER PROGRAM FILE		compares; the folder of PROGRAM is the first of PATH
#	transcript.sh LAUNCHER PROGRAM --write FILE...	writes into the files what is printed now: look at the difference
set -u
. "$(dirname "$0")/frame.sh"
emu=$1
PATH=$(dirname "$2"):$PATH

cat >"$work/play" <<'END'
# script LINE...: dvfw run, of these lines
script() {
	printf '%s\n' "$@" >script
	dvfw run script
}
# zeros N: N bytes that are 0, as hex digits
zeros() {
	printf "%0$((2 * $1))d" 0
}
# no_times: without the seconds and rates of watch and top
no_times() {
	sed -E 's/^ +[0-9]+\.[0-9] //; s/, [0-9.]+\/s\)/)/'
}
ask() {
	[ -n "${shell_PID:-}" ] || coproc shell { exec dvfw shell ${options:-} 2>&1; }
	printf '%s\necho @end@\n' "$1" >&"${shell[1]}"
	while IFS= read -r answer <&"${shell[0]}" && [ "$answer" != @end@ ]; do
		printf '%s\n' "$answer"
	done
}
end_shell() {
	local pid=${shell_PID:-}
	[ -n "$pid" ] || return 0
	eval "exec ${shell[1]}>&-"
	cat <&"${shell[0]}"
	wait "$pid"
}
cd "$(mktemp -d -p "$1")" || exit
while IFS= read -r line; do
	case $line in
	'$ '*)
		end_shell
		printf '%s\n' "$line"
		eval "${line#??}" </dev/null 2>&1 || echo "[$?]"
		;;
	'> '*)
		printf '%s\n' "$line"
		ask "${line#??}"
		;;
	'##'*) printf '%s\n' "$line" ;;
	esac
done
end_shell
END

# play FILE: as it would be now, without addresses of the heap and without argp's pointer to --help, whose quotes differ
play() {
	local on=
	[ "${1#*/device-}" = "$1" ] || on="emulated --"
	$on bash "$work/play" "$work" <"$1" 2>&1 |
		sed -E 's/ at 0x[0-9a-f]{9,}$/ at 0x.../; /^Try .*--help/d'
}

if [ "$3" = --write ]; then
	for file in "${@:4}"; do
		play "$file" >"$work/new" && cp "$work/new" "$file"
	done
	exit
fi
play "$3" >"$work/now"
diff -u "$3" "$work/now" >"$work/out" || fail "$3: other output"
