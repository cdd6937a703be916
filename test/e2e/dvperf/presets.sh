#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every preset runs to its end, in one process and between two, and writes its files. Both
# sides tell the same rows; what was left out says why, and was left out on both.
#
#	presets.sh DVKIT_EMU DVPERF [long]
#
# Short: a few operations per point, and of lock-contention few threads and connections. long: as they are.
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"
long=${3-}
few=(-n 50 --repeat=1)
[ -z "$long" ] || limit=3000 few=()

# sweep SIDE PRESET ARGUMENT...: its output, files and exit status go to $work/SIDE.
sweep() {
	local side=$1 preset=$2 small=()
	shift 2
	rm -rf "$work/$side"
	mkdir "$work/$side"
	[ -n "$long" ] || [ "$preset" != lock-contention ] || small=(threads=1,2 qp=10)
	run sweep --preset "$preset" "${small[@]}" "${few[@]}" --output "$work/$side" "$@" \
		>"$work/$side/out" 2>"$work/$side.err"
	echo $? >"$work/$side/status"
}

# whole PRESET SIDE...: the files of each side are there, and the sides agree.
whole() {
	python3 - "$work" "$@" <<'PY' || fail "$*"
import json, os, sys

dir, preset, sides = sys.argv[1], sys.argv[2], sys.argv[3:]
printed = []
for side in sides:
    at = f"{dir}/{side}/"
    assert open(at + "status").read() == "0\n", (side, "exit status")
    record = json.load(open(f"{at}{preset}.json"))
    rows = record["rows"]
    assert rows and record["preset"] == preset
    assert len(open(f"{at}{preset}.csv").readlines()) == len(rows) + 1
    assert "<svg" in open(f"{at}{preset}.svg").read()
    for row in rows:
        assert any("emulator" in why for why in row["not_trusted"]), row
        assert row["metrics"]["mops"] > 0, row["options"]
    for line in open(f"{dir}/{side}.err"):
        assert "left out: " in line or preset + ".{json" in line or "waiting for" in line, line
    printed.append([(row["options"], row["options"]["mode"] == "post" or row["metrics"]["mops"])
                 for row in rows])
assert all(one == printed[0] for one in printed)
print(f"{preset}: {' and '.join(sides)}: {len(printed[0])} rows")
PY
}

for preset in $("$dvperf" sweep --preset list | sed -n 's/^\([^ ]\+\) .*/\1/p'); do
	sweep alone "$preset" --loopback
	whole "$preset" alone
	port=$((port + 1))
	sweep server "$preset" -p $port &
	sweep client "$preset" -p $port 127.0.0.1
	wait
	whole "$preset" server client
done
