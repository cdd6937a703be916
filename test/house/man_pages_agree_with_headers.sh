#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The C in the man pages is that of the headers. Checks of every page of section 3:
#
#	SYNOPSIS	its headers are included; then every prototype has to be there and agree,
#			every macro be the same, every struct have the same members, every
#			enumerator the same value
#	EXAMPLE		each block compiles as the body of a function, with the headers of the
#			synopsis and the variables of test/house/man_prelude.h: what a reader has
#			declared by then
#
#	man_pages_agree_with_headers.sh [ROOT [PAGE...]]	prints what disagrees; 1 when anything does
set -eu
. "$(dirname "$0")/../lib/frame.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${1:-$here/../..}" && pwd)
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- "$root"/dv/man/*.3.md "$root"/devx/man/*.3.md "$root"/flow/man/*.3.md "$root"/prm/man/*.3.md \
	"$root"/emu/man/*.3.md
blocks=0

# blocks SECTION PAGE: the C of a section into files $work/SECTION.1, .2, ...
blocks() {
	rm -f "$work/$1".*
	awk -v section="$1" -v file="$work/$1" '
		/^# / { in_section = $0 == "# " section }
		in_section && /^```c$/ { in_block = 1; n++; next }
		/^```$/ { in_block = 0 }
		in_block { print > (file "." n) }' "$2"
}

# A synopsis as a program that compiles only if it is true.
synopsis() {
	awk '
	function trim(s)
	{
		gsub(/^[ \t\n]+|[ \t\n]+$/, "", s)
		return s
	}

	# Without comments.
	function bare(s,    at, end)
	{
		while ((at = index(s, "/*")) && (end = index(substr(s, at), "*/")))
			s = substr(s, 1, at - 1) " " substr(s, at + end + 1)
		return s
	}

	# Each enumerator has the value that the page shows.
	function enumerators(body,    n, i, list, pair)
	{
		n = split(body, list, ",")
		for (i = 1; i <= n; i++) {
			if (trim(list[i]) == "")
				continue
			split(list[i], pair, "=")
			if (index(list[i], "="))
				checks = checks "_Static_assert((" trim(pair[1]) ") == (" \
					substr(list[i], index(list[i], "=") + 1) "), \"enum\");\n"
			else
				checks = checks "_Static_assert((" trim(pair[1]) ") || 1, \"enum\");\n"
		}
	}

	# A struct of another name has the same members at the same offsets.
	function members(tag, body,    n, i, k, m, list, names, name, shown)
	{
		shown = "struct shown_in_page_" tag
		checks = checks shown " {" body "};\n_Static_assert(sizeof(" shown \
			") == sizeof(struct " tag "), \"size of " tag "\");\n"
		if (body ~ /[{(]/)
			return
		n = split(body, list, ";")
		for (i = 1; i < n; i++) {
			m = split(list[i], names, ",")
			for (k = 1; k <= m; k++) {
				name = names[k]
				sub(/[\[:].*/, "", name)
				name = trim(name)
				sub(/^.*[^A-Za-z0-9_]/, "", name)
				checks = checks "_Static_assert(offsetof(" shown ", " name \
					") == offsetof(struct " tag ", " name ") && " \
					"__builtin_types_compatible_p(__typeof__(((" shown \
					" *)0)->" name "), __typeof__(((struct " tag " *)0)->" \
					name ")), \"member " name "\");\n"
			}
		}
	}

	function declared(text,    head, name)
	{
		head = text
		sub(/\(.*/, "", head)
		name = trim(head)
		sub(/^.*[^A-Za-z0-9_]/, "", name)
		checks = checks "enum { known_" name " = sizeof(&" name ") };\n"
		checks = checks text "\n"
	}

	{ text = text $0 "\n" }

	END {
		text = bare(text)
		n = split(text, lines, "\n")
		for (i = 1; i <= n; i++) {
			line = lines[i]
			if (line ~ /^#include/) {
				print line
			} else if (line ~ /^#define/) {
				name = line
				sub(/^#define[ \t]+/, "", name)
				sub(/[^A-Za-z0-9_].*/, "", name)
				macro = line
				while (line ~ /\\$/)
					macro = macro "\n" (line = lines[++i])
				checks = checks "#ifndef " name "\n#error no macro " name "\n#endif\n" \
					macro "\n"
			} else if (line ~ /^(struct|enum)[^;(]*\{$/) {
				split(line, head, /[ \t]+/)
				body = ""
				while (lines[++i] !~ /^};/ && i <= n)
					body = body lines[i] "\n"
				if (head[1] == "struct")
					members(head[2], body)
				else
					enumerators(body)
			} else if (trim(line) != "") {
				whole = line
				while (whole !~ /;[ \t]*$/ && i < n)
					whole = whole "\n" lines[++i]
				declared(whole)
			}
		}
		print "#include <stddef.h>"
		printf "%s", checks
	}' "$1"
}

# An example as a function of the type that its returns ask for, below the headers of its page.
example() {
	echo '#include "man_prelude.h"'
	grep -h '^#include' "$work"/SYNOPSIS.* || true
	cat "$work/headers"
	type=void end=
	! grep -q 'return [^;]' "$1" || type=int end='return 0;'
	printf '%s example(void);\n%s example(void)\n{\nLOCALS\n' "$type" "$type"
	cat "$1"
	printf '%s\n}\n' "$end"
}

# compile WHAT: $work/program.c, without a warning.
compile() {
	blocks=$((blocks + 1))
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused \
		-fsyntax-only -I "$root/include" -I "$here" $2 "$work/program.c" 2>"$work/errors" &&
		return 0
	fail "$1 is not what the headers say: $(grep -m 3 error "$work/errors" || cat "$work/errors")"
}

for page; do
	name=$(basename "$page" .3.md)
	case $name in
	devx_*) which=-DDEVX ;;
	*) which= ;;
	esac
	for section in SYNOPSIS EXAMPLE; do
		blocks "$section" "$page"
		[ "$section" = EXAMPLE ] || grep -h '^#include' "$work/$section".* >"$work/headers" || :
		[ -e "$work/$section.1" ] || fail "$name has no C in $section"
		for block in "$work/$section".*; do
			[ -e "$block" ] || continue
			if [ "$section" = SYNOPSIS ]; then
				synopsis "$block" >"$work/program.c"
			else
				example "$block" >"$work/program.c"
			fi
			compile "$name, $section ${block##*.}" "$which"
		done
	done
done
echo "$blocks blocks of C"
[ "$blocks" -gt 0 ] || fail 'no blocks'
