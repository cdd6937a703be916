#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# watch, in the shell on a terminal: counters that the packets of another process change, and only these, by as much
# as was sent; ^C returns to the prompt. From the command line and in scripts.
#
#	watch_changes.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
# Three broadcasts of 60 bytes: ARP, filled with zeros.
packet=ffffffffffff02000000000108060001080006040001020000000001c0a80005000000000000c0a80006$(printf '%036d' 0)
for _ in 1 2 3; do echo "flow send $packet"; done >"$work/send"

cat >"$work/watch.py" <<'PYTHON'
import os, re, subprocess, sys
sys.path.insert(0, sys.argv[1])
from terminal import Terminal

send, command = sys.argv[2], sys.argv[3:]
t = Terminal(command + ["--color=never", "shell"])
t.until("dvfw> ")
t.type("watch -i 0.05 QUERY_VPORT_COUNTER\r")
t.until(r"^every 0\.05 s, until \^C$")
# Another process of the fabric: its adapter sends, this one receives.
other = command[:1] + ["--ip", "192.168.0.2"] + command[1:]
subprocess.run(other + ["run", send], check=True, stdout=subprocess.DEVNULL)
grown = {"received_eth_broadcast.packets": 0, "received_eth_broadcast.octets": 0}
while grown["received_eth_broadcast.octets"] < 3 * 60:
    line = t.until(r"^ *\d+\.\d (\S+) = 0x([0-9a-f]+) \(\+(\d+), \d+\.\d/s\)$")
    name, value, more = line.group(1), int(line.group(2), 16), int(line.group(3))
    assert name in grown, line.group(0)
    grown[name] += more
    assert value == grown[name], (line.group(0), grown)
assert grown["received_eth_broadcast.packets"] == 3, grown
t.type("\x03")
t.until("dvfw> ")
assert "=" not in t.before and "nothing" not in t.before, t.before
t.type("echo still here\r")
t.until("^still here\ndvfw> ")
# what does not change, until ^C again
t.type("counter = ALLOC_Q_COUNTER\r")
t.until("ALLOC_Q_COUNTER, id .*\ndvfw> ")
t.type("watch -i 0.05 counter\r")
t.until(r"^every 0\.05 s, until \^C$")
t.type("\x03")
t.until(r"^ *\d+\.\d nothing has changed\ndvfw> ")
# ^C at the prompt and SIGINT later are as before
t.type("quit\r")
assert t.status() == 0
PYTHON
TERM=dumb XDG_STATE_HOME=$work timeout 60 python3 "$work/watch.py" "$(dirname "$0")/../../lib" "$work/send" \
	"$emu" --fabric "$fabric" -- "$dvfw" >"$work/out" 2>&1 || fail "watch in the shell"

# It ends when what reads its output has ended, also while nothing changes.
run watch -i 0.05 QUERY_VPORT_COUNTER | :
ended=${PIPESTATUS[0]}
[ "$ended" != 124 ] || fail "watch without a reader runs on"

# From the command line: a line of JSON for each change.
run --json watch -i 0.05 -n 60 QUERY_VPORT_COUNTER >"$work/json" &
watcher=$!
while kill -0 $watcher 2>/dev/null; do
	emulated --ip 192.168.0.2 -- "$dvfw" run "$work/send" >/dev/null || fail "the packets are not sent"
done
wait $watcher || fail "watch --json fails"
python3 - "$work/json" <<'PYTHON' || fail "watch --json is not what it should be"
import json, sys
changes = [json.loads(line) for line in open(sys.argv[1])]
grown = {}
for name, step in ("received_eth_broadcast.packets", 1), ("received_eth_broadcast.octets", 60):
    of = [c for c in changes if c["name"] == name]
    assert all(c["value"] > c["before"] and c["value"] % step == 0 for c in of), of
    assert all(a["value"] == b["before"] and a["seconds"] < b["seconds"] for a, b in zip(of, of[1:])), of
    grown[name] = (of[-1]["value"] - of[0]["before"]) // step
assert len(set(grown.values())) == 1 and grown.keys() == {c["name"] for c in changes}, grown
PYTHON

# Scripts, and what is refused.
printf '%s\n' 'counter = ALLOC_Q_COUNTER' 'watch -n 2 -i 0.01 counter' 'watch --count 2 --interval 0.01 PAOS local_port=1' \
	'expect rx_write_requests=0' >"$work/script"
says 0 'nothing has changed' run "$work/script"
for line in 'watch:watch .-i SECONDS. .-n N. NAME' 'watch -i 0 PAOS:.0. is not a time from' 'watch -n 1 PAOS:.1. is not a number from 2' \
	'watch -x PAOS:no option .-x.: -i SECONDS, -n N' 'watch -i:.. is not a time' \
	"watch PAOSS:no object, register or command; did you mean .PAOS.?" 'watch CREATE_CQ:is no query' \
	'watch QUERY_QP qpn=1:about an object'; do
	echo "${line%%:*}" >"$work/script"
	says 1 "${line#*:}" run "$work/script"
done
printf 'pd = ALLOC_PD\nwatch pd\n' >"$work/script"
says 1 'no command queries what ALLOC_PD created' run "$work/script"
