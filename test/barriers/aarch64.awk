# SPDX-License-Identifier: BSD-2-Clause
# The kinds of aarch64's instructions for paths.awk. Numbers of bytes come from the mnemonic and the
# register: ldrb, ldrh, w, x and d, q, four q registers.

# The operand list is "x5, x2, [x4, #8]": its first word is a register.
function access(name, operands,    bytes, offset, kind)
{
	if (operands ~ /^\{/) # ld4 {v0.2d-v3.2d}: 64 bytes
		return substr(name, 1, 2) == "ld" ? " ld64+0" : " st64+0"
	bytes = name ~ /b$/ ? 1 : name ~ /h$/ ? 2 : operands ~ /^[ws]/ ? 4 : operands ~ /^q/ ? 16 : 8
	offset = 0
	if (match(operands, /#-?(0x)?[0-9a-f]+\]/))
		offset = substr(operands, RSTART + 1, RLENGTH - 2)
	kind = " " (name ~ /^ld/ ? "ld" : "st") bytes "+"
	return name ~ /^(ld|st)n?p/ ? kind offset kind offset + bytes : kind offset
}

function token(at)
{
	if (name[at] ~ /^(dmb|dsb|isb)$/)
		return name[at] == "dmb" ? " " rest[at] : " " name[at] rest[at]
	if (name[at] ~ /^(ld|st)/)
		return access(name[at], rest[at])
	return name[at] ~ /^(bl|blr|br|svc)$/ ? " call" : ""
}

function returns(name)
{
	return name == "ret"
}

function jumps(name)
{
	return name == "b"
}

function branches(name)
{
	return name ~ /^(b\.|cbn?z|tbn?z)/
}
