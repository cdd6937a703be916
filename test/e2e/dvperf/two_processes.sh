#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Server and client, each in its own process and on its own device.
#
#	two_processes.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

# same ARGUMENT...: of both sides.
same() {
	both 0 'the device is the emulator' "$@"
}

same bw -s 8 -l 16 -n 800
same bw --op=read -s 1024 -n 400 --api=wr
same bw --op=send -s 64 -l 4 -n 400 --api=verbs
same bw --op=send -b -s 64 -l 4 -n 400
# both directions together, at both ends
both 0 '"gbps"' bw -b -s 4096 -n 300 --repeat=1 --json
python3 - "$work" <<'PY' || fail 'bw -b --json'
import json, sys
ends = [json.load(open(f"{sys.argv[1]}/{name}.log")) for name in ("server", "client")]
server, client = (e["rows"][0]["metrics"] for e in ends)
for m in server, client:
    assert abs(m["gbps"] - m["mops"] * 4096 * 8 / 1e3) < 1e-9 * m["gbps"], m
    # its own direction is the smaller part
    assert m["mops"] > m["ops"] / m["seconds"] / 1e6, m
assert abs(server["mops"] - client["mops"]) < 1e-9 * client["mops"], (server, client)
PY
same bw -b -s 4096 -n 300 -q 2 --threads=2 --uar=thread
same bw -c UC -s 64 -n 400
same bw -c UD --op=send -s 60 -n 400
same bw --op=atomic -n 300
same lat -n 100
same lat --op=read -n 100
same lat --op=send -n 100 --api=verbs
# for a time instead of a number of operations: what is between the margins, at both ends. Where this machine did nothing
# for so long, twice the time.
for mode in 'bw -s 8' 'lat -s 8' 'lat --op=read -s 64' 'bw -b --op=send -s 64'; do
	for seconds in 0.3 0.6 1.2 2.4 4.8 9.6 19.2; do
		command="$mode -D $seconds -f 0.05 --repeat=2 --json"
		# shellcheck disable=SC2086
		two_sides $command
		[ $client_status = 2 ] && grep -q 'a longer -D' "$work/client.err" || break
	done
	expect_equal "$command: status" "$server_status $client_status" '0 0'
	both_say 'the device is the emulator' "$command"
	python3 - "$work" $seconds <<'PY' || fail "$mode -D"
import json, sys
ends = [json.load(open(f"{sys.argv[1]}/{name}.log")) for name in ("server", "client")]
rows = [e["rows"][0] for e in ends]
server, client = (r["metrics"] for r in rows)
duration = float(sys.argv[2])
assert all(r["options"]["duration"] == duration for r in rows), rows
assert all(len(values) == 2 for values in rows[1].get("repeats", {}).values()), rows[1]
if rows[1]["options"]["mode"] == "bw":
    # a repetition is the time without its two margins, and what the machine takes to notice it
    assert duration - 0.1 <= client["seconds"] and client["mops"] > 0, client
    assert abs(server["mops"] - client["mops"]) <= 1e-9 * client["mops"], (server, client)
else:
    # the margins are in the operations and not in the samples
    assert 0 < client["lat_samples"] < client["ops"], client
    assert client["lat_min"] <= client["lat_50"] <= client["lat_max"], client
PY
done
same bw -a -n 20 --repeat=1
same bw -s 8 -n 300 -S 3 -T 104 -u 18 -L 5
same bw -c UD --op=send -s 60 -n 300 -S 3 -T 104 -L 5
same bw -s 8 -n 10 -q 1000 --repeat=1
both 0 'write' bw -s 8 -n 300 -l 8 -- bw -s 8 -n 300 --api=verbs -l 8
# connected by rdma_cm
same bw -R -s 8 -n 300 -l 4
same bw -R --op=send -b -s 64 -n 300 -q 3 --api=verbs
same bw -R --op=read -s 1024 -n 300 --api=wr -T 104 -u 16
same lat -R --op=send -n 100
both 2 'the two sides differ: -R' bw -R -- bw
both 2 'the two sides differ: -s' bw -s 8 -- bw -s 16
both 2 'the two sides differ: -l' bw -s 8 -l 4 -- bw -s 8
both 2 'the two sides differ: -c' bw -c UC -- bw
both 2 'the two sides differ: subcommand' bw -s 2 -n 1000 -- lat
