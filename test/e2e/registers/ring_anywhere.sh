#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Stores to registers are watched with --check: a program's signals, threads and children do not
# notice, and what it did wrong is named.
#
#	ring_anywhere.sh LAUNCHER RING_ANYWHERE
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 program=$2

# says WHAT TEXT...: it ends well, and each line is there.
says() {
	local text
	expect_status 0 emulated --check -- "$program" "$1"
	for text in "${@:2}"; do
		has "$text"
	done
}

for what in blocked handler traps threads fork; do
	says "$what" '^as expected$' 'check: 0 findings$'
done
says early 'check    QP 0x[0-9a-f]+: rung in INIT, where nothing is executed; remedy: post after'
says interleaved 'check    QP 0x[0-9a-f]+: threads [0-9]+ and [0-9]+ write one register at the same time; remedy: hold one lock'
says widths 'check    QP 0xffffff: UAR page [0-9]+ was rung for it, and there is no queue' 'check: 256 findings$'
lacks 'of this size' # a store of 8 bytes is taken for a shorter one
