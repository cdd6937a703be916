#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Where a program cannot have the adapter, one line says why and what to do; and daemons have it.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_devices ibv_devinfo unshare env python3
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# says WORDS...: standard error of the last command is one line with each of them.
says() {
	local words
	[ "$(grep -c '^dvkit-emu: ' "$work/err.log")" = 1 ] || fail "not one line: $*"
	for words in "$@"; do
		grep -qF -- "$words" "$work/err.log" || fail "it does not say '$words'"
	done
}

# run OPTION... -- PROGRAM ARGUMENT...: whatever its status.
run() {
	echo "\$ $*"
	status=0
	timeout -k 5 "$limit" "$emu" --fabric "$fabric" "$@" >"$work/out.log" 2>"$work/err.log" || status=$?
}

# Programs that are started without what dvkit-emu has put into the environment.
lost='will not see the adapter'
run -- env -i "$(command -v ibv_devices)"
says "ibv_devices $lost" 'LD_PRELOAD' 'dvkit-emu -- '
run -- env LD_PRELOAD=libm.so.6 "$(command -v ibv_devices)"
says "ibv_devices $lost" 'libdvkit-emu.so in LD_PRELOAD'
run -- env -u SYSFS_PATH ibv_devices
says "ibv_devices $lost" 'SYSFS_PATH'
run -- env -u DVKIT_EMU ibv_devices
says "ibv_devices $lost" 'DVKIT_EMU'
run -- /sbin/ldconfig -p
says "/sbin/ldconfig $lost: it is statically linked"
run -- sh -c 'for i in 1 2 3; do env -i true; done'
says "true $lost"
run -- sh -c 'env -i true; env -i false'
[ "$(grep -c "$lost" "$work/err.log")" = 2 ] || fail 'one line for two programs'
starts='import ctypes, os
argv = (ctypes.c_char_p * 3)(b"/bin/echo", b"started", None)
empty = (ctypes.c_char_p * 1)(None)
libc = ctypes.CDLL(None)
'
for call in 'execve(b"/bin/echo", argv, empty)' 'execvpe(b"echo", argv, empty)' \
	'fexecve(os.open("/bin/echo", os.O_RDONLY), argv, empty)' 'execle(b"/bin/echo", b"echo", b"started", None, empty)' \
	'clearenv(), libc.execv(b"/bin/echo", argv)' 'clearenv(), libc.execl(b"/bin/echo", b"echo", b"started", None)' \
	'clearenv(), libc.execvp(b"echo", argv)' 'clearenv(), libc.execlp(b"echo", b"echo", b"started", None)' \
	'clearenv(), libc.system(b"echo started")' 'clearenv(), libc.popen(b"echo started", b"w"), os.wait()' \
	'posix_spawn(ctypes.byref(ctypes.c_int()), b"/bin/echo", None, None, argv, empty), os.wait()' \
	'posix_spawnp(ctypes.byref(ctypes.c_int()), b"echo", None, None, argv, empty), os.wait()'; do
	run -- python3 -c "${starts}libc.$call"
	says "$lost"
	grep -qx started "$work/out.log" || fail "$call did not start it"
done
run -- python3 -c "$starts
pid = os.fork()
libc.execl(b'/bin/echo', b'echo', *[b'%d' % i for i in range(100)], None)"
[ ! -s "$work/err.log" ] || fail 'a line about an environment that is as it was'
grep -qx "$(seq -s ' ' 0 99)" "$work/out.log" || fail 'execl passes other arguments'
run -- env -i "$emu" -- ibv_devices
[ ! -s "$work/err.log" ] || fail 'a line about dvkit-emu'
grep -q mlx5_0 "$work/out.log" || fail 'dvkit-emu below an empty environment'

limited=
# cannot WORDS OPTIONS [FILE]: with these in DVKIT_EMU no file of the device opens; one line says why, and no
# descriptor is left.
cannot() {
	# shellcheck disable=SC2086 # words
	run --device bf2 -- $limited env "DVKIT_EMU=$2" python3 -c 'import errno, os, sys
before = os.listdir("/proc/self/fd")
for file in sys.argv[1:] * 2:
    try: os.open("/dev/infiniband/" + file, os.O_RDWR)
    except OSError as e: print(errno.errorcode[e.errno])
print(os.listdir("/proc/self/fd") == before)' "${3:-uverbs0}" rdma_cm
	says "$1"
	[ "$(tr '\n' ' ' <"$work/out.log")" = 'ENODEV ENODEV ENODEV ENODEV True ' ] || fail "$2: it is there"
}
cannot "DVKIT_EMU: unknown key 'nix'" nix=1
cannot "DVKIT_EMU: bad value for 'faults': 'nix'" faults=nix
cannot "there is no device 'cx99'" device=cx99
cannot "cx7 has one function, 'as' is for a DPU" device=cx7,as=dpu
cannot 'there is no mlx5_1' device=cx7 uverbs1
for file in /etc/passwd /nix; do
	cannot "$file: not a device image of this dvkit-emu" image=$file
done
for file in trace=1,trace_file=/nix stats=1,trace_file=/nix timeline=/nix pcap=/nix inject=/nix; do
	cannot '/nix' "$file/file"
	says 'No such file or directory'
done
cannot 'lo: Invalid argument' tap=lo
# Files of 2 GiB and of 1 MiB, and nothing that may raise the limit.
[ "$(id -u)" = 0 ] && limited='setpriv --bounding-set -sys_resource'
(ulimit -f $((2 << 20)) && cannot 'RLIMIT_FSIZE' device=bf2)
(ulimit -f 1024 && cannot 'File too large' device=bf2)

# A program that empties its own environment keeps the adapter.
uses='import ctypes
verbs = ctypes.CDLL("libibverbs.so.1")
verbs.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
verbs.ibv_open_device.argtypes = [ctypes.c_void_p]
verbs.ibv_open_device.restype = ctypes.c_void_p
devices = verbs.ibv_get_device_list(None)
if not devices or not devices[0]: raise SystemExit("no device")
if not verbs.ibv_open_device(devices[0]): raise SystemExit("not opened")
print("opened")
'
run --device cx7 -- python3 -c "import ctypes; ctypes.CDLL(None).clearenv(); $uses"
[ $status = 0 ] || fail 'clearenv() took the adapter away'

# daemon(3) before the device is opened: dvkit-emu ends at once, and the tree with the daemon.
mkfifo "$work/go"
run -- python3 -c "import ctypes, os, sys
ctypes.CDLL(None).daemon(1, 1)
open('$work/go').read()
$uses
sys.stdout.flush()"
[ $status = 0 ] || fail 'the command ended otherwise'
[ ! -s "$work/out.log" ] || fail 'the daemon was not awaited'
ls -d "$TMPDIR"/dvkit-emu.* >"$work/tree" || fail 'no tree for the daemon'
echo >"$work/go"
until [ ! -e "$(cat "$work/tree")" ]; do
	sleep 0.05
done
grep -qx opened "$work/out.log" || fail 'the daemon does not see the adapter'
# A pipe ends with the command, although a daemon is left that has its own streams.
"$emu" -- sh -c '{ read -r go <"$1"; } >/dev/null 2>&1 & echo at once' sh "$work/go" 2>&1 |
	timeout -k 5 "$limit" cat >"$work/piped" || fail "the pipe stays open"
grep -qx 'at once' "$work/piped" || fail 'the output is not that of the command'
echo >"$work/go"
# The status is that of the command, also if a daemon is left; signals reach the command.
run -- sh -c 'sleep 0.5 & exit 7'
[ $status = 7 ] || fail "status $status, not 7"
"$emu" -- sh -c 'sleep 0.5 & trap "exit 9" TERM; touch "$1"; while :; do sleep 0.05; done' sh "$work/ready" &
until [ -e "$work/ready" ]; do
	sleep 0.05
done
kill -TERM $!
status=0
wait $! || status=$?
[ $status = 9 ] || fail "SIGTERM passed on: status $status, not 9"

# The tree is not there.
run -- sh -c 'rm -r "$SYSFS_PATH"; exec ibv_devices'
says 'there is no adapter' "$TMPDIR" 'chroot'
if [ "$(id -u)" = 0 ]; then
	run -- python3 -c "import ctypes, os
verbs = ctypes.CDLL('libibverbs.so.1')
os.chroot('$work')
$uses"
	says 'there is no adapter' 'chroot'
	[ $status != 0 ] || fail 'an adapter without files'
fi

# 255 devices on a fabric: its file has a lock for each slot.
run -- python3 -c "$uses
import fcntl, glob, subprocess
file = open((glob.glob('/run/dvkit-emu/$fabric.*') + glob.glob('/tmp/dvkit-emu-*/$fabric.*'))[0], 'r+')
fcntl.lockf(file, fcntl.LOCK_EX, 254, 2)
raise SystemExit(subprocess.run(['ibv_devinfo'], stdout=subprocess.DEVNULL).returncode)"
says "fabric $fabric: 255 devices" '--fabric'
[ $status != 0 ] || fail 'a device too many'
run -- python3 -c "$uses
import fcntl, glob, subprocess
file = open((glob.glob('/run/dvkit-emu/$fabric.*') + glob.glob('/tmp/dvkit-emu-*/$fabric.*'))[0], 'r+')
fcntl.lockf(file, fcntl.LOCK_EX, 253, 2)
raise SystemExit(subprocess.run(['ibv_devinfo'], stdout=subprocess.DEVNULL).returncode)"
[ $status = 0 ] || fail 'the 255th device'

# Another version has the fabric: other numbers at the beginning of its file.
run -- python3 -c "$uses
import glob, subprocess
file = open((glob.glob('/run/dvkit-emu/$fabric.*') + glob.glob('/tmp/dvkit-emu-*/$fabric.*'))[0], 'r+b')
file.write(bytes(8))
file.flush()
raise SystemExit(subprocess.run(['ibv_devinfo'], stdout=subprocess.DEVNULL).returncode)"
says "fabric $fabric: processes of another version of dvkit-emu are on it" '--fabric'
[ $status != 0 ] || fail 'a device on the fabric of another version'

unshare -m true 2>/dev/null || skip 'mount namespaces need root: not all was tried'

# A root that is read-only, with and without the directory in /run.
# shellcheck disable=SC2016 # for the inner shell
read_only='mkdir -p "$1/run" "$1/run/dvkit-emu" && chmod 700 "$1/run/dvkit-emu" && mount --bind "$1/run" /run &&
	mount -o remount,bind,ro /run && shift && exec "$@"'
unshare -m sh -c "$read_only" sh "$work" "$emu" --fabric "$fabric" -- ibv_devinfo >"$work/out.log" 2>"$work/err.log" ||
	fail 'no device where /run is read-only'
# A build in /tmp is not there when an empty /tmp covers it.
if [[ $emu != /tmp/* ]]; then
	# shellcheck disable=SC2016
	TMPDIR=/dev/shm unshare -m sh -c "${read_only%&& shift*}"'&& shift && mount -t tmpfs -o ro none /tmp && exec "$@"' sh "$work" \
		"$emu" --fabric "$fabric" -- ibv_devinfo >"$work/out.log" 2>"$work/err.log" && fail 'a fabric without a file'
	says "fabric $fabric: " '/run/dvkit-emu or /tmp/dvkit-emu-UID'
fi

# A disk that is full.
mkdir "$work/small"
for option in --trace-file --timeline --pcap; do
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o size=16k none "$1" && "$2" --fabric "$3" --trace=all "$4=$1/file" -- \
		sh -c "ibv_devinfo -v; ibv_rc_pingpong -g 3 -n 20 & sleep 1; ibv_rc_pingpong -g 3 -n 20 localhost"' \
		sh "$work/small" "$emu" "$fabric" $option >"$work/out.log" 2>"$work/all.log" || fail "$option: status $?"
	grep -a '^dvkit-emu: ' "$work/all.log" | sort -u >"$work/err.log"
	says "$option: No space left on device: the file ends here"
done
