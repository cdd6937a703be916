# SPDX-License-Identifier: BSD-2-Clause
# The kinds of x86-64's instructions for paths.awk: AT&T syntax, "movzwl 0x34(%rdi),%eax". The stack
# is left out: nothing there is the device's.

# The size of a register by its name, or 0.
function width(register)
{
	if (register ~ /^%xmm/)
		return 16
	if (register ~ /^%(r[a-ds][xip]|r[sd]i|rbp|r[0-9]+)$/)
		return 8
	if (register ~ /^%(e|r[0-9]+d$)/)
		return 4
	if (register ~ /^%([a-ds][xip]|[sd]i|bp|r[0-9]+w)$/)
		return 2
	return register ~ /^%/ ? 1 : 0
}

# The size of the memory operand of an instruction whose other one is @register.
function bytes(name, register)
{
	if (name ~ /^mov[sz]b/)
		return 1
	if (name ~ /^mov[sz]w/)
		return 2
	if (width(register))
		return name ~ /^mov[lh]p|^mov(q|sd)$/ && register ~ /^%xmm/ ? 8 : width(register)
	return name ~ /b$/ ? 1 : name ~ /w$/ ? 2 : name ~ /l$/ ? 4 : 8
}

function hex(text,    i, value)
{
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value + 0
}

# "-0x40(%rdi,%rax,8)" -> -64
function offset(operand)
{
	sub(/\(.*/, "", operand)
	return substr(operand, 1, 1) == "-" ? -hex(substr(operand, 2)) : hex(operand)
}

function token(at,    operands, memory, other, first, place)
{
	if (name[at] ~ /^(sfence|lfence|mfence)$/)
		return " " name[at]
	if (name[at] ~ /^(call|syscall)/ || (name[at] ~ /^jmp/ && !target(at)))
		return " call"
	operands = rest[at]
	if (name[at] ~ /^(nop|lea|push|pop|data16|cs|j|ret|rep)/ || operands ~ /\(%[re]sp/ ||
	    !match(operands, /(-?0x[0-9a-f]+)?\([^)]*\)/))
		return ""
	memory = substr(operands, RSTART, RLENGTH)
	first = RSTART == 1
	other = first ? substr(operands, RLENGTH + 2) : substr(operands, 1, RSTART - 2)
	place = bytes(name[at], other) "+" offset(memory)
	if (name[at] ~ /^(cmp|test)/ || (first && other != ""))
		return " ld" place
	return (name[at] ~ /^(mov|set)/ ? "" : " ld" place) " st" place
}

function returns(name)
{
	return name ~ /^ret/
}

function jumps(name)
{
	return name ~ /^jmp/
}

function branches(name)
{
	return name ~ /^j/ && name !~ /^jmp/
}
