#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Plain English: words that this project once used in a sense of its own are rejected in
# comments, strings, test names, file names, scripts, man pages and documents. docs/glossary.md
# has the terms to use. Sentences start with their subject: none begins with Of, Who or What,
# except headings of pages.
#
#	plain_english.sh [ROOT [PATH...]]	prints violations; 1 when there are any
#
# PATH: a file or folder, relative to ROOT; without one the whole tree is checked.
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
[ $# = 0 ] || shift

# The pattern (an extended regular expression, whole words, any case) | what to write instead.
table="
behind                        | after, follows
told|tells                    | reports, states, says, shows
stands?|stood                 | is, is in, is at, means
nobody|somebody               | no process, no program, no test; a process, a program
whoever|whomever|(for|to|with|of) who | the caller, callers that, programs that
doors?                        | call, function, interface, public header
rooms?                        | free space (of a ring), size (of a buffer), module (of the source)
upstairs|downstairs|floors?   | layer
laps?                         | pass over the ring, owner bit
(is|are|was|were) none        | there is no, does not exist, is not a
to be had                     | available
at hand                       | available, known
of (its|their|his|our|my|your|one's) own | its own, separate, private
anew                          | again
likewise                      | also
born|dies                     | is created, starts; ends, exits, is killed
gone                          | destroyed, freed, closed, unmapped
lies                          | is, is in, is at
meets?                        | reaches, finds, gets
speaks?|spoke                 | uses, sends, supports
hears?|heard|deaf             | is notified, receives; nak_sent
plays                         | emulates, implements
owes?|owed|owing              | pending, outstanding
goes? round                   | loops over, polls
(its|the|their) like          | and similar ones
bears out                     | confirms
strangers?                    | another process, another program
"

cd "$root"
find "${@:-.}" \( -name .git -o -name 'build*' \) -prune -o -type f \( -name '*.[ch]' -o \
	-name '*.cpp' -o -name '*.def' -o -name '*.map' -o -name '*.sh' -o -name '*.awk' -o \
	-name '*.py' -o -name '*.md' -o -name '*.cmake' -o -name CMakeLists.txt -o -name run -o \
	-name '*.bash-completion' -o -name '*.dvfw' \) -print | sed 's|^\./||' |
	grep -vxF -e docs/glossary.md -e test/house/plain_english.sh \
		-e test/house/plain_english_catches_violations.sh |
	sort | TABLE=$table awk '
BEGIN {
	rows = split(ENVIRON["TABLE"], row, "\n")
	for (i = 1; i <= rows; i++) {
		if (row[i] !~ /[^ ]/)
			continue
		split_at = index(row[i], " | ")
		pattern[i] = substr(row[i], 1, split_at - 1)
		sub(/ +$/, "", pattern[i])
		instead[i] = substr(row[i], split_at + 3)
		any = any (any ? "|" : "") pattern[i]
	}
	edge = "[^a-z0-9_]"
}

# text(line): of C, comments and strings only; the rest is spaces. @inside: in a comment.
function text(line,    out)
{
	out = ""
	while (line != "") {
		if (inside) {
			at = index(line, "*/")
			if (!at)
				return out line
			inside = 0
			out = out substr(line, 1, at - 1) " "
			line = substr(line, at + 2)
		} else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|\047(\\.|[^\\])\047/)) {
			token = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (token == "//")
				return out line
			inside = token == "/*"
			out = out " " token " "
		} else {
			return out
		}
	}
	return out
}

# The beginning of the line that follows, without what marks it as a comment.
function head(line)
{
	sub(/^[ \t]*(\/?\*+\/?|\/\/|#|>)?[ \t]*"?/, "", line)
	return substr(line, 1, 24)
}

# A sentence that does not begin with its subject: at the start of a line, comment or string,
# and after the end of another one.
function inverted(line, nr)
{
	if (file ~ /\.md$/ && line ~ /^#/)
		return
	if (line !~ /\/\* +(who|what) /)
		sub(/^[ \t]*(\/?\*+|\/\/|#+)?[ \t]*/, ". ", line)
	if (match(line " ", /([^A-Za-z0-9_ \t][*"]* ["*_(]*|")(Of|Who|What)[ \t*]|\/\* +(who|what) /)) {
		printf "%s:%d: \"%s\": start with the subject\n", file, nr, substr(line, RSTART, RLENGTH)
		bad = 1
	}
}

# A match may end in the next line, but begins in this one.
function look(line, next_line, nr,    length_here, i)
{
	length_here = length(line) + 1
	if (file ~ /\.py$/) # the word of Python
		gsub(/ None/, " :", line)
	line = " " tolower(line " " head(next_line)) " "
	gsub(/there (is|are|was|were) none/, "there:", line)
	if (!match(line, edge "(" any ")" edge) || RSTART >= length_here)
		return
	for (i = 1; i <= rows; i++) {
		if (i in pattern && match(line, edge "(" pattern[i] ")" edge) && RSTART < length_here) {
			printf "%s:%d: \"%s\": write %s\n", file, nr,
				substr(line, RSTART + 1, RLENGTH - 2), instead[i]
			bad = 1
		}
	}
}

{
	file = $0
	files++
	c = file ~ /\.([ch]|cpp|def)$/
	name = file
	sub(/.*\//, "", name)
	gsub(/[_.]/, " ", name)
	look(name, "", 0)
	nr = inside = 0
	last = ""
	while ((getline line < file) > 0) {
		test = c && line ~ /^(Parameterized)?Test\(/
		if (test)
			gsub(/[_(),]/, " ", line)
		else if (c)
			line = text(line)
		inverted(line, nr + 1)
		if (nr)
			look(last, line, nr)
		last = line
		nr++
	}
	look(last, "", nr)
	close(file)
}

END {
	if (!files) {
		print "no files found"
		exit 1
	}
	exit bad
}'
