#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Too few samples, too short a run, a single repeat and repeats that differ (of which metric is said)
# are reasons not to trust a result; bw warms up unless it is asked not to.
#
#	doubts_name_what_is_too_little.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

result one bw --loopback -s 8 -n 200 --repeat=1
result three bw --loopback -s 8 -n 200 --warmup=0
result warm bw --loopback -s 8 -n 200 --warmup=2 --repeat=2
result long bw --loopback -s 8 -D 0.4 -f 0.1 --repeat=2
result lat lat --loopback -s 8 -n 200
result enough lat --loopback -s 8 -n 4000 --op=read
result post post --api=direct -l 4
python3 - "$work" <<'PY'
import json, sys
def row(name):
    return json.load(open(f"{sys.argv[1]}/{name}"))["rows"][0]
def says(name, text):
    return any(text in why for why in row(name)["not_trusted"])
assert says("one", "one repeat") and not says("three", "one repeat")
assert "interval" in row("three") and not row("one")["interval"], row("one")
assert "interval_percent" in row("three")["metrics"]
assert "interval_percent" not in row("one")["metrics"]
assert says("one", "less than 0.1 s") == (row("one")["metrics"]["seconds"] < 0.1)
assert not says("long", "less than 0.1 s")
assert says("lat", "p99 of fewer than 1000") == (row("lat")["metrics"]["lat_samples"] < 1000)
assert says("lat", "p99") and not says("enough", "p99"), row("enough")["metrics"]["lat_samples"]
assert [row(n)["options"]["warmup"] for n in ("one", "three", "warm", "long", "lat")] == [1, 0, 2, 0, 0]
# what warmed up is not counted
assert row("warm")["metrics"]["ops"] == 400 and row("warm")["metrics"]["wqes"] == row("warm")["device_counters"]["wqes"]
post = row("post")
values = post["repeats"]["post_cycles"]
m = post["metrics"]
assert len(values) == 5 and (m["post_cycles_min"], m["post_cycles_max"]) == (min(values), max(values))
for name in ("three", "lat", "post"):
    for metric, v in row(name)["repeats"].items():
        noisy = (max(v) - min(v)) / sorted(v)[len(v) // 2] > 0.1
        assert says(name, f"the repeats of {metric} differ by more than 10 %") == noisy, row(name)
polled = post["repeats"]["poll_cycles"], post["repeats"]["op_cycles"]
assert len(polled[0]) == len(polled[1]) == 5, post
assert (m["poll_cycles_min"], m["poll_cycles"], m["poll_cycles_max"]) == tuple(sorted(polled[0])[0::2]), post
assert (m["op_cycles_min"], m["op_cycles"], m["op_cycles_max"]) == tuple(sorted(polled[1])[0::2]), post
assert {"post_cycles", "mops", "poll_cycles", "op_cycles"} == post["interval"].keys()
e = json.load(open(sys.argv[1] + "/one"))["environment"]
import datetime, os
when = datetime.datetime.strptime(e["date"], "%Y-%m-%dT%H:%M:%SZ")
assert abs((datetime.datetime.utcnow() - when).total_seconds()) < 600
assert e["host"] == os.uname().nodename and e["dvkit"]
assert e["kernel_command_line"] == open("/proc/cmdline").readline().rstrip("\n")
siblings = "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"
if os.path.exists(siblings):
    assert e["thread_siblings"].split(" ")[0] == open(siblings).readline().strip()
micro = [line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("microcode")]
assert e.get("microcode") == (micro[0] if micro else None)
# what a machine says of itself
assert e["cpus"] == os.sysconf("SC_NPROCESSORS_ONLN") and e["pin"] == "no" and e["tsc_ghz"] > 0, e
assert e["kernel"] == f"{os.uname().release} {os.uname().machine}", e["kernel"]
info = dict(line.rstrip("\n").split("\t: ", 1) for line in open("/proc/cpuinfo").read().replace("\t\t", "\t").split("\n") if "\t: " in line)
assert e.get("cpu") == info.get("model name"), e
assert e["virtual_machine"] == (" hypervisor" in info.get("flags", "")), e
assert (e["device"]["name"], e["device"]["link_layer"]) == ("mlx5_0", "Ethernet"), e["device"]
import resource
limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
assert e["memory"]["locked_limit"] == ("none" if limit == resource.RLIM_INFINITY else limit), e["memory"]
assert e["memory"]["relaxed_ordering"] == "asked for", e["memory"]
huge = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
assert ("huge_2m" in e["memory"]) == os.path.exists(huge), e["memory"]

# the numbers of a result are those of its repeats
def near(a, b):
    return abs(a - b) <= 1e-9 * abs(b)
def interval(name, metric):
    low, high = row(name)["interval"][metric]
    return (high - low) / 2 / sorted(row(name)["repeats"][metric])[1] * 100
m, v, c = row("three")["metrics"], row("three")["repeats"]["mops"], row("three")["repeats"]["cycles_per_op"]
assert m["mops"] == sorted(v)[1] and near(m["spread"], (max(v) - min(v)) / m["mops"]), m
assert m["mops_min"] <= min(v) and max(v) <= m["mops_max"], m
assert near(m["ns_per_op"], 1e3 / m["mops"]) and near(m["gbps"], m["mops"] * 8 * 8 / 1e3), m
assert near(m["interval_percent"], interval("three", "mops")), m
assert (m["cycles_min"], m["cycles_max"]) == (min(c), max(c)) and near(m["cycles_per_op"], sorted(c)[1]), m
assert near(m["seconds"] * m["mops"] * 1e6, 200), m
# two of 200 have a CQE: the hundredth and the last
assert (m["ops"], m["wqes"], m["doorbells"], m["cqes"], m["lat_samples"]) == (600, 600, 600, 6, 6), m
assert (m["achieved_batch"], m["doorbells_per_op"], m["wqebbs_per_op"], m["cqes_per_op"]) == (1, 1, 1, 0.01), m
found = m["polls_per_op"] * 600 * (1 - m["empty_polls"])
assert 3 - 1e-6 <= found <= 6 + 1e-6 and abs(found - round(found)) < 1e-6, found
assert 0 <= m["stalls"] < 1 and m["registers"] == 1, m
# 50 of each repeat warm up; of a WRITE both ends post
for name, samples, ops in ("lat", 600, 2 * 750), ("enough", 12000, 12150):
    m, v = row(name)["metrics"], row(name)["repeats"]
    assert (m["lat_samples"], m["ops"], m["wqes"], m["doorbells"], m["cqes"]) == (samples, ops, ops, ops, ops), m
    assert near(m["interval_percent"], interval(name, "lat_50")), m
    assert m["wire_mops"] > 0 and m["pcie_mops"] > 0 and m["registers"] == 1, m
    assert m["lat_min"] <= min(v["lat_50"]) and max(v["lat_99"]) <= m["lat_max"], m
    assert all(a <= b for a, b in zip(v["lat_50"], v["lat_99"])) and m["achieved_batch"] == 1, m
    found = m["polls_per_op"] * ops * (1 - m["empty_polls"])
    assert abs(found - ops) < 1e-6, found
PY
