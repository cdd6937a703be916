#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw top: lines and JSON for scripts; on a terminal a table that q and ^C end, and the terminal
# is as before.
#
#	top.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2
under=("$emu" --fabric "$fabric" --device cx5 --)

expect_status 0 timeout 20 "${under[@]}" "$dvfw" top -n 2 -i 0.05 --all
has_lines 2 ' vport  received_eth_unicast.packets '
has ' vnic '
lacks $''
timeout 20 "${under[@]}" "$dvfw" top -n 3 -i 0.05 --all --json >"$work/json" || fail "top --json"
python3 - "$work/json" <<'PYTHON' || fail "top --json is not what it should be"
import json, sys
readings = [json.loads(line) for line in open(sys.argv[1])]
assert len(readings) == 3 and readings[2]["seconds"] > readings[1]["seconds"] > 0
names = [(c["source"], c["name"]) for c in readings[0]["counters"]]
assert names == [(c["source"], c["name"]) for c in readings[2]["counters"]]
assert ("vport", "transmitted_ib_unicast.octets") in names and len(set(names)) == len(names)
PYTHON

# On a terminal: what ends it, and what the terminal looks like afterwards.
for how in q ^C; do
	TERM=xterm python3 - "$(dirname "$0")/../../lib" "$how" "${under[@]}" "$dvfw" top -i 5 <<'PYTHON' ||
import sys, termios
sys.path.insert(0, sys.argv[1])
from terminal import Terminal
line = termios.ECHO | termios.ICANON
t = Terminal(sys.argv[3:])
t.until("q ends")
assert "\033[?1049h" in t.before and not termios.tcgetattr(t.fd)[3] & line
t.type({"q": "q", "^C": "\x03"}[sys.argv[2]])
t.until(r"\033\[\?1049l")
assert t.status() == 0 and not t.text.strip()
assert termios.tcgetattr(t.fd)[3] & line == line, "the terminal is not as before"
PYTHON
		fail "$how does not end it well"
done

expect_output 2 "'0' is not a time" timeout 5 "${under[@]}" "$dvfw" top -i 0
expect_status 2 timeout 5 "${under[@]}" "$dvfw" top -n x
expect_output 2 'has no port 2$' timeout 5 "${under[@]}" "$dvfw" top -n 1 -p 2
