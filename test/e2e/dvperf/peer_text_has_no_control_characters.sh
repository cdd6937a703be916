#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A server that sends escape sequences for an error, and a result that has them in its options,
# cannot drive the terminal.
#
#	peer_text_has_no_control_characters.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

needs_modules scipy

# shown WORDS: the output has them, and no control character.
shown() {
	grep -qF -- "$1" "$work/out" || fail "no '$1'"
	LC_ALL=C lacks $'[--]'
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
	until_listening "$port" $server_pid || fail 'no server'
}

# END is 'q', the next byte the exit status
server 'q\x01\x1b]0;OWNED\x07\x1b[2Jbye'
run bw -p $port 127.0.0.1 >"$work/out" 2>&1
shown 'the other side: \x1b]0;OWNED\x07\x1b[2Jbye'
kill $server_pid 2>/dev/null
wait

for r in a b; do
	result $r.json post -n 1000 -l 1
done
python3 - "$work" <<'PY'
import json, sys
for name in 'a', 'b':
    path = f'{sys.argv[1]}/{name}.json'
    result = json.load(open(path))
    result['environment']['kernel'] = name + '\033[31m'
    for row in result['rows']:
        row['not_trusted'] = ['\033[5mreason']
    json.dump(result, open(path, 'w'))
PY
"$dvperf" compare "$work/a.json" "$work/b.json" >"$work/out" 2>&1
shown '\x1b[5mreason'
