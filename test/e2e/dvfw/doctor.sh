#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw doctor: usable on the emulator, not with a tiny memlock limit. All other findings:
# test/unit/dvfw/doctor_finds_what_is_missing.c.
#
#	doctor.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"

under=("$emu" --fabric "$fabric" --device cx5 --)

answers 0 "${under[@]}" "$dvfw" doctor :: '^ok    kernel ' '^ok    device node +/dev/infiniband/' \
	'^ok    user context ' '^ok    firmware +[0-9]+\.' '^ok    port 1 +active, Ethernet' \
	'^ok    refusals +status and syndrome' '^ok    umem ' '^ok    doorbells ' \
	'^ok    event queue ' '^DevX is usable here: '

# fwctl is never a condition.
answers 0 "${under[@]}" "$dvfw" doctor :: '^ok    fwctl +/dev/fwctl/fwctl0 opens'
answers 0 "$emu" --fabric "$fabric-bf" --device bf3 -- "$dvfw" -d mlx5_1 doctor :: \
	'^ok    fwctl +/dev/fwctl/fwctl1 opens'
answers 1 "${under[@]}" "$dvfw" -d fwctl0 doctor :: '^fail  adapter +fwctl0 is a device of fwctl' \
	'^ok    fwctl +/dev/fwctl/fwctl0 opens'

# Checks that need no root run without it; a limit that is too small is a failure.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	plain=(setpriv --inh-caps=-all --bounding-set=-all)
	answers 1 bash -c 'ulimit -l 16; exec "$@"' - "${plain[@]}" "${under[@]}" "$dvfw" doctor :: \
		'^fail  memlock +16 KiB: ' '-> raise it: ' '^warn  CAP_NET_RAW +missing' \
		'^DevX is not usable here: '
fi

answers 2 "$dvfw" doctor please :: 'no argument is expected'
