#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every operation by every service, API and doorbell: the device executes what dvperf says it posted.
# Impossible requests are refused with one line and status 2.
#
#	operations_services_apis_doorbells.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

# counted ROWS ARGUMENT...: as many rows; the WQEs and CQEs of each are the device's.
counted() {
	local rows=$1
	shift
	result out "$@" --repeat=1
	python3 - "$work/out" "$rows" <<'PY' || fail "$@"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert len(rows) == int(sys.argv[2]), len(rows)
for row in rows:
    m, d, o = row["metrics"], row["device_counters"], row["options"]
    reported = m["wqes"], m["cqes"], m["doorbells"] >= d["doorbells"] > 0
    assert reported == (d["wqes"], d["cqes"], True), (o, m, d)
PY
}

# operations: gathered and inline, alone and in batches with the ring's end between them
inline=inline_size=0,220 batch=batch=1,5
counted 72 sweep --loopback -s 100 -n 60 op=write,write_imm,send connection=RC,XRC api=direct,wr,verbs $inline $batch
counted 24 sweep --loopback -s 100 -n 60 op=write,write_imm,send connection=DC api=direct,wr $inline $batch
counted 24 sweep --loopback -s 100 -n 60 op=write,send connection=UC api=direct,wr,verbs $inline $batch
counted 12 sweep --loopback -s 100 -n 60 op=send connection=UD api=direct,wr,verbs $inline $batch
counted 12 sweep --loopback -s 100 -n 60 op=read connection=RC,XRC api=direct,wr,verbs $batch
counted 4 sweep --loopback -s 100 -n 60 op=read connection=DC api=direct,wr $batch
counted 12 sweep --loopback -n 60 op=atomic atomic_type=FETCH_AND_ADD,CMP_AND_SWAP connection=RC,XRC api=direct,wr,verbs
counted 4 sweep --loopback -n 60 op=atomic atomic_type=FETCH_AND_ADD,CMP_AND_SWAP connection=DC api=direct,wr
counted 5 sweep --loopback -n 60 op=nop connection=RC,UC,UD,XRC,DC -l 4

# nothing to send: no data segment
counted 24 sweep --loopback -s 0 -n 60 op=write,write_imm,send,read connection=RC,XRC api=direct,wr,verbs
counted 3 sweep --loopback -s 0 -n 60 op=send connection=UD api=direct,wr,verbs

# doorbells: one block and four, alone and in a batch
counted 24 sweep --loopback -n 60 doorbell=auto,db,bf,bf-last size=8,60,220 inline_size=220 batch=1,5
counted 4 sweep --loopback -n 60 -c UD -s 100 -I 188 op=send doorbell=auto,db,bf,bf-last
if run post --doorbell=zmm -l 1 >"$work/out" 2>&1; then
	counted 6 sweep --loopback -n 60 doorbell=zmm size=8,60,220 inline_size=220 batch=1,5
else
	refused 'AVX-512|of x86-64' bw --loopback --doorbell=zmm
fi
if run post --doorbell=movdir64b -l 1 >"$work/out" 2>&1; then
	counted 6 sweep --loopback -n 60 doorbell=movdir64b size=8,60,220 inline_size=220 batch=1,5
else
	refused 'MOVDIR64B|of x86-64' bw --loopback --doorbell=movdir64b
fi

# there and back
counted 18 sweep --loopback -n 20 mode=lat op=send,write_imm connection=RC,UC,XRC api=direct,wr,verbs
counted 3 sweep --loopback -n 20 mode=lat op=send connection=UD api=direct,wr,verbs
counted 6 sweep --loopback -n 20 mode=lat op=write,read,send connection=DC api=direct,wr

# adaptive batches: no depth waits for ever
depths=$(seq -s, 1 64)
counted 64 sweep --loopback -s 8 -n 150 -l adaptive tx-depth="$depths"
counted 64 sweep --loopback -s 8 -n 150 -l adaptive --signal=batch tx-depth="$depths"
counted 3 sweep --loopback -s 200 -I 220 -n 150 -l adaptive -t 16 signal=all,half,16
counted 1 bw --loopback -s 8 -D 0.5 -l adaptive -t 64 --signal=batch --rate=3000

both 0 '' bw --op=write_imm -s 64 -n 300 -l 4
both 0 '' bw -c XRC --op=send -s 64 -n 300 --api=verbs
both 0 '' bw -c XRC --op=read -s 64 -n 300
both 0 '' bw -c DC -s 64 -n 300 --api=wr -b
both 0 '' bw -s 0 --op=send -n 300 -l adaptive
both 0 '' lat -c UD --op=send -n 50
both 0 '' lat -c DC -n 50
both 0 '' bw -s 200 -I 220 -n 300 -l 3 --doorbell=bf-last

# without locks: right where nothing is shared, reported where it is, refused where it would break
wrong() {
	expect_status 0 run "$@" --repeat=1 --csv
	has 'WRONG LOCKS' "$work/out"
}
wrong bw --loopback -s 8 -n 200 --locks=off --threads=2 --uar=shared
wrong post --locks=off --threads=2 --uar=shared -l 8
counted 3 sweep --loopback -s 8 -n 200 --locks=off --threads=2 --uar=thread api=direct,wr,verbs
lacks WRONG "$work/out"
expect_output 0 'no locks to remove' run sweep --preset lock-contention uar=thread locks=off,on threads=1 qp=2

# a queue that threads share
works '^write +many +8 +16 +[1-9]' post --api=many --layout=shared-qp --threads=1 -t 64 -l 16 --repeat=2
works '^write +many +8 +16 .*[1-9]' post --api=many --layout=shared-qp --threads=3 -t 64 -l 16 --repeat=2

refused 'above the MTU' lat --loopback -c UD --op=send -s 2000
