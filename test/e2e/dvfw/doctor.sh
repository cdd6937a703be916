#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw doctor: usable on the emulator; without a device, with a tiny memlock limit and on what is
# not a device it says why not.
#
#	doctor.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"

under=("$emu" --fabric "$fabric" --device cx5 --)

answers 0 "${under[@]}" "$dvfw" doctor :: '^ok    kernel ' '^ok    device node +/dev/infiniband/' \
	'^ok    user context ' '^ok    firmware +[0-9]+\.' '^ok    port 1 +active, Ethernet' \
	'^ok    refusals +status and syndrome' '^ok    umem ' '^ok    doorbells ' \
	'^ok    event queue ' '^DevX is usable here: '

# fwctl: there, none, without a file, without the right to it. It is never a condition.
answers 0 "${under[@]}" "$dvfw" doctor :: '^ok    fwctl +/dev/fwctl/fwctl0 opens'
answers 0 "$emu" --fabric "$fabric-bf" --device bf3 -- "$dvfw" -d mlx5_1 doctor :: \
	'^ok    fwctl +/dev/fwctl/fwctl1 opens'
answers 1 "${under[@]}" "$dvfw" -d fwctl0 doctor :: '^fail  adapter +fwctl0 is a device of fwctl' \
	'^ok    fwctl +/dev/fwctl/fwctl0 opens'
answers 1 "${under[@]}" "$dvfw" -d fwctl7 doctor :: '^warn  fwctl +there is no /dev/fwctl/fwctl7'
if [ ! -e /sys/class/fwctl ]; then
	answers 1 "$dvfw" doctor -d fwctl0 :: '^warn  fwctl +there is no /dev/fwctl/fwctl0'
fi
# A file of that name in a /dev of a mount namespace: without the right to open it, and no device.
# shellcheck disable=SC2016 # a shell in the namespace expands it
in_dev='mount -t tmpfs none /dev && mkdir /dev/fwctl && : >/dev/fwctl/fwctl0 && chmod "$0" /dev/fwctl/fwctl0 &&
	mknod -m 666 /dev/null c 1 3 && exec "$@"'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && unshare -m true 2>/dev/null; then
	answers 1 unshare -m sh -c "$in_dev" 0 setpriv --inh-caps=-all --bounding-set=-all \
		"$dvfw" doctor -d fwctl0 :: '^warn  fwctl +/dev/fwctl/fwctl0: Permission denied' \
		'-> run as root, or '
	answers 1 unshare -m sh -c "$in_dev" 666 "$dvfw" doctor -d fwctl0 :: \
		'^warn  fwctl +/dev/fwctl/fwctl0 does not open: '
fi

# Checks that need no root run without it; a limit that is too small is a failure.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	plain=(setpriv --inh-caps=-all --bounding-set=-all)
	answers 1 bash -c 'ulimit -l 16; exec "$@"' - "${plain[@]}" "${under[@]}" "$dvfw" doctor :: \
		'^fail  memlock +16 KiB: ' '-> raise it: ' '^warn  CAP_NET_RAW +missing' \
		'^DevX is not usable here: '
	answers 0 bash -c 'ulimit -l 1024; exec "$@"' - "${plain[@]}" "${under[@]}" "$dvfw" doctor \
		:: '^warn  memlock +1024 KiB: '
	answers 0 bash -c 'ulimit -l 16; exec "$@"' - "${under[@]}" "$dvfw" doctor :: \
		'^ok    memlock +16 KiB, but CAP_IPC_LOCK'
fi

# With no device at all.
answers 1 "$dvfw" doctor -d mlx5_77 :: "^fail  adapter +there is no mlx5 device 'mlx5_77'" \
	'^DevX is not usable here'
answers 1 "${under[@]}" "$dvfw" -d mlx5_77 doctor :: "there is no mlx5 device 'mlx5_77'"

"${under[@]}" "$dvfw" doctor --json >"$work/out" || fail "doctor --json"
python3 - "$work/out" <<'PYTHON' || fail "doctor --json is not what it should be"
import json, sys
doctor = json.load(open(sys.argv[1]))
assert doctor["usable"] is True
topics = {f["topic"]: f for f in doctor["findings"]}
assert {"kernel", "memlock", "firmware", "port 1", "doorbells", "DMA (MMO)", "fwctl"} <= topics.keys()
assert all(f["level"] == "ok" or f["todo"] for f in topics.values() if f["level"] != "ok")
PYTHON
answers 2 "$dvfw" doctor please :: 'no argument is expected'
