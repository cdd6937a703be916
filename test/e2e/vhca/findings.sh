#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvkit-emu --check, of copies between two functions: the process whose key it is reports the refusal, and
# so does the one whose copy it was; other work requests than copies cannot use an alias.
#
#	findings.sh TEST_VHCA LAUNCHER
set -eu
. "$(dirname "$0")/../../lib/frame.sh"

expect_status 0 timeout 100 "$1" "$2" findings
has 'check    key 0x[0-9a-f]+: QP 0x[0-9a-f]+, local read of 64 bytes at 0x[0-9a-f]+: the key covers 2097152 bytes at 0x[0-9a-f]+; remedy: stay inside'
has 'check    QP 0x[0-9a-f]+: WQE 0x0: the copy ends because VHCA [12] says that it does not cover all bytes \(its mkey 0x[0-9a-f]+\); remedy: allow the mkey before'
has 'check    key 0x[0-9a-f]+00: QP 0x[0-9a-f]+, local read of 64 bytes at 0x[0-9a-f]+: the key is of bytes of VHCA [12], which here only the data segments of MMO DMA reach; remedy: copy from or to'
has '^dvkit-emu: \[[12]\] check: 2 findings'
has '^dvkit-emu: \[[12]\] check: 1 finding$'
