#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs of others in a machine of shell.sh, on the driver of its kernel: perftest and UCX, or with "pyverbs" rdma-core's
# Python tests. The rows are those of foreign_inside.sh. The kernel's log must have nothing above "info".
#
#	foreign.sh KERNEL BIN ROOT [pyverbs]
#
# Exit status 77: something is missing here.
set -eu
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for program in ib_send_bw ucx_perftest; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
status=0
timeout "${GUEST_BOOT_LIMIT:-3600}" "$here/shell.sh" "$1" "$2" "$3" --fabric="${folder##*/}" \
	"bash $here/foreign_inside.sh ${4-}" </dev/null >"$folder/said" 2>&1 || status=$?
tr -d '\r' <"$folder/said" >"$folder/lines"
[ $status != 0 ] || grep -q '^foreign: end' "$folder/lines" || status=1
if [ $status = 0 ]; then
	grep '^total' "$folder/lines" || true
	echo "Linux $(basename "$1"/lib/modules/*): $(grep -c '^foreign: ok' "$folder/lines") rows ok"
else
	cat "$folder/lines"
fi
[ $status = 0 ] || [ $status = 77 ] || status=1
exit $status
