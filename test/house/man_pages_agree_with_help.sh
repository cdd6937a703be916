#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The man pages of programs (section 1) have the options and subcommands that --help has, and no others.
#
#	dvperf --help, dvperf bw --help … --> options, letters, subcommands --.
#	dvperf.1.md ------------------------> what the page has -------------+--> differences
#
# A page may also name options of the other programs, and of those that start them. Where pandoc is, the
# pages become groff without a warning.
#
#	man_pages_agree_with_help.sh ROOT PROGRAM...	prints what differs; 1 when anything does
set -eu
. "$(dirname "$0")/../lib/frame.sh"
root=$1
shift

# Options and letters at the beginning of lines of a help text: "  -d, --ib-dev=DEV  The device".
defined() {
	awk '/^(  |      )-/ {
		for (i = 1; i <= NF && $i ~ /^-/; i++) {
			sub(/[=[].*|,$/, "", $i)
			print $i
		}
	}'
}

# Letters with their long names: "-d --ib-dev".
pairs() {
	sed -nE 's/^  (-[a-zA-Z]), (--[a-zA-Z0-9_-]+).*/\1 \2/p' "$@"
}

# subcommands PROGRAM: its help has them as "  NAME  what" below "Subcommands:", or as "  PROGRAM NAME".
subcommands() {
	"$1" --help | awk -v program="$(basename "$1")" '
		$1 == program && /^  / { print $2 }
		/^$/ { list = 0 }
		list { print $1 }
		/^Subcommands:$/ { list = 1 }'
}

# said PAGE: the options in its text and in its examples.
said() {
	sed 's/\\--/--/g' "$1" | grep -oE -- '(^|[^a-zA-Z0-9-])--[a-zA-Z][a-zA-Z0-9_-]*' |
		sed 's/^[^-]//' | sort -u
}

# letters PAGE: "**-a**", "| -d |".
letters() {
	grep -oE -- '\*\*-[a-zA-Z]\*\*|\| -[a-zA-Z] \|' "$1" | grep -oE -- '-[a-zA-Z]' | sort -u
}

# called PROGRAM PAGE: the subcommands in SYNOPSIS and EXAMPLES; options may precede them.
called() {
	awk '/^# / { here = $2 == "SYNOPSIS" || $2 == "EXAMPLES" } here' "$2" | tr -d '*|\\' |
		grep -oE -- "(^|[^-/a-z0-9.])$1( -[^ ]+( mlx5_[0-9])?)* [a-z]+" | sed 's/.* //' | sort -u
}

# Options that argp gives every program; what starts others.
printf '%s\n' --help --usage --version -? -V >"$work/usual"
printf '%s\n' --host --bind-to --mca --mpi >"$work/starters"

for program; do
	name=$(basename "$program")
	subcommands "$program" | sort -u >"$work/$name.subcommands"
	"$program" --help >"$work/$name.help"
	while read -r subcommand; do
		"$program" "$subcommand" --help >>"$work/$name.help"
	done <"$work/$name.subcommands"
	defined <"$work/$name.help" >"$work/$name.all"
	sort -u -o "$work/$name.all" "$work/$name.all"
	[ "$(wc -l <"$work/$name.all")" -gt 3 ] || fail "$name: --help has no options"
done
sort -u "$work"/*.all "$work/usual" "$work/starters" >"$work/known"

for program; do
	name=$(basename "$program")
	page=$(find "$root" -path '*/man/*' -name "$name.1.md")
	[ -n "$page" ] || { fail "$name has no man page"; continue; }
	said "$page" >"$work/said"
	letters "$page" >"$work/letters"
	for option in $(grep '^--' "$work/$name.all" | grep -vxFf "$work/usual"); do
		grep -qxF -- "$option" "$work/said" || fail "$name: $option is not in the man page"
	done
	for letter in $(grep -x -- '-[a-zA-Z]' "$work/$name.all" | grep -vxFf "$work/usual"); do
		grep -qE -- "(^|[^a-zA-Z0-9-])$letter([^a-zA-Z0-9]|\$)" "$page" ||
			fail "$name: $letter is not in the man page"
	done
	while read -r letter option; do
		sed 's/\\--/--/g' "$page" | grep -E -- "(^|[^a-zA-Z0-9-])$letter([^a-zA-Z0-9]|\$)" |
			grep -qE -- "$option([^a-zA-Z0-9_-]|\$)" ||
			fail "$name: no line of the man page has $letter and $option together"
	done < <(pairs "$work/$name.help" | grep -vE -- '--(help|version)$' | sort -u)
	for option in $(cat "$work/said"); do
		grep -qxF -- "$option" "$work/known" || fail "$name: no program has $option"
	done
	for letter in $(cat "$work/letters"); do
		grep -qxF -- "$letter" "$work/known" || fail "$name: no program has $letter"
	done
	while read -r subcommand; do
		grep -qE "\*\*($name )?$subcommand\*\*" "$page" ||
			fail "$name: $subcommand is not in the man page"
	done <"$work/$name.subcommands"
	[ ! -s "$work/$name.subcommands" ] || for word in $(called "$name" "$page"); do
		grep -qxF "$word" "$work/$name.subcommands" || fail "$name: there is no subcommand $word"
	done
	! command -v pandoc >/dev/null ||
		pandoc --standalone --fail-if-warnings --to man "$page" >"$work/groff" ||
		fail "$name: pandoc warns"
	echo "$name: $(grep -c '^--' "$work/$name.all") options," \
		"$(wc -l <"$work/$name.subcommands") subcommands"
done
