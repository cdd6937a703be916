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
cat >"$work/terminal.py" <<'PYTHON'
import os, pty, select, sys, termios, time
how, command = sys.argv[1], sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
	os.execvp(command[0], command)
before, text, sent, end = termios.tcgetattr(fd), b"", False, time.time() + 20
while time.time() < end:
	if select.select([fd], [], [], 0.1)[0]:
		try:
			data = os.read(fd, 65536)
		except OSError:
			break
		if not data:
			break
		text += data
	if b"q ends" in text and not sent:
		sent = True
		assert not termios.tcgetattr(fd)[3] & termios.ECHO
		os.write(fd, {"q": b"q", "^C": b"\x03"}[how])
	if sent and text.endswith(b"\033[?1049l"):
		assert termios.tcgetattr(fd)[3] == before[3], "the terminal is not as before"
status = os.waitpid(pid, 0)[1]
assert sent, text
assert b"\033[?1049h" in text and text.rstrip().endswith(b"\033[?1049l"), text[-200:]
assert status == 0, status
PYTHON
for how in q ^C; do
	TERM=xterm timeout 30 python3 "$work/terminal.py" "$how" "${under[@]}" "$dvfw" top -i 5 ||
		fail "$how does not end it well"
done

expect_output 2 "'0' is not a time" timeout 5 "${under[@]}" "$dvfw" top -i 0
expect_status 2 timeout 5 "${under[@]}" "$dvfw" top -n x
expect_output 2 'has no port 2$' timeout 5 "${under[@]}" "$dvfw" top -n 1 -p 2
