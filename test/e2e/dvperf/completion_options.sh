#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# However CQEs are waited for, shared, sized and written: WQEs and CQEs are as many as the emulator's.
#
#	completion_options.sh DVKIT_EMU DVPERF
set -eu
emu=$1 dvperf=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fabric="complete-$$"
. "$(dirname "$0")/../../lib/tcp.sh"
port=$(free_ports)

cat >"$dir/check.py" <<'PY'
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
	mode=$1 want=$2
	shift 2
	timeout 100 "$emu" --fabric "$fabric" -- "$dvperf" "$mode" --loopback --json \
		--repeat=1 "$@" >"$dir/out"
	python3 "$dir/check.py" "$mode $*" "$want" "$dir/out"
}

# both MODE "OPTION=VALUE of the result" ARGUMENT...: in two.
both() {
	mode=$1 want=$2
	shift 2
	timeout 100 "$emu" --fabric "$fabric" -- "$dvperf" "$mode" --json --repeat=1 \
		-p "$port" "$@" >"$dir/server" 2>"$dir/said" &
	timeout 100 "$emu" --fabric "$fabric" -- "$dvperf" "$mode" --json --repeat=1 \
		-p "$port" "$@" 127.0.0.1 >"$dir/client"
	wait $!
	python3 "$dir/check.py" "$mode $* (two)" "$want" "$dir/client" "$dir/server"
	port=$((port + 1))
}

# refused "WORDS" ARGUMENT...: status 2 and one line that has them.
refused() {
	words=$1
	shift
	status=0
	"$emu" --fabric "$fabric" -- "$dvperf" "$@" >"$dir/out" 2>"$dir/err" || status=$?
	if [ $status != 2 ] || ! grep -q -e "$words" "$dir/err"; then
		echo "$*: status $status: $(cat "$dir/err")" >&2
		exit 1
	fi
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
	both bw events=1 --api=$api -e --op=send -s 32 -n 300
	both lat events=1 --api=$api -e --op=send -n 50
	both bw cq=all --api=$api --cq=all --threads=2 -q 2 -b --op=send -s 32 -n 300
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
both bw collapsed=1 --collapsed --op=read -q 2 --threads=2 -n 300 -b

refused "an event wakes one thread" bw --loopback -e --cq=all --threads=2
refused "not for a CQE" lat --loopback -e
refused "libmlx5 cannot poll" bw --loopback --cqe-compression=hash --api=verbs
refused "64 bytes" bw --loopback --cqe-compression=hash --cqe-size=128
refused "is too small: 128 WQEs" bw --loopback --cq-size=64 -Q 1
refused "SRQ" bw --loopback --cq=thread -c XRC
refused "by --api=direct" bw --loopback --collapsed --api=wr
refused "lat has one QP" lat --loopback --cq=all
refused "post polls" post -e
