#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf mmio on the emulator: its rows, the same in text and JSON, by one thread and by several with one
# register and with several, that it says what they are not, and what it refuses. Measurements with the fence "dv" have the barriers that include/dv/barrier.h describes, as
# objdump shows.
#
#	register_stores_are_measured.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

run mmio --repeat=2 -n 200 >"$work/text" || fail "text: $?"
result json mmio --repeat=2 -n 200
has "^NOT TO BE TRUSTED: plain memory, not MMIO: the emulator's registers" "$work/text"
python3 - "$work" <<'PY' || fail 'the rows'
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

# Stores to one register without a lock, and those under one, agree with the table in
# include/dv/sq.h for 8 bytes to WC, 64 bytes, and 8 bytes to NC.
few=(--repeat=2 -n 100 --threads=1,3 --store=64,8)
run mmio "${few[@]}" >"$work/text" || fail "threads, text: $?"
result json mmio "${few[@]}"
run mmio --repeat=2 -n 100 --threads=2 --uar=shared --fence=dv \
	--store=8 --mapping=wc --spacing=back-to-back >"$work/one" || fail "one row: $?"
[ "$(grep -c '^8  *dv  *WC  *back-to-back  *2  *1  *yes ' "$work/one")" = "$(grep -c ^8 "$work/one")" ] ||
	fail "one row: $(cat "$work/one")"
python3 - "$work" <<'PY' || fail 'the rows'
import json, sys
lines = open(sys.argv[1] + "/text").read().split("\n")
rows = json.load(open(sys.argv[1] + "/json"))["rows"]
assert lines[0].split()[4:7] == ["thr", "reg", "lock"], lines[0]
assert all(len(line) <= 100 for line in lines if not line.startswith("NOT")), lines
printed = [line.split()[:7] for line in lines[1:] if line and not line.startswith("NOT")]
have = []
for row in rows:
    o, m = row["options"], row["metrics"]
    have.append([o[k] for k in ("store", "fence", "mapping", "spacing")] +
                [str(o["threads"]), "%d" % m["registers"], "yes" if o["locks"] == "on" else "no"])
    assert m["registers"] == (1 if o["uar"] == "shared" else o["threads"]), row
    assert 0 <= m["overlap"] <= 1, row
    if o["spacing"] == "back-to-back":
        # the rate is of all threads, the time of each: of one thread that of the other
        assert len(row["repeats"]["mops"]) == 2 and m["mops_min"] <= m["mops"] <= m["mops_max"], row
        for ns, mops in zip(row["repeats"]["ns_per_op"], row["repeats"]["mops"]):
            assert o["threads"] > 1 or abs(ns * mops / 1e3 - 1) < 0.05, row
    else:
        assert "mops" not in m, row
assert printed == have, (printed, have)
shared = {tuple(h[:3] + h[6:]) for h in have if h[4:6] == ["3", "1"]}
plain = [f for f in dict.fromkeys(h[1] for h in have) if f not in ("none", "dv")]
assert len(plain) == 2
want = {("8", f, m, "no") for f in plain + ["none"] for m in ("WC", "NC")} | {("8", "dv", "NC", "no")}
want |= {("8", f, "WC", "yes") for f in plain + ["dv"]} | {("64", "dv", "WC", "yes")}
want |= {("64", f, m, "yes") for f in plain for m in ("WC", "NC")}
assert shared == want, shared ^ want
assert all(h[6] == "no" for h in have if h[5] != "1" or h[4] == "1")
PY

refused . mmio --iters=0
refused . mmio --iters=2M
refused . mmio --repeat=0
refused . mmio --pin=x
refused . mmio --ib-dev=mlx5_99
refused . mmio --threads=1,,2
refused . mmio --uar=shred
refused . mmio --spacing=

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
