#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Offloads of the emulated adapter against COUNT random records of scapy. Exit status 77: there is no scapy.
#
#	run.sh ORACLE_OFFLOAD COUNT
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
seed=${DVKIT_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
needs_modules scapy
echo "seed $seed (DVKIT_SEED)"
/usr/bin/python3 "$(dirname "$0")/packets.py" "$2" "$seed" >"$work/packets"
"$1" "$work/packets"
