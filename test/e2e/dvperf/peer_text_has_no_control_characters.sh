#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A server that sends escape sequences for an error, and a result that has them in its options,
# cannot drive the terminal.
#
#	peer_text_has_no_control_characters.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2 failed=0
dir=$(mktemp -d)
. "$(dirname "$0")/../../lib/tcp.sh"
port=$(free_ports)
trap 'rm -rf "$dir"' EXIT
/usr/bin/python3 -c 'import scipy' || { echo 'no python3-scipy'; exit 77; }

# shown WORDS: the output has them, and no control character.
shown() {
	grep -qF -- "$1" "$dir/out" || { echo "FAIL: no '$1' in"; cat -v "$dir/out"; failed=1; }
	if LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$dir/out"; then
		echo 'FAIL: control characters:'
		cat -v "$dir/out"
		failed=1
	fi
}

# server BYTES: answers a client with them.
server() {
	python3 - "$port" "$1" <<'PY' &
import socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', int(sys.argv[1])))
s.listen(1)
c = s.accept()[0]
c.sendall(sys.argv[2].encode().decode('unicode_escape').encode('latin1'))
c.settimeout(5)
try:
    while c.recv(4096):
        pass
except OSError:
    pass
PY
	server_pid=$!
}

# END is 'q', the next byte the exit status
server 'q\x01\x1b]0;OWNED\x07\x1b[2Jbye'
timeout 60 "$emu" --fabric "words-$$" -- "$dvperf" bw -p $port 127.0.0.1 >"$dir/out" 2>&1
shown 'the other side: \x1b]0;OWNED\x07\x1b[2Jbye'
kill $server_pid 2>/dev/null
wait

for r in a b; do
	timeout 60 "$emu" --fabric "words-$$" -- "$dvperf" post -n 1000 -l 1 --json >"$dir/$r.json" 2>"$dir/out" ||
		{ echo 'FAIL: no result to spoil'; cat "$dir/out"; exit 1; }
done
python3 - "$dir" <<'PY'
import json, sys
for name in 'a', 'b':
    path = f'{sys.argv[1]}/{name}.json'
    result = json.load(open(path))
    result['environment']['kernel'] = name + '\033[31m'
    for row in result['rows']:
        row['not_trusted'] = ['\033[5mreason']
    json.dump(result, open(path, 'w'))
PY
timeout 60 "$dvperf" compare "$dir/a.json" "$dir/b.json" >"$dir/out" 2>&1
shown '\x1b[5mreason'
exit $failed
