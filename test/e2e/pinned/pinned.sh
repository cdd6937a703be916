#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Memory that the device uses and the program unmaps.
#
#	pinned.sh LAUNCHER QUEUES HANDLERS REGIONS OVERWRITTEN
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 queues=$2 handlers=$3 regions=$4 overwritten=$5

# runs PROGRAM ARG... -- REGEX...: it ends well under --check, and each line is there.
runs() {
	local command=() regex
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	expect_status 0 emulated --check -- "${command[@]}"
	for regex in "$@"; do
		has "$regex"
	done
}

# The pages are really unmapped: no signal, an event, and a finding that names the queue.
remedy='remedy: destroy the queue before freeing its buffer and its doorbell record'
runs "$queues" cq raw -- "CQ 0x[0-9a-f]+: its ring at 0x[0-9a-f]+ is not mapped; $remedy"
runs "$queues" cq-record raw -- "CQ 0x[0-9a-f]+: its doorbell record at 0x[0-9a-f]+ is not mapped; $remedy"
runs "$queues" sq raw -- "QP 0x[0-9a-f]+: its send ring at 0x[0-9a-f]+ is not mapped; $remedy"
runs "$queues" rq raw -- "QP 0x[0-9a-f]+: its receive ring at 0x[0-9a-f]+ is not mapped; $remedy"
runs "$queues" record raw -- "QP 0x[0-9a-f]+: its doorbell record at 0x[0-9a-f]+ is not mapped; $remedy"

# By libc: the device goes on, and only the finding reports it.
for how in munmap mmap; do
	runs "$queues" cq $how -- "CQ 0x[0-9a-f]+: its ring at 0x[0-9a-f]+ was unmapped while the device uses it; $remedy"
	runs "$queues" sq $how -- "QP 0x[0-9a-f]+: its send ring at 0x[0-9a-f]+ was unmapped while the device uses it; $remedy"
	runs "$queues" rq $how -- "QP 0x[0-9a-f]+: its (send|receive) ring at 0x[0-9a-f]+ was unmapped while the device uses it; $remedy"
	runs "$queues" record $how -- "QP 0x[0-9a-f]+: its doorbell record at 0x[0-9a-f]+ was unmapped while the device uses it; $remedy"
done

runs "$queues" cq free -- "CQ 0x[0-9a-f]+: its ring at 0x[0-9a-f]+ was unmapped while the device uses it; $remedy"

# Regions: what the device has is what was registered.
stale='key 0x[0-9a-f]+: the memory at 0x[0-9a-f]+ was unmapped or replaced after its registration, .*; remedy: keep the memory mapped until its region is deregistered'
for what in unmapped unmapped_by_syscall remapped replaced registered_again in_part moved shrunk dropped shared_unmapped \
	shared_punched private_file segment segment_attached_twice heap_end freed freed_aligned \
	freed_from_the_start huge counted forked on_demand; do
	runs "$regions" $what -- "$stale" '^as expected$'
done
if [ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/{nr_overcommit,free}_hugepages | sort -n | tail -n 1)" -ge 2 ]; then
	for what in segment_of_huge_pages huge_pages; do
		runs "$regions" $what -- "$stale" '^as expected$'
	done
fi
for what in not_replaced read_only no_access freed_lazily shared_read_only no_segment; do
	runs "$regions" $what -- '^as expected$' 'check: 0 findings'
done
for what in unseen unseen_and_reused; do
	runs "$regions" $what -- '^as expected$' \
		'key 0x[0-9a-f]+: .*: the memory of the key is not mapped at 0x[0-9a-f]+; remedy: keep the memory mapped'
done

# Functions of libc that a library has overwritten, with code of x86-64.
if [ "$(uname -m)" = x86_64 ]; then
	runs "$overwritten" -- "$stale" '^as expected$'
fi

# The program's own actions for SIGSEGV and SIGBUS are what sigaction(2) says.
for what in before after jump once sent; do
	runs "$handlers" "$what" -- '^as expected$'
done

# ends WHAT SIGNAL: handlers WHAT ends by that signal.
ends() {
	expect_status $((128 + $2)) emulated -- "$handlers" "$1"
}

ends default 11
ends ignore 11
ends default-sent 7
