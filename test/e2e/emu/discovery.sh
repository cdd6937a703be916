#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# discovery: unmodified ibverbs-utils find the emulated adapter, and the launcher behaves.
#
#	discovery.sh [BUILD/bin/dvkit-emu]
#
# Exit status 0 when every promise holds. Needs ibv_devices and ibv_devinfo.
set -eu

emu=$(realpath "${1:-${DVKIT_EMU_BIN:-$(dirname "$0")/../../build/bin/dvkit-emu}}")
[ -x "$emu" ] || { echo "discovery: no launcher at $emu" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# status WANT NAME COMMAND...: the command ends with that status.
status() {
	local want=$1 name=$2 got=0
	shift 2
	"$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$want" ] || fail "$name: status $got, not $want: $(head -3 "$work/err")"
}

# until_true COMMAND...: ten seconds at most.
until_true() {
	for _ in $(seq 200); do
		if "$@"; then return; fi
		sleep 0.05
	done
	fail "never happened: $*"
}

# says FILE REGEX: what the last command wrote has such a line.
says() {
	grep -Eq -- "$2" "$work/$1" || fail "no line '$2' in: $(head -40 "$work/$1")"
}

status 0 ibv_devices "$emu" -- ibv_devices
says out '^[[:space:]]+mlx5_0[[:space:]]+00c5c0fffea80001$'

status 0 ibv_devinfo "$emu" --ip 10.0.0.7 --mtu 4096 -- ibv_devinfo -v
says out '^hca_id:[[:space:]]+mlx5_0$'
says out 'transport:[[:space:]]+InfiniBand \(0\)'
says out 'node_guid:[[:space:]]+00c5:0aff:fe00:0007$'
says out 'vendor_id:[[:space:]]+0x02c9$'
says out 'vendor_part_id:[[:space:]]+4119$'
says out 'phys_port_cnt:[[:space:]]+1$'
says out 'state:[[:space:]]+PORT_ACTIVE \(4\)'
says out 'max_mtu:[[:space:]]+4096 \(5\)'
says out 'active_mtu:[[:space:]]+4096 \(5\)'
says out 'link_layer:[[:space:]]+Ethernet$'
says out 'GID\[ *0\]:[[:space:]]+fe80:0000:0000:0000:00c5:0aff:fe00:0007, RoCE v1$'
says out 'GID\[ *1\]:[[:space:]]+fe80::c5:aff:fe00:7, RoCE v2$'
says out 'GID\[ *3\]:[[:space:]]+::ffff:10.0.0.7, RoCE v2$'
[ ! -s "$work/err" ] || fail "ibv_devinfo complains: $(head -5 "$work/err")"

# GIDs and the GUID of the tree are those of the ioctl
status 0 sysfs "$emu" -- cat /sys/class/infiniband/mlx5_0/ports/1/gids/3 \
	/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3 /sys/class/infiniband_verbs/uverbs0/dev
says out '^0000:0000:0000:0000:0000:ffff:c0a8:0001$'
says out '^RoCE v2$'
says out '^231:192$'
status 0 node "$emu" -- stat -c '%F %t:%T' /dev/infiniband/uverbs0
says out '^character special file e7:c0$'
status 0 'ls of the classes' "$emu" -- ls -l /sys/class/infiniband /dev/infiniband
says out 'mlx5_0 -> '

# programs that never touch the device are not disturbed, and what is not emulated stays
status 0 ls "$emu" -- ls /
cmp -s "$work/out" <(ls /) || fail 'ls / differs'
status 0 environment "$emu" -- sh -c '[ -d "$SYSFS_PATH" ] && sh -c "ibv_devices"'
says out mlx5_0

# exit status
status 0 true "$emu" -- true
status 3 'exit 3' "$emu" -- sh -c 'exit 3'
status 143 'death by SIGTERM' "$emu" -- sh -c 'kill -TERM $$'
status 127 'command not found' "$emu" -- ./no-such-command
status 126 'command not executable' "$emu" -- /etc/passwd
status 125 'no command' "$emu"
status 125 'bad mtu' "$emu" --mtu 1500 -- true
says err '1500'
status 125 'bad ip' "$emu" --ip 1.2.3 -- true
status 125 'bad fabric' "$emu" --fabric a/b -- true
status 125 'bad trace' "$emu" --trace fw,nonsense -- true
says err nonsense
status 125 'unknown option' "$emu" --nonsense -- true
status 125 'unknown device' "$emu" --device cx99 -- true
says err '^cx5 '
says err '^cx8 '
says err '^bf3 '
status 125 'trace file that cannot be' "$emu" --trace all --trace-file /nonexistent/x -- true
status 0 list "$emu" --list-devices
says out '^cx5 +1017 '
status 0 'list by its other name' "$emu" --devices
says out '^cx7 +1021 '
status 0 version "$emu" --version
says out '^dvkit-emu [0-9]'
status 0 'an option of the command' "$emu" echo --check
says out '^--check$'

# a bad environment is refused in one line, and the device does not open
status 255 'bad DVKIT_EMU' "$emu" -- env DVKIT_EMU=colour=red ibv_devinfo
says err "dvkit-emu: DVKIT_EMU: unknown key 'colour'"

# a signal for the launcher reaches the command, and the tree goes away
"$emu" -- sh -c 'trap "exit 9" TERM; touch "$1"; while :; do sleep 0.05; done' sh "$work/ready" &
launcher=$!
until_true [ -e "$work/ready" ]
[ -n "$(ls "$TMPDIR")" ] || fail 'no tree while the command runs'
kill -TERM $launcher
got=0
wait $launcher || got=$?
[ $got = 9 ] || fail "SIGTERM passed on: status $got, not 9"

# a launcher that was killed leaves its tree to its keeper; that of a keeper that was killed is swept by the next one
# started WORD: a launcher, and in keeper the command's parent.
started() {
	"$emu" -- sh -c 'echo $PPID >"$1.new"; mv "$1.new" "$1"; exec sleep 1' sh "$work/$1" &
	launcher=$!
	until_true [ -e "$work/$1" ]
	keeper=$(cat "$work/$1")
}
no_tree() {
	[ -z "$(ls "$TMPDIR")" ]
}
started launcher
kill -KILL $launcher
wait $launcher 2>/dev/null || true
[ -n "$(ls "$TMPDIR")" ] || fail 'the killed launcher removed its tree'
until_true no_tree
started keeper
kill -KILL "$keeper"
status 137 'a killed keeper' wait $launcher
[ -n "$(ls "$TMPDIR")" ] || fail 'the killed keeper removed its tree'
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

[ $failed = 0 ] && echo "discovery: all promises hold ($faults page faults for true)"
exit $failed
