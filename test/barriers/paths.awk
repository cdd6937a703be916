# SPDX-License-Identifier: BSD-2-Clause
# Reads "objdump -d --no-show-raw-insn" and prints each way through the function FUNCTION (awk -v)
# as a line: what it does to memory, and the barriers, in order. The kind of an instruction comes
# from a second file, aarch64.awk or x86_64.awk: token(), returns(), jumps(), branches().
#
#	ldrb w4, [x3, #63]; dmb oshld; ldr w0, [x3, #44]; ret   ->   ld1+63 oshld ld4+44
#
# ldN, stN: a load or store of N bytes at that offset; a pair counts as both. A loop is run
# at most twice.

# Where a branch goes: the hexadecimal word before <FUNCTION+0x…>.
function target(at,    words, n)
{
	n = split(rest[at], words, " ")
	return index_of[words[n - 1]]
}

function walk(at, path,    i)
{
	for (; at && at <= count && !returns(name[at]); at++) {
		if (visits[at] >= 2)
			return
		visits[at]++
		trail[++length_of_trail] = at
		path = path token(at)
		if (jumps(name[at])) {
			at = target(at) - 1
		} else if (branches(name[at])) {
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
