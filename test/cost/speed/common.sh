# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by the scripts of this folder, which measure by hand what a build of the emulator can do: their options and
# rows, progress, and a heading that names the machine.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# wrong WORDS: an argument that is not accepted.
wrong() {
	echo "$(basename "$0"): $*" >&2
	echo "try $(basename "$0") --help" >&2
	exit 2
}

# usage_of SCRIPT: the comment at its top.
usage_of() {
	awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"
}

# a_number OPTION VALUE
a_number() {
	[[ $2 =~ ^[1-9][0-9]*$ ]] || wrong "$1: not a number from 1 on: $2"
}

# take_options ARGUMENT...: $rows, $list and $builds. An option that not all scripts have is given to own_option, with
# the argument that follows; it sets $took to the number of arguments that it took, or leaves it 0.
rows=. list= builds=()
take_options() {
	while [ $# -gt 0 ]; do
		took=0
		case $1 in
		-h | --help) usage_of "$0" && exit 0 ;;
		--rows) rows=${2-} && [ -n "$rows" ] || wrong '--rows needs a regular expression' && shift ;;
		--list) list=1 ;;
		-*) own_option "$1" "${2-}" && [ $took -gt 0 ] || wrong "unknown option $1" && shift $((took - 1)) ;;
		*) builds+=("$(the_build "$1")") ;;
		esac
		shift
	done
	[[ '' =~ $rows ]] || [ $? != 2 ] || wrong "--rows: no regular expression: $rows"
	[ -n "$list" ] || [ ${#builds[@]} -gt 0 ] || wrong 'no BUILD is named'
}

# one_build: of scripts that measure only one, $build.
one_build() {
	[ ${#builds[@]} -le 1 ] || wrong "one BUILD, not ${builds[1]} as well"
	build=${builds[0]-}
}

# row NAME HOW...: to $names and $hows, if it was asked for.
names=() hows=()
row() {
	[[ $1 =~ $rows ]] || return 0
	names+=("$1") hows+=("${*:2}")
}

# rows_end: of --list, the names.
rows_end() {
	[ ${#names[@]} -gt 0 ] || wrong "no row matches $rows; --list shows them"
	[ -n "$list" ] || return 0
	printf '%s\n' "${names[@]}"
	exit 0
}

# the_build DIR: where a build of dvkit is, as an absolute path.
the_build() {
	[ -x "$1/bin/dvkit-emu" ] || wrong "no build of dvkit: $1/bin/dvkit-emu is missing"
	(cd "$1" && pwd)
}

# the_program NAME BUILD...: the path of a program of this folder, in the first build that has it. Builds with
# -DDVKIT_TESTS=OFF have none of them.
the_program() {
	local build
	for build in "${@:2}" "$here/../../../build"; do
		[ ! -x "$build/bin/$1" ] || { echo "$build/bin/$1"; return; }
	done
	wrong "$1 is in none of the builds; configure one with -DDVKIT_TESTS=ON"
}

# progress DONE ALL WORDS: on a terminal.
progress() {
	[ ! -t 2 ] || printf '\r%-79.79s' "$1 of $2: $3" >&2
}

progress_end() {
	[ ! -t 2 ] || printf '\r%-79s\r' '' >&2
}

load() {
	cut -d ' ' -f 1 /proc/loadavg
}

# machine: date, kernel, processor, in a line.
machine() {
	echo "$(date +%F), Linux $(uname -r), $(nproc) cores, $(sed -n 's/^model name\s*: //p;T;q' /proc/cpuinfo)," \
		"$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)$(
			systemd-detect-virt -q 2>/dev/null && echo ', a virtual machine')"
}

# busy LOAD: a line if the machine did something else when the script began.
busy() {
	awk -v l="$1" 'BEGIN { exit l <= 0.5 }' || return 0
	echo "load average $1 at the start: THE MACHINE WAS BUSY, times and rates are too low"
}
