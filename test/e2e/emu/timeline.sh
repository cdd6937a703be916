#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The timelines of two processes are JSON, and their arrows lead from doorbells by WQEs and frames to CQEs.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_rc_pingpong python3
for side in server client; do
	declare -n options=${side}_options
	options=("--timeline=$work/$side.json" "--pcap=$work/$side.pcap")
done
pair ibv_rc_pingpong -g 1 -n 20 -s 3000
python3 - "$work" <<'PY'
import json, struct, sys

events = []
for side in "server", "client":
    text = open(f"{sys.argv[1]}/{side}.json").read().rstrip()
    # readers accept an array that does not end
    assert text.startswith("[\n") and text.endswith(","), text[-80:]
    events += json.loads(text[:-1] + "]")
slices = [e for e in events if e["ph"] == "X"]
starts = {}
for e in events:
    if e["ph"] in "stf":
        starts.setdefault(e["id"], []).append(e)

named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
assert {(e["pid"], e["tid"]) for e in slices} <= named
pids = {e["pid"] for e in events}
assert len(pids) == 2, pids

def at(e):
    """The slices that an arrow's end is bound to."""
    return [s["name"] for s in slices
            if (s["pid"], s["tid"], s["ts"]) == (e["pid"], e["tid"], e["ts"])]

whole = 0
for name, ends in starts.items():
    assert all(len(at(e)) == 1 for e in ends), ends
    parts = "".join(e["ph"] for e in sorted(ends, key=lambda e: e["ts"]))
    if name.startswith("f"):
        # sent by one process, received by the other
        assert parts == "sf", (name, parts)
        assert len({e["pid"] for e in ends}) == 2 and at(ends[0]) == at(ends[1]), ends
    elif "f" in parts and "s" in parts:
        # doorbell, WQE, at least one frame, CQE
        assert parts[0] == "s" and parts[-1] == "f" and parts.count("t") >= 2, (name, parts)
        assert len({(e["pid"], e["tid"]) for e in ends}) == 1, ends
        whole += 1
assert whole, "no arrow from a doorbell to a CQE"

# as many frames as in the captures: each process has those that it sent and received
records = 0
for side in "server", "client":
    data, pos = open(f"{sys.argv[1]}/{side}.pcap", "rb").read(), 24
    while pos < len(data):
        pos += 16 + struct.unpack("<I", data[pos + 8:pos + 12])[0]
        records += 1
frames = [s for s in slices if s["args"]["text"][0] in "→←"]
assert len(frames) == records > 0, (len(frames), records)
print(f"{len(slices)} events, {whole} whole WQEs, {records} frames")
PY
