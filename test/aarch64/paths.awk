# SPDX-License-Identifier: BSD-2-Clause
# Reads "objdump -d --no-show-raw-insn" of aarch64 code and prints each way through the function
# FUNCTION (awk -v) as a line: what it does to memory, and the barriers, in order.
#
#	ldrb w4, [x3, #63]; dmb oshld; ldr w0, [x3, #44]; ret   ->   ld1+63 oshld ld4+44
#
# ldN, stN: a load or store of N bytes at that offset; a pair counts as both. A loop is gone round
# at most twice. Numbers of bytes come from the mnemonic and the register: ldrb, ldrh, w, x and d, q.

# The operand list is "x5, x2, [x4, #8]": its first word is a register.
function access(name, operands,    bytes, offset, token)
{
	bytes = name ~ /b$/ ? 1 : name ~ /h$/ ? 2 : operands ~ /^[ws]/ ? 4 : operands ~ /^q/ ? 16 : 8
	offset = 0
	if (match(operands, /#-?(0x)?[0-9a-f]+\]/))
		offset = substr(operands, RSTART + 1, RLENGTH - 2)
	token = " " (name ~ /^ld/ ? "ld" : "st") bytes "+"
	return name ~ /^(ld|st)n?p/ ? token offset token offset + bytes : token offset
}

function token(at)
{
	if (name[at] ~ /^(dmb|dsb|isb)$/)
		return name[at] == "dmb" ? " " rest[at] : " " name[at] rest[at]
	if (name[at] ~ /^(ld|st)/)
		return access(name[at], rest[at])
	return name[at] ~ /^(bl|blr|br|svc)$/ ? " call" : ""
}

# Where a branch goes: the hexadecimal word before <FUNCTION+0x…>.
function target(at,    words, n)
{
	n = split(rest[at], words, " ")
	return index_of[words[n - 1]]
}

function walk(at, path,    i)
{
	for (; at && at <= count && name[at] != "ret"; at++) {
		if (visits[at] >= 2)
			return
		visits[at]++
		trail[++length_of_trail] = at
		path = path token(at)
		if (name[at] == "b") {
			at = target(at) - 1
		} else if (name[at] ~ /^(b\.|cbn?z|tbn?z)/) {
			i = length_of_trail
			walk(target(at), path)
			for (; length_of_trail > i; length_of_trail--)
				visits[trail[length_of_trail]]--
		}
	}
	if (!(path in seen))
		print substr(path, 2)
	seen[path] = 1
}

/^[0-9a-f]+ <.*>:$/ {
	inside = $2 == "<" FUNCTION ">:"
	next
}

inside && /^ *[0-9a-f]+:/ {
	sub(/[ \t]*\/\/.*/, "")
	count++
	index_of[substr($1, 1, length($1) - 1)] = count
	name[count] = $2
	rest[count] = $0
	sub(/^[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]*/, "", rest[count])
}

END {
	walk(1, "")
}
