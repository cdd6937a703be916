#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The library that dvkit-emu loads into programs calls no function of libc that makes a system call or
# allocates memory: the program may have replaced it. emu/preload/libc.def has the emulator's own.
#
#	preload_imports.sh LIBRARY
set -eu

# Functions that only read and format text and memory.
text='__ctype_b_loc|__isoc99_sscanf|inet_(ntop|pton)|mem(cmp|cpy|move|set)|v?snprintf|str(casecmp|chr|cmp|cpy|cspn|error|len|ncmp|ncpy|nlen|rchr|sep|spn|str|tod|tol|toul|toull)'
# Threads: a sanitizer has to see them start.
threads='__pthread_(register_cancel|unregister_cancel|unwind_next)|pthread_(create|detach|join|key_create|once|setcancelstate|setcanceltype|setname_np|setspecific|testcancel)|pthread_mutex(attr)?_(destroy|init|lock|timedlock|trylock|unlock)|sem_(init|post|timedwait|wait)'
# The process, its environment, and its libraries.
process='(__)?environ|__(cxa_finalize|errno_location|gmon_start__|progname|register_atfork|sigsetjmp)|_ITM_(de)?registerTMCloneTable|abort|dladdr|exit|dl(open|sym)|getenv|gnu_get_libc_version|program_invocation_short_name|sig(add|del|empty|fill)set|sigismember|sysconf|__stack_chk_fail'

left=$(nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $2); print $2 }' | grep -vxE "$text|$threads|$process" || true)
[ -n "$left" ] || exit 0
for name in $left; do
	echo "$name is libc's: the program may have replaced it (emu/preload/libc.def)"
done
exit 1
