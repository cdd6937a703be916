#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf mmio on the emulator: its rows, the same in text and JSON, that it says what they are not, and what
# it refuses. What is measured with the fence "dv" has the barriers that include/dv/barrier.h describes, as
# objdump shows.
#
#	register_stores_are_measured.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

fail() {
	echo "$*"
	failures=1
}

timeout 100 "$emu" --fabric "mmio-$$" -- "$dvperf" mmio --repeat=2 -n 200 >"$dir/text" || fail "text: $?"
timeout 100 "$emu" --fabric "mmio-$$" -- "$dvperf" mmio --repeat=2 -n 200 --json >"$dir/json" || fail "json: $?"
grep -q "^NOT TO BE TRUSTED: plain memory, not MMIO: the emulator's registers" "$dir/text" ||
	fail 'the table does not name the emulator'
python3 - "$dir" <<'PY' || failures=1
import json, sys
lines = open(sys.argv[1] + "/text").read().split("\n")
rows = json.load(open(sys.argv[1] + "/json"))["rows"]
assert lines[0].split()[:4] == ["store", "fence", "mapping", "spacing"], lines[0]
names = [tuple(line.split()[:4]) for line in lines[1:] if line and not line.startswith("NOT")]
assert all(len(line) <= 100 for line in lines if not line.startswith("NOT")), lines
assert names == [tuple(r["options"][k] for k in ("store", "fence", "mapping", "spacing")) for r in rows], names
assert len(set(names)) == len(names)
for mapping in "WC", "NC":
    for spacing in "alone", "back-to-back":
        of = [n for n in names if n[2:] == (mapping, spacing)]
        assert len([n for n in of if n[0] == "8"]) == 4, of
        assert len([n for n in of if n[0] == "64"]) == (4 if mapping == "WC" else 3), of
for row in rows:
    assert row["options"]["mode"] == "mmio" and row["options"]["iters"] == 200
    assert len(row["repeats"]["ns_per_op"]) == len(row["repeats"]["cycles_per_op"]) == 2, row
    low, high = sorted(row["repeats"]["ns_per_op"])
    assert low <= row["metrics"]["ns_per_op"] <= high, row
    assert row["options"]["spacing"] == "alone" or low > 0, row
    assert any("plain memory, not MMIO" in reason for reason in row["not_trusted"]), row
PY

# refused OPTION...: with status 2 and one line.
refused() {
	timeout 20 "$emu" --fabric "mmio-$$" -- "$dvperf" mmio "$@" >"$dir/out" 2>"$dir/err"
	local status=$?
	{ [ $status -eq 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ]; } ||
		fail "$*: status $status: $(cat "$dir/err")"
}
refused --iters=0
refused --iters=2M
refused --repeat=0
refused --pin=x
refused --ib-dev=mlx5_99
refused HOST

# sequence FUNCTION: its sfences and 8-byte stores through a register without an offset, in order.
sequence() {
	objdump -d --no-show-raw-insn --disassemble="$1" "$dvperf" |
		sed -nE 's/.*[[:space:]]sfence.*/F/p; s/.*mov +%r[a-z0-9]+,\(%r[a-z0-9]+\)$/S/p' | tr -d '\n'
}
if [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null && nm "$dvperf" 2>/dev/null | grep -q mmio_word_dv; then
	[ "$(sequence mmio_word_dv)" = FSF ] || fail "WC: $(sequence mmio_word_dv)"
	[ "$(sequence mmio_word_dv_nc)" = S ] || fail "NC: $(sequence mmio_word_dv_nc)"
	[ "$(sequence mmio_word_none)" = S ] || fail "no fence: $(sequence mmio_word_none)"
	[ "$(sequence mmio_word_store)" = SF ] || fail "sfence: $(sequence mmio_word_store)"
fi
exit $failures
