#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw explain of send queues of other transports than RC: rings/*.txt are the first blocks of rings that libmlx5 44
# wrote on the software ConnectX, taken from memory with mlx5dv_init_obj(). Each begins with what was posted, and
#
#	# expect REGEX	a line that the bytes have, decoded by hand with mlx5dv.h; several
#	# without REGEX	what another transport would have
#
# With and without --kind the transport is that of the QP.
#
#	explain_rings.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
dvfw=$2
data=$(dirname "$0")/rings

# printed FILE ARGUMENT...: the ring in FILE, and all that its comments expect.
printed() {
	local file=$1
	shift
	grep -v '^#' "$file" >"$work/text"
	expect_status 0 timeout 20 "$dvfw" explain "$@" "$work/text"
	sed -n 's/^# expect //p' "$file" >"$work/expect"
	[ -s "$work/expect" ] || fail "$file expects nothing"
	while IFS= read -r regex; do
		has "$regex"
	done <"$work/expect"
	while IFS= read -r regex; do
		lacks "$regex"
	done < <(sed -n 's/^# without //p' "$file")
}

for transport in ud xrc eth dci; do
	printed "$data/$transport.txt" --kind=ring
	printed "$data/$transport.txt"
	sed '/^# expect .*transport +/d' "$data/$transport.txt" >"$work/$transport"
	printed "$work/$transport" --kind="ring-$transport"
	has "^  transport +$transport$"
	# The first WQE alone, and by decode.
	grep -v '^#' "$data/$transport.txt" | head -n 4 >"$work/text"
	expect_output 0 "^  transport +$transport " timeout 20 "$dvfw" explain --kind=wqe "$work/text"
done
grep -v '^#' "$data/ud.txt" >"$work/text"
expect_output 0 '^ *24 +dqpn +0x123456' timeout 20 "$dvfw" decode ring "$work/text"
expect_status 0 timeout 20 "$dvfw" decode ring-rc "$work/text"
lacks 'address vector'
