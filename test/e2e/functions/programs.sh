#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The two functions of a DPU and unmodified programs: they see two devices, and one where --as says so; trace,
# capture and --check tell the functions apart.
#
#	programs.sh TEST_FUNCTIONS
test_functions=$1
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_devices ibv_devinfo ibv_rc_pingpong rdma

for device in bf2 bf3; do
	emu_options=(--device $device --ip 10.0.0.7)
	alone ibv_devices
	has '^[[:space:]]+mlx5_0[[:space:]]+00c50afffe000007$'
	has '^[[:space:]]+mlx5_1[[:space:]]+00d50afffe000007$'
	alone ibv_devinfo -v -d mlx5_1
	has 'node_guid:[[:space:]]+00d5:0aff:fe00:0007$'
	has 'sys_image_guid:[[:space:]]+00c5:0aff:fe00:0007$'
	has 'GID\[ *1\]:[[:space:]]+fe80::d5:aff:fe00:7, RoCE v2$'
	has 'GID\[ *3\]:[[:space:]]+::ffff:10.0.0.7, RoCE v2$'
	lacks 'mlx5_0'
done

# RDMA netlink: both, with indices; objects are one device's
alone rdma dev
has '^0: mlx5_0: .*node_guid 00c5:0aff:fe00:0007 sys_image_guid 00c5:0aff:fe00:0007'
has '^1: mlx5_1: .*node_guid 00d5:0aff:fe00:0007 sys_image_guid 00c5:0aff:fe00:0007'
alone rdma link
has '^link mlx5_0/1 state ACTIVE'
has '^link mlx5_1/1 state ACTIVE'
alone rdma dev show mlx5_1
lacks mlx5_0
alone rdma res
has '^1: mlx5_1: pd 0 '

# nodes, and one function where there is one
alone stat -c '%F %t:%T' /dev/infiniband/uverbs1
has '^character special file e7:c1$'
for emu_options in '--device=cx7' '--device=bf3 --as=host' '--device=bf3 --as=dpu'; do
	# shellcheck disable=SC2206 # words
	emu_options=($emu_options)
	alone ibv_devices
	lacks mlx5_1
	alone sh -c '! cat /dev/infiniband/uverbs1'
	has 'uverbs1: No such file or directory'
	alone sh -c '! stat /dev/infiniband/uverbs1'
	alone ls /sys/class/infiniband /sys/class/infiniband_verbs /dev/infiniband
	lacks '[a-z_]1$'
done

# two processes: a function each
server_of=('--device bf3' '--device bf3 --as host' '--device bf2')
client_of=('--device bf3' '--device bf3 --as dpu' '--device bf2')
server_device=(mlx5_0 mlx5_0 mlx5_1)
client_device=(mlx5_1 mlx5_0 mlx5_0)
for i in 0 1 2; do
	for gid in 1 3; do
		port=$(free_port)
		# shellcheck disable=SC2206 # words
		emu_options=(${server_of[i]})
		command_of ibv_rc_pingpong -d "${server_device[i]}" -g $gid -c -n 100 -p "$port"
		"${command[@]}" >"$work/server.log" 2>&1 </dev/null &
		server_pid=$!
		await_server "$port"
		# shellcheck disable=SC2206 # words
		emu_options=(${client_of[i]})
		command_of ibv_rc_pingpong -d "${client_device[i]}" -g $gid -c -n 100 -p "$port" 127.0.0.1
		"${command[@]}" >"$work/client.log" 2>&1 </dev/null || fail "client $i, GID $gid"
		wait "$server_pid" || fail "server $i, GID $gid"
		server_pid=
		! grep -i 'invalid data' "$work"/*.log || fail 'wrong data arrived'
	done
done

# trace and capture of one process
emu_options=(--device bf3 --trace wire,doorbell --trace-file "$work/trace" --pcap "$work/frames")
alone "$test_functions" --jobs 1 --filter 'traffic/writes_of_both_arrive'
slots=$(sed -n 's/^\[\([0-9]*\)\] doorbell .*/\1/p' "$work/trace" | sort -u | wc -l)
[ "$slots" = 2 ] || fail "doorbells of $slots slots in the trace"
# each RDMA write is sent by one slot and received by the other
/usr/bin/python3 - "$work/trace" <<'PY' || fail 'the wire of the trace'
import re, sys
seen = set()
for line in open(sys.argv[1]):
    m = re.match(r'\[(\d+)\] wire +(\S+) (\d+) +WRITE_FIRST', line)
    if m:
        seen.add(m.groups())
slots = {s for s, _, _ in seen}
assert len(slots) == 2, seen
a, b = sorted(slots)
assert len(seen) == 4 and {(s, p) for s, _, p in seen} == {(a, b), (b, a)}, seen
PY
set -- "$work"/frames*
[ $# = 2 ] || fail "$# capture files: $*"
case "$2" in
*.1) ;;
*) fail "the second file is $2" ;;
esac
for file in "$@"; do
	[ "$(stat -c %s "$file")" -gt 32768 ] || fail "$file is too short"
done

# --check: both functions sum up, findings are of the function
emu_options=(--device bf3 --check)
alone "$test_functions" --jobs 1 --filter 'traffic/writes_of_both_arrive'
[ "$(grep -c 'check: 0 findings' "$work/alone.log")" -ge 2 ] || fail 'no two summaries'
[ "$(sed -n 's/^dvkit-emu: \[\([0-9]*\)\] check:.*/\1/p' "$work/alone.log" | sort -u | wc -l)" -ge 2 ] ||
	fail 'summaries of one slot'
lacks 'polled for'
alone "$test_functions" --jobs 1 --filter 'misuse/*'
has 'check: 0 findings'
has 'check: 1 finding$'
finder=$(sed -n 's/^dvkit-emu: \[\([0-9]*\)\] check: 1 finding.*/\1/p' "$work/alone.log" | tail -1)
has "^\\[$finder:[0-9]+\\] check "

# ended by a signal, both sum up
cat >"$work/ended.py" <<'PY'
import ctypes, os, signal
verbs = ctypes.CDLL('libibverbs.so.1')
verbs.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
verbs.ibv_open_device.argtypes = [ctypes.c_void_p]
verbs.ibv_open_device.restype = ctypes.c_void_p
n = ctypes.c_int()
devices = verbs.ibv_get_device_list(ctypes.byref(n))
assert n.value == 2 and all(verbs.ibv_open_device(devices[i]) for i in range(2))
os.kill(os.getpid(), signal.SIGTERM)
PY
expect_status 143 emulated --device bf3 --check -- /usr/bin/python3 "$work/ended.py"
has '^dvkit-emu: \[1\] check: 0 findings, ended by signal 15; left at exit: 1 uctx'
has '^dvkit-emu: \[2\] check: 0 findings, ended by signal 15; left at exit: 1 uctx'
