#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The environment of a result; and what cannot be had is absent, with the reason: PMU, PCI Express.
#
#	result_describes_its_environment.sh DVKIT_EMU DVPERF
set -eu
. "$(dirname "$0")/../../lib/dvperf.sh"

result bw bw --loopback -s 8 -n 500 --repeat=1
result lasting bw --loopback -s 64 -D 1 --repeat=1 --pcie=4x8
result post post --api=direct
# in memory; its single steps are ptrace, under which a leak sanitizer does not work
ASAN_OPTIONS=detect_leaks=0 timeout 100 "$dvperf" post --api=direct -l 8 --json >"$work/memory"
python3 - "$work" <<'PY'
import json, os, sys
bw, post, memory, lasting = (json.load(open(f"{sys.argv[1]}/{name}"))
                             for name in ("bw", "post", "memory", "lasting"))
e, m = bw["environment"], bw["rows"][0]["metrics"]

for name in "libibverbs", "libmlx5":
    assert os.path.isfile(e[name]) and ".so." in e[name], e[name]
assert e["device"]["emulated"] and e["device"]["emulator"] == "dvkit-emu"
# the PCI Express capability of the emulated function
assert e["device"]["max_payload"] == 256 and e["device"]["link_status"] == "3x16", e["device"]
assert (e["device"]["pcie"], e["device"]["pcie_is"]) == ("3x16", "assumed"), e["device"]
assert [lasting["environment"]["device"][n] for n in ("pcie", "pcie_is")] == ["4x8", "read or given"]
given = dict(w.split("=", 1) for w in open("/proc/cmdline").read().split() if "=" in w)
for name in "isolcpus", "nohz_full", "rcu_nocbs":
    assert e.get(name) == given.get(name), name

counted = not e["pmu"].startswith("no PMU: ")
for name in "instr_per_op", "user_cycles_per_op", "ipc":
    assert (name in m) == counted, (name, e["pmu"])
assert counted or len(e["pmu"]) > len("no PMU: ")
# For a short run: in units of the clock, it may be 0.
assert 0 <= m["cpu_util"] <= 1 and m["setup_ms"] > 0, m

# 100 Gb/s, RoCEv2, 8 bytes: 106 bytes on the wire
assert abs(m["wire_mops"] - 12500 / 106) < 1e-6, m["wire_mops"]
assert abs(m["wire_gbps"] - m["mops"] * 106 * 8 / 1e3) < 1e-6, m
assert "headroom" not in m
# of the message's own bytes: 8
assert abs(m["gbps"] - m["mops"] * 8 * 8 / 1e3) < 1e-9, m
assert m["ops"] == 500 and abs(m["mops"] * m["seconds"] * 1e6 - 500) < 1e-3, m
# the time of a WQE is between its neighbours', and in the run
assert 0 < m["lat_min"] <= m["lat_50"] <= m["lat_90"] <= m["lat_99"] <= m["lat_max"], m
assert m["lat_min"] <= m["lat_mean"] <= m["lat_max"] <= m["seconds"] * 1e6, m

# -D: what the window between the margins counts is a part of all
m = lasting["rows"][0]["metrics"]
inside = m["mops"] * m["seconds"] * 1e6
assert 1 <= inside <= m["ops"] and abs(inside - round(inside)) < 1e-3, m
assert abs(m["gbps"] - m["mops"] * 64 * 8 / 1e3) < 1e-9, m

for row in post["rows"]:
    m, batch = row["metrics"], row["options"]["batch"]
    limit = min(m["pcie_mops"], m["wire_mops"])
    assert abs(m["headroom"] - m["cpu_mops"] / limit) < 1e-6
    assert abs(m["floor_instr"] - m["post_instr"] / 24.5) < 1e-6
    for t in 0, 50, 100, 150, 300:
        want = min(1e3 / (1e3 / m["cpu_mops"] + t / batch), limit)
        assert abs(m[f"modelled_mops_{t}ns"] - want) < 1e-6 * want, (t, batch)
fit, = post["fits"]
assert fit["series"] == "direct" and fit["points"] == 7 and fit["per_doorbell_ns"] > 0, fit
m = memory["rows"][0]["metrics"]
assert "wire_mops" not in m and m["cpu_mops"] > 0
assert "emulator" not in memory["environment"]["device"]
print("pmu:", e["pmu"])
PY
