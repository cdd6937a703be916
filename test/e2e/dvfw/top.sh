#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw top: lines and JSON for scripts; on a terminal a table that q and ^C end, and the terminal
# is as before.
#
#	top.sh LAUNCHER DVFW
set -u
emu=$1 dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
under=("$emu" --fabric "dvfw-top-$$" --device cx5 --)

fail() {
	echo "FAIL: $*"
	failed=1
}

timeout 20 "${under[@]}" "$dvfw" top -n 2 -i 0.05 --all >"$dir/out" 2>&1 || fail "top -n 2"
[ "$(grep -c ' vport  received_eth_unicast.packets ' "$dir/out")" = 2 ] ||
	{ fail "top -n 2 does not print twice"; cat "$dir/out"; }
grep -q ' vnic ' "$dir/out" || fail "no counter of the vnic"
grep -q $'\033' "$dir/out" && fail "escape sequences without a terminal"
timeout 20 "${under[@]}" "$dvfw" top -n 3 -i 0.05 --all --json >"$dir/json" || fail "top --json"
python3 - "$dir/json" <<'PYTHON' || fail "top --json is not what it should be"
import json, sys
readings = [json.loads(line) for line in open(sys.argv[1])]
assert len(readings) == 3 and readings[2]["seconds"] > readings[1]["seconds"] > 0
names = [(c["source"], c["name"]) for c in readings[0]["counters"]]
assert names == [(c["source"], c["name"]) for c in readings[2]["counters"]]
assert ("vport", "transmitted_ib_unicast.octets") in names and len(set(names)) == len(names)
PYTHON

# On a terminal: what ends it, and what the terminal looks like afterwards.
cat >"$dir/terminal.py" <<'PYTHON'
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
	TERM=xterm timeout 30 python3 "$dir/terminal.py" "$how" "${under[@]}" "$dvfw" top -i 5 ||
		fail "$how does not end it well"
done

timeout 5 "${under[@]}" "$dvfw" top -i 0 >"$dir/out" 2>&1
[ $? = 2 ] && grep -q "'0' is not a time" "$dir/out" || fail "-i 0 is taken"
timeout 5 "${under[@]}" "$dvfw" top -n x >"$dir/out" 2>&1
[ $? = 2 ] || fail "-n x is taken"
timeout 5 "${under[@]}" "$dvfw" top -n 1 -p 2 >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'has no port 2$' "$dir/out" || fail "port 2 is taken"
exit $failed
