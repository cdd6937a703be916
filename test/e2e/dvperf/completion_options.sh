#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However CQEs are waited for, shared, sized and written: WQEs and CQEs are as many as the emulator's.
#
#	completion_options.sh DVKIT_EMU DVPERF
set -eu
. "$(dirname "$0")/../../lib/dvperf.sh"

cat >"$work/check.py" <<'PY'
import json, sys
want = dict(w.split("=") for w in sys.argv[2].split())
rows = [json.load(open(f))["rows"][0] for f in sys.argv[3:]]
for name in "wqes", "cqes":
    # each process has its own device; what did not move is left out
    ours = sum(r["metrics"].get(name, 0) for r in rows)
    theirs = sum(r["device_counters"].get(name, 0) for r in rows)
    assert ours == theirs, (sys.argv[1], name, ours, theirs)
for name, value in want.items():
    assert str(rows[0]["options"][name]) == value, (name, rows[0]["options"][name])
print(sys.argv[1], "- wqes", rows[0]["metrics"]["wqes"], "cqes", rows[0]["metrics"]["cqes"])
PY

# alone MODE "OPTION=VALUE of the result" ARGUMENT...: in one process.
alone() {
	result out "$1" --loopback --repeat=1 "${@:3}"
	python3 "$work/check.py" "$1 ${*:3}" "$2" "$work/out"
}

# pair MODE "OPTION=VALUE of the result" ARGUMENT...: in two.
pair() {
	both 0 '"rows"' "$1" --json --repeat=1 "${@:3}"
	python3 "$work/check.py" "$1 ${*:3} (two)" "$2" "$work/client.log" "$work/server.log"
}

# wr and verbs differ in posting only
alone bw events=1 --api=wr -e -b --op=send -l 4 -s 32 -n 300 --threads=2
alone bw cq=all --api=wr --cq=all --threads=2 -q 2 -b --op=send -s 64 -n 300
for api in direct verbs; do
	alone bw events=1 --api=$api -e -b --op=send -l 4 -s 32 -n 300 --threads=2
	alone bw events=1 --api=$api -e --rate=4000 -s 32 -n 200
	alone lat events=1 --api=$api -e --op=read -n 50
	alone bw cq=thread --api=$api --cq=thread --op=send -q 3 -s 32 -n 300
	alone bw cq=all --api=$api --cq=all --threads=2 -q 2 -b --op=send -s 64 -n 300
	alone bw "cqe_size=128 cq_size=512 cqe_poll=2" --api=$api --cqe-size=128 --cq-size=512 \
		--cqe_poll=2 -Q 1 -l 8 --op=send -s 48 -n 300
	pair bw events=1 --api=$api -e --op=send -s 32 -n 300
	pair lat events=1 --api=$api -e --op=send -n 50
	pair bw cq=all --api=$api --cq=all --threads=2 -q 2 -b --op=send -s 32 -n 300
done
alone bw cq=thread --cq=thread --layout=shared-qp --threads=2 --op=read -n 300
for format in hash csum csum-stridx; do
	alone bw cqe_compression=$format --cqe-compression=$format -Q 1 -s 32 -l 8 --op=send -n 800
done
alone bw events=1 --cqe-compression=hash -e --cq=thread -q 2 -Q 1 -l 8 -s 32 --op=send -n 300
for service in RC UC UD; do
	alone bw collapsed=1 --collapsed -c $service --op=send -s 32 -l 8 -Q 3 -n 400
done
alone bw collapsed=1 --collapsed -I 220 -s 200 -l 5 -Q 2 -n 1000
pair bw collapsed=1 --collapsed --op=read -q 2 --threads=2 -n 300 -b

refused "is too small: 128 WQEs" bw --loopback --cq-size=64 -Q 1
