#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# discovery: unmodified ibverbs-utils find the emulated adapter, and the launcher behaves.
#
#	discovery.sh [BUILD/bin/dvkit-emu]
#
# Needs ibv_devices and ibv_devinfo.
set -eu
. "$(dirname "$0")/../../lib/frame.sh"

emu=$(realpath "${1:-${DVKIT_EMU_BIN:-$(dirname "$0")/../../build/bin/dvkit-emu}}")
[ -x "$emu" ] || { fail "no launcher at $emu"; exit; }
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

expect_status 0 "$emu" -- ibv_devices
has '^[[:space:]]+mlx5_0[[:space:]]+00c5c0fffea80001$' "$work/out"

expect_status 0 "$emu" --ip 10.0.0.7 --mtu 4096 -- ibv_devinfo -v
has '^hca_id:[[:space:]]+mlx5_0$' "$work/out"
has 'transport:[[:space:]]+InfiniBand \(0\)' "$work/out"
has 'node_guid:[[:space:]]+00c5:0aff:fe00:0007$' "$work/out"
has 'vendor_id:[[:space:]]+0x02c9$' "$work/out"
has 'vendor_part_id:[[:space:]]+4119$' "$work/out"
has 'phys_port_cnt:[[:space:]]+1$' "$work/out"
has 'state:[[:space:]]+PORT_ACTIVE \(4\)' "$work/out"
has 'max_mtu:[[:space:]]+4096 \(5\)' "$work/out"
has 'active_mtu:[[:space:]]+4096 \(5\)' "$work/out"
has 'link_layer:[[:space:]]+Ethernet$' "$work/out"
has 'GID\[ *0\]:[[:space:]]+fe80:0000:0000:0000:00c5:0aff:fe00:0007, RoCE v1$' "$work/out"
has 'GID\[ *1\]:[[:space:]]+fe80::c5:aff:fe00:7, RoCE v2$' "$work/out"
has 'GID\[ *3\]:[[:space:]]+::ffff:10.0.0.7, RoCE v2$' "$work/out"
lacks '' "$work/err"

# GIDs and the GUID of the tree are those of the ioctl
expect_status 0 "$emu" -- cat /sys/class/infiniband/mlx5_0/ports/1/gids/3 \
	/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3 /sys/class/infiniband_verbs/uverbs0/dev
has '^0000:0000:0000:0000:0000:ffff:c0a8:0001$' "$work/out"
has '^RoCE v2$' "$work/out"
has '^231:192$' "$work/out"
expect_status 0 "$emu" -- stat -c '%F %t:%T' /dev/infiniband/uverbs0
has '^character special file e7:c0$' "$work/out"
expect_status 0 "$emu" -- ls -l /sys/class/infiniband /dev/infiniband
has 'mlx5_0 -> ' "$work/out"

# programs that never touch the device are not disturbed, and what is not emulated stays
expect_status 0 "$emu" -- ls /
expect_equal 'ls /' "$(cat "$work/out")" "$(ls /)"
expect_status 0 "$emu" -- sh -c '[ -d "$SYSFS_PATH" ] && sh -c "ibv_devices"'
has mlx5_0 "$work/out"

# exit status
expect_status 0 "$emu" -- true
expect_status 3 "$emu" -- sh -c 'exit 3'
expect_status 143 "$emu" -- sh -c 'kill -TERM $$'
expect_status 127 "$emu" -- ./no-such-command
expect_status 126 "$emu" -- /etc/passwd
expect_status 125 "$emu"
expect_status 125 "$emu" --mtu 1500 -- true
has '1500' "$work/err"
expect_status 125 "$emu" --ip 1.2.3 -- true
expect_status 125 "$emu" --fabric a/b -- true
expect_status 125 "$emu" --trace fw,nonsense -- true
has nonsense "$work/err"
expect_status 125 "$emu" --nonsense -- true
expect_status 125 "$emu" --device cx99 -- true
has '^cx5 ' "$work/err"
has '^cx8 ' "$work/err"
has '^bf3 ' "$work/err"
expect_status 125 "$emu" --trace all --trace-file /nonexistent/x -- true
expect_status 0 "$emu" --list-devices
has '^cx5 +1017 ' "$work/out"
expect_status 0 "$emu" --devices
has '^cx7 +1021 ' "$work/out"
expect_status 0 "$emu" --version
has '^dvkit-emu [0-9]' "$work/out"
expect_status 0 "$emu" echo --check
has '^--check$' "$work/out"

# a bad environment is refused in one line, and the device does not open
expect_status 255 "$emu" -- env DVKIT_EMU=colour=red ibv_devinfo
has "dvkit-emu: DVKIT_EMU: unknown key 'colour'" "$work/err"

# a signal for the launcher reaches the command, and the tree goes away
"$emu" -- sh -c 'trap "exit 9" TERM; touch "$1"; while :; do sleep 0.05; done' sh "$work/ready" &
launcher=$!
until_true [ -e "$work/ready" ]
[ -n "$(ls "$TMPDIR")" ] || fail 'no tree while the command runs'
kill -TERM $launcher
expect_status 9 wait $launcher

# a launcher that was killed leaves its tree to its supervisor; that of a supervisor that was killed is swept by the next one
# started WORD: a launcher, and in supervisor the command's parent.
started() {
	"$emu" -- sh -c 'echo $PPID >"$1.new"; mv "$1.new" "$1"; exec sleep 1' sh "$work/$1" &
	launcher=$!
	until_true [ -e "$work/$1" ]
	supervisor=$(cat "$work/$1")
}
no_tree() {
	[ -z "$(ls "$TMPDIR")" ]
}
started launcher
kill -KILL $launcher
wait $launcher 2>/dev/null || true
[ -n "$(ls "$TMPDIR")" ] || fail 'the killed launcher removed its tree'
until_true no_tree
started supervisor
kill -KILL "$supervisor"
expect_status 137 wait $launcher
[ -n "$(ls "$TMPDIR")" ] || fail 'the killed supervisor removed its tree'
"$emu" -- true
no_tree || fail "trees are left: $(ls "$TMPDIR")"

# Little work: the pages that all processes touch; a loaded machine touches no more. Debian's own
# interpreter: children of a wrapper script would count too.
faults=$(/usr/bin/python3 - "$emu" <<'PY'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "--", "true"], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt)
PY
)
[ "$faults" -lt 2000 ] || fail "dvkit-emu -- true takes $faults page faults"

echo "$faults page faults for true"
