#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Offloads of the emulated adapter against COUNT random records of scapy. Exit status 77: there is no scapy.
#
#	run.sh ORACLE_OFFLOAD COUNT
set -eu
seed=${DVKIT_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
/usr/bin/python3 -c 'import scapy' 2>/dev/null || { echo "python3-scapy is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "seed $seed (DVKIT_SEED)"
/usr/bin/python3 "$(dirname "$0")/packets.py" "$2" "$seed" >"$work/packets"
"$1" "$work/packets"
