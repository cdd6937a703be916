#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A fabric is its user's own: another user can neither join it, nor send into it, nor keep its
# processes from meeting. Needs root, to play both.
[ "$(id -u)" = 0 ] || { echo 'only root can act as two users'; exit 77; }
# In its own network namespace: the attack is on every emulator that it finds.
if [ "${ALONE:-}" != 1 ]; then
	ALONE=1 exec unshare -n "$0" "$@"
fi
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_rc_pingpong ibv_devinfo setpriv ip /usr/bin/python3
ip link set lo up
victim=60001
other=65534

# as UID COMMAND...
as() {
	setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"
}

chmod 755 "$work"
as $victim test -x "$emu" || skip "$emu cannot be run by others"

# attack UID: sends to, and connects with, every socket of an emulator that it sees, again and again,
# and binds every name that ends, until it is killed. Prints a line once it has seen two.
attack() {
	# Not by as(): a function in the background is a shell, and killing that leaves its child.
	setpriv --reuid $other --regid $other --clear-groups \
		/usr/bin/python3 - <<'PY' >"$work/attack.log" 2>&1 &
import os
import socket
test = os.getppid()
seen, own, taken, reported = set(), set(), [], False
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setblocking(False)
burst = bytes(range(256)) * 16
while os.getppid() == test:
    now = {l.split()[-1] for l in open('/proc/net/unix') if '@dvkit-emu/' in l} - own
    for name in seen - now:
        t = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            t.bind('\0' + name[1:])
            taken.append(t)
            own.add(name)
        except OSError:
            pass
    seen |= now
    for name in now:
        for n in (0, 1, 17, 60, 4096):
            try:
                s.sendto(burst[:n], '\0' + name[1:])
            except OSError:
                pass
    for t in taken:
        t.setblocking(False)
        try:
            t.recv(1)
            print('received something', flush=True)
        except OSError:
            pass
    if len(now) >= 2 and not reported:
        reported = True
        print('attacks', flush=True)
PY
	attacker=$!
}

attacker=
squatted=
end_attack() {
	[ -z "$attacker" ] || kill $attacker 2>/dev/null || true
	attacker=
}
at_exit '[ -z "$squatted" ] || rm -rf /tmp/dvkit-emu-$victim*; rmdir /tmp/dvkit-emu-$other 2>/dev/null; end_attack'

# pingpong UID: a pair of that user's.
pingpong() {
	local port status=0 run=(as "$1" timeout -k 5 "$limit" "$emu" --fabric "$fabric" --)
	port=$(free_port)
	(cd "$work" && "${run[@]}" ibv_rc_pingpong -d mlx5_0 -g 3 -n 2000 -p "$port") >"$work/server.log" 2>&1 &
	server_pid=$!
	await_server "$port"
	(cd "$work" && "${run[@]}" ibv_rc_pingpong -d mlx5_0 -g 3 -n 2000 -p "$port" 127.0.0.1) \
		>"$work/client.log" 2>&1 || status=$?
	[ $status = 0 ] || fail "user $1: the client ended with $status"
	wait $server_pid || fail "user $1: the server ended with $?"
	server_pid=
}

attack
pingpong 0
pingpong 0
end_attack
grep -q '^attacks$' "$work/attack.log" || fail 'the attacker never saw two sockets'
if grep -m 1 received "$work/attack.log"; then fail 'the attacker received something'; fi

# join: the same name of a fabric is another fabric, and root's file is closed to others
port=$(free_port)
timeout -k 5 "$limit" "$emu" --fabric "$fabric" -- ibv_rc_pingpong -d mlx5_0 -g 3 -p "$port" \
	>"$work/server.log" 2>&1 &
server_pid=$!
await_server "$port"
file=$(echo /run/dvkit-emu/"$fabric".* /tmp/dvkit-emu-0/"$fabric".*)
if as $other cat $file >"$work/file.log" 2>&1; then fail 'another user reads the keys'; fi
got=0
(cd "$work" && as $other timeout -k 5 "$limit" "$emu" --fabric "$fabric" -- \
	ibv_rc_pingpong -d mlx5_0 -g 3 -p "$port" 127.0.0.1) >"$work/client.log" 2>&1 || got=$?
[ $got != 0 ] || fail 'another user joined'
end_server

# squat: the directory that the victim would make is there already
[ ! -e /tmp/dvkit-emu-$victim ] || skip "/tmp/dvkit-emu-$victim is in use"
squatted=1
as $other mkdir /tmp/dvkit-emu-$victim
# Two that start at once may make two; one makes it here.
(cd "$work" && as $victim "$emu" --fabric "$fabric" -- ibv_devinfo) >"$work/alone.log" 2>&1 ||
	fail 'squatted: it does not open'
pingpong $victim
