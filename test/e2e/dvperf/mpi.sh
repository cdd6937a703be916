#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ranks of an MPI job, each on its own emulated device: one table, whose sums are those of what
# every rank measured.
#
#	mpi.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

needs mpirun
! "$dvperf" bw --pattern=pairs 2>&1 | grep -q 'without MPI' || skip 'dvperf is built without MPI'
# Open MPI is not ours: its leaks at the end are not either
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# mpirun of Open MPI 5.0.7 ends the ranks at ^C without a signal that they could catch, and ends by SIGSEGV
# itself when ranks of different commands, "sh -c 'exit 2'" say, do not end with 0.
openmpi=$(mpirun --version | sed -n 's/^mpirun (Open MPI) \([0-9]*\).*/\1/p')
job=(mpirun --oversubscribe --bind-to none)
ranks=(timeout 100 "${job[@]}" -n 4 "$emu" --fabric "$fabric" -- "$dvperf" bw)

# sums POSTING OPS ARGUMENT...: the table's sums; how many ranks post; operations of one of them.
sums() {
	local posting=$1 ops=$2
	shift 2
	rm -rf "$work/ranks"
	expect_status 0 "${ranks[@]}" --repeat=2 --output "$work/ranks" "$@"
	python3 - "$work/ranks" "$work/out" "$posting" "$ops" "$1" <<'PY' || fail "$*"
import json, re, sys

ranks = []
for i in range(4):
    whole = json.load(open(f"{sys.argv[1]}/rank{i}.json"))
    assert "environment" in whole and len(whole["rows"]) == 1
    ranks.append(whole["rows"][0])
    assert ranks[i]["rank"] == i
posting, ops = int(sys.argv[3]), int(sys.argv[4])
assert sum(r["metrics"].get("ops") == ops for r in ranks) == posting
for r in ranks:
    for name in ("wqes", "cqes"):
        counted = r["device_counters"].get(name, 0)
        assert r["metrics"].get(name, 0) == counted, (r["rank"], name, r["metrics"], counted)
    assert any("emulator" in why for why in r["not_trusted"])

lines = [line.split() for line in open(sys.argv[2])]
assert lines[1][:9] == ["rank", "to", "Mops", "Gb/s", "received", "ops", "WQEs", "CQEs", "doorbells"]
names = ("mops", "gbps", "recv_mops", "ops", "wqes", "cqes", "doorbells")
table = {line[0]: line[1:] for line in lines if line and re.fullmatch(r"\d+|sum|min|max", line[0])}
assert set(table) == {"0", "1", "2", "3", "sum", "min", "max"}, table
for column, name in enumerate(names):
    values = [r["metrics"][name] for r in ranks if name in r["metrics"]]
    shown = table["sum"][column]
    step = 10 ** -len(shown.partition(".")[2])
    assert abs(float(shown) - sum(values)) <= step, (name, shown, values)
    for i in range(4):
        row = table[str(i)][1 + column]
        value = ranks[i]["metrics"].get(name)
        assert row == "-" if value == None else abs(float(row) - value) <= step, (i, name, row)
mops = [r["metrics"]["mops"] for r in ranks if "mops" in r["metrics"]]
received = [r["metrics"]["recv_mops"] for r in ranks if "recv_mops" in r["metrics"]]
assert abs(sum(received) - sum(mops)) < 1e-9 * sum(mops)
if "incast" in sys.argv[5]:
    assert "recv_mops" in ranks[0]["metrics"] and len(received) == 1
if "pairs" in sys.argv[5]:
    for i in (0, 2):
        got, sent = ranks[i + 1]["metrics"]["recv_mops"], ranks[i]["metrics"]["mops"]
        assert abs(got - sent) < 1e-9 * sent
assert abs(float(table["min"][0]) - min(mops)) < 1e-3
assert abs(float(table["max"][0]) - max(mops)) < 1e-3
PY
}

sums 2 600 --pattern=pairs --op=read -s 4096 -n 300 --api=wr
sums 3 1600 --pattern=incast -c UD --op=send -s 64 -n 400 -q 2 --api=verbs
sums 4 1800 --pattern=all-to-all --op=send -s 64 -n 300
sums 4 2400 --pattern=all-to-all -s 8 -n 100 -q 2 --threads=2 --uar=thread -l 4

# the same under one emulator, and as JSON
expect_status 0 emulated -- "${job[@]}" -n 4 "$dvperf" bw --pattern=incast -n 300 -s 8 --json
python3 - "$work/out" <<'PY' || fail 'JSON'
import json, sys

whole = json.load(open(sys.argv[1]))
rows = whole["rows"]
assert [r["rank"] for r in rows] == [0, 1, 2, 3] and whole["spread"]["mops"]["min"] > 0
for name, value in whole["sum"].items():
    assert value == sum(r["metrics"].get(name, 0) for r in rows), name
PY

# pressed HOW: ^C at mpirun's terminal, or a signal to mpirun alone; the table is of what was measured
# until then, and so is every rank's own result.
pressed() {
	rm -rf "$work/ranks"
	timeout -s KILL 150 python3 - "$fabric" "$1" "${job[@]}" -n 4 "$emu" --fabric "$fabric" -- "$dvperf" bw \
		--pattern=incast -s 8 -D 100 -f 0 --output "$work/ranks" >"$work/out" 2>"$work/err" <<'PY'
import glob, os, pty, signal, sys, time

fabric, how, command = sys.argv[1], sys.argv[2], sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)

def adapters():
    """How many processes on the fabric have the thread of an adapter."""
    n = 0
    for process in glob.glob("/proc/[0-9]*"):
        try:
            there = f"fabric={fabric}".encode() in open(f"{process}/environ", "rb").read()
            names = [open(f).read() for f in glob.glob(f"{process}/task/*/comm")] if there else []
            n += "dvkit-emu\n" in names and open(f"{process}/comm").read() != "dvkit-emu\n"
        except OSError:
            pass
    return n

# Each rank opens its device; a little later it is measured.
for _ in range(600):
    if adapters() >= 4:
        break
    time.sleep(0.1)
time.sleep(3)
if how == "^C":
    os.write(terminal, b"\x03")
else:
    os.kill(pid, getattr(signal, how))
try:
    while piece := os.read(terminal, 65536):
        os.write(1, piece)
except OSError:
    pass
os.waitpid(pid, 0)
PY
	python3 - "$work" <<'PY' || fail "$1 under mpirun"
import json, sys

table = open(f"{sys.argv[1]}/out").read()
assert "interrupted: what was measured" in table
total = [line.split() for line in table.splitlines() if line.split()[:1] == ["sum"]]
rows = [json.load(open(f"{sys.argv[1]}/ranks/rank{i}.json"))["rows"][0] for i in range(4)]
ops = sum(row["metrics"].get("ops", 0) for row in rows)
assert ops > 0 and int(total[0][4]) == ops, (total, ops)
PY
}
[ "$openmpi" = 5 ] || pressed ^C
pressed SIGUSR1

# refused TEXT COMMAND...: status 2, one line of dvperf's with TEXT, nothing measured.
refused() {
	expect_status 2 timeout 100 "${@:2}"
	has_lines 1 '^dvperf:' "$work/err"
	has "^dvperf: .*$1" "$work/err"
	lacks '^ *rank' "$work/out"
}
one=("$emu" --fabric "$fabric" -- "$dvperf" bw -n 100)
refused 'wants ranks' "${one[@]}" --pattern=pairs
refused 'even number' "${job[@]}" -n 3 "${one[@]}" --pattern=pairs
[ "$openmpi" = 5 ] || refused 'different things' "${job[@]}" -n 1 "${one[@]}" --pattern=pairs : \
	-n 1 "${one[@]}" --pattern=pairs -s 16
refused '(too many QPs|more than)' "${job[@]}" -n 3 "${one[@]}" --pattern=incast -q 16384
refused 'no --loopback' "${one[@]}" --pattern=pairs --loopback
refused 'one of none, pairs' "${one[@]}" --pattern=ring
refused 'for bw' "$emu" --fabric "$fabric" -- "$dvperf" lat --pattern=pairs
