#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The values of PRM fields are in include/prm/value.def and are not defined again elsewhere.
#
#	values_have_one_home.sh [ROOT]		prints violations; 1 when there are any
#
# A "#define" or an enumerator with a constant number, in emu, dv, devx, include/devx, prm or tools,
# is a second definition when its name ends in the name of a row of value.def that has the same number and
#
#	its other words include one of the row's kind	WQ_CYCLIC	1	WQ_TYPE, CYCLIC
#	another enumerator beside it is of that kind	RTR = 2, RTS = 3	QPC_STATE, …
#	or a comment on its line has the kernel's name	/* MLX5_RMPC_STATE_RDY */
#
# Exempt: include/dv, which does not include prm and is compared with it by tests; the emulator of the
# values of WQEs and CQEs (value_queue.def), which it has in hwqe.h and hcqe.h: reader and writer are two texts.
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

cd "$root"
find emu dv devx include/devx prm tools -type f \( -name '*.c' -o -name '*.h' \) | sort | awk '
# A C constant in decimal or hex; -1 for anything else.
function number(s,    i, v)
{
	sub(/[uUlL]+$/, "", s)
	if (s ~ /^[0-9]+$/)
		return s + 0
	if (s !~ /^0[xX][0-9a-fA-F]+$/)
		return -1
	for (i = 3; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
	return v + 0
}

# @path: value.def, or a file that it includes; @queue: of WQEs and CQEs.
function read_values(path, queue,    line, part)
{
	while ((getline line < path) > 0) {
		if (line !~ /^PRM_VALUE\(/)
			continue
		split(line, part, /[(), ]+/)
		kinds[part[3], number(part[4])] = kinds[part[3], number(part[4])] " " part[2]
		if (queue)
			of_queue[part[2]] = 1
		rows++
	}
}

# Is one of the words of @kind (QPC or QP, PM, STATE) in @prefix?
function akin(prefix, kind,    n, i, w)
{
	n = split(kind, w, "_")
	for (i = 1; i <= n; i++)
		if (index("_" prefix "_", "_" w[i] "_") ||
		    (w[i] ~ /..C$/ && index("_" prefix "_", "_" substr(w[i], 1, length(w[i]) - 1) "_")))
			return 1
	return 0
}

function blame(line, name, kind, tail)
{
	if (seen[file, line, name]++)
		return
	printf "%s:%d: %s is PRM_%s_%s of include/prm/value.def\n", file, line, name, kind, tail
	bad = 1
}

# @name is @value; @group: those that are defined together.
function define(line, name, value, comment, group,    tail, prefix, n, i, k)
{
	definitions++
	tail = name
	prefix = ""
	while (!((tail, value) in kinds)) {
		if (tail !~ /_/)
			return
		prefix = prefix (prefix == "" ? "" : "_") substr(tail, 1, index(tail, "_") - 1)
		tail = substr(tail, index(tail, "_") + 1)
	}
	n = split(kinds[tail, value], k, " ")
	for (i = 1; i <= n; i++) {
		if (file ~ /^emu\// && k[i] in of_queue)
			continue
		if (akin(prefix, k[i]) || index(comment, "MLX5_" k[i] "_" tail))
			blame(line, name, k[i], tail)
		if (!((group, k[i]) in first)) {
			first[group, k[i]] = line SUBSEP name SUBSEP tail
			continue
		}
		split(first[group, k[i]], one, SUBSEP)
		if (one[2] != name) {
			blame(one[1], one[2], k[i], one[3])
			blame(line, name, k[i], tail)
		}
	}
}

# NAME = NUMBER. An enumerator without a number is not about a field of the PRM.
function enumerator(text, comment,    value)
{
	gsub(/[ \t]/, "", text)
	if (text !~ /^[A-Z][A-Z0-9_]*=/)
		return
	value = number(substr(text, index(text, "=") + 1))
	if (value >= 0)
		define(nr, substr(text, 1, index(text, "=") - 1), value, comment, file ":" enum_line)
}

function read_line(line,    comment, part, n, i)
{
	comment = line ~ /\/\*/ ? substr(line, index(line, "/*")) : ""
	gsub(/\/\*([^*]|\*[^\/])*(\*\/|$)/, "", line)
	if (line ~ /^#[ \t]*define[ \t]+[A-Z][A-Z0-9_]*[ \t]+[0-9][0-9a-fA-FxXuUlL]*[ \t]*$/) {
		n = split(line, part, /[ \t]+/)
		while (part[n] == "")
			n--
		define(nr, part[n - 1], number(part[n]), comment, file ":" block)
		return
	}
	if (line ~ /^[ \t]*$/)
		block++
	if (line ~ /(^|[^a-z_])enum([ \t]+[a-z_0-9]+)?[ \t]*\{/) {
		sub(/.*enum[^{]*\{/, "", line)
		enum_line = nr
	}
	if (!enum_line)
		return
	n = split(line, part, ",")
	for (i = 1; i <= n; i++) {
		sub(/\}.*/, "", part[i])
		enumerator(part[i], comment)
	}
	if (line ~ /\}/)
		enum_line = 0
}

BEGIN {
	read_values("include/prm/value.def", 0)
	read_values("include/prm/value_queue.def", 1)
}

{
	file = $0
	nr = block = enum_line = 0
	while ((getline text < file) > 0) {
		nr++
		read_line(text)
	}
	close(file)
}

END {
	if (rows < 200 || !definitions) {
		print "value.def or the sources are not found"
		exit 1
	}
	exit bad
}'
