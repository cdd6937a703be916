#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Faults that are asked for (dvkit-emu --control) in a machine of shell.sh: what mlx5_core reports, and that it goes on
# after them. The rows are those of faults_inside.sh, which asks on its console.
#
#	faults.sh KERNEL BIN ROOT
#
# Exit status 77: something is missing here.
set -eu
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
set -o pipefail
status=0
timeout "${GUEST_BOOT_LIMIT:-900}" "$here/shell.sh" "$1" "$2" "$3" --fabric="${folder##*/}" --control="$folder/faults" \
	"sh $here/faults_inside.sh" </dev/null 2>&1 | while IFS= read -r line; do
	line=${line%$'\r'}
	case $line in
	'ask: '*) echo "${line#ask: }" >"$folder/faults" ;;
	*) echo "$line" ;;
	esac
done >"$folder/said" || status=$?
grep '^fault: ' "$folder/said" || true
if [ $status = 0 ] && grep -q '^fault: after-hang ok' "$folder/said" && ! grep -q '^fault: .* failed' "$folder/said"; then
	exit 0
fi
cat "$folder/said"
[ $status = 77 ] || status=1
exit $status
