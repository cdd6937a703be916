#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The limits of the style: a header has at most 400 lines, a .c file 600, a function body 60;
# a line of prose in a comment at most 96 columns (lines of a diagram, which begin with a tab or have columns, may
# be longer); every file has its SPDX line, and every .c file outside test/ a comment after it that says what the
# file does; nothing is left "to do".
#
#	style_limits.sh [ROOT]		prints violations; 1 when there are any
#
# A function body is the lines between a "{" and a "}" in column 0: the formatting in
# .clang-format (clang_format.sh) permits no other form.
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

cd "$root"
find . \( -name .git -o -name 'build*' \) -prune -o -type f \( -name '*.[ch]' -o \
	-name '*.cpp' -o -name '*.def' -o -name '*.map' -o -name '*.sh' -o -name '*.awk' -o \
	-name '*.cmake' -o -name CMakeLists.txt -o -name run \) -print | sort | sed 's|^\./||' |
	awk '
function blame(line, what)
{
	printf "%s:%d: %s\n", file, line, what
	bad = 1
}

# Columns of @line, with tabs of 8.
function columns(line,    n, i)
{
	gsub(/[\200-\277]/, "", line) # all but the first byte of a character
	for (i = 1; i <= length(line); i++)
		n += substr(line, i, 1) == "\t" ? 8 - n % 8 : 1
	return n
}

# Is @line one of a comment that begins its line, and text?
function is_prose(line)
{
	return line ~ /^[ \t]*(\/\*| \*) [^ \t]/ && line !~ /[^ \t].*(\t|  )/ && line ~ /[^ \t*\/]+ +[^ ]+ +[^ ]/
}

function limit()
{
	if (file ~ /\.h$/)
		return 400
	return file ~ /\.c(pp)?$/ ? 600 : 0
}

{
	file = $0
	nr = start = spdx = head = 0
	while ((getline line < file) > 0) {
		nr++
		if (nr <= 3 && line ~ /SPDX-License-Identifier: BSD-2-Clause/)
			spdx = 1
		else if (line != "" && !head)
			head = line
		if (line ~ /(TO)DO|FIX(ME)|(^|[^X])X(XX)([^X]|$)/)
			blame(nr, "something is left to do")
		if (file ~ /\.([ch]|cpp|def)$/ && length(line) > 88 && is_prose(line) && columns(line) > 96)
			blame(nr, "a comment of " columns(line) " columns")
		if (file !~ /\.([ch]|cpp)$/)
			continue
		if (line == "{")
			start = nr
		if (line ~ /^}/ && start) {
			if (nr - start - 1 > 60)
				blame(start, "a function body of " nr - start - 1 " lines")
			start = 0
		}
	}
	close(file)
	if (!spdx && nr)
		blame(1, "no SPDX line")
	if (file ~ /\.c$/ && file !~ /^test\// && head !~ /^\/\*/)
		blame(2, "no comment that says what the file does")
	if (limit() && nr > limit())
		blame(nr, nr " lines, the limit is " limit())
	files++
}

END {
	if (!files) {
		print "no source files found"
		exit 1
	}
	exit bad
}'
