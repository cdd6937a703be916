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
dvfw=$2
data=$(dirname "$0")/rings
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
	echo "FAIL: $1"
	cat "$dir/out"
	failed=1
}

# printed FILE ARGUMENT...: the ring in FILE, and all that its comments expect.
printed() {
	local file=$1
	shift
	grep -v '^#' "$file" >"$dir/text"
	timeout 20 "$dvfw" explain "$@" "$dir/text" >"$dir/out" 2>&1 || fail "$file $*: status $?"
	sed -n 's/^# expect //p' "$file" >"$dir/expect"
	[ -s "$dir/expect" ] || fail "$file expects nothing"
	while IFS= read -r regex; do
		grep -Eq -- "$regex" "$dir/out" || fail "$file $*: no line '$regex'"
	done <"$dir/expect"
	while IFS= read -r regex; do
		! grep -Eq -- "$regex" "$dir/out" || fail "$file $*: a line '$regex'"
	done < <(sed -n 's/^# without //p' "$file")
}

for transport in ud xrc eth dci; do
	printed "$data/$transport.txt" --kind=ring
	printed "$data/$transport.txt"
	sed '/^# expect .*transport +/d' "$data/$transport.txt" >"$dir/$transport"
	printed "$dir/$transport" --kind="ring-$transport"
	grep -q "^  transport  *$transport$" "$dir/out" || fail "--kind=ring-$transport"
	# The first WQE alone, and by decode.
	grep -v '^#' "$data/$transport.txt" | head -n 4 >"$dir/text"
	timeout 20 "$dvfw" explain --kind=wqe "$dir/text" >"$dir/out" || fail "$transport: a WQE"
	grep -q "^  transport  *$transport " "$dir/out" || fail "$transport: a WQE alone"
done
grep -v '^#' "$data/ud.txt" >"$dir/text"
timeout 20 "$dvfw" decode ring "$dir/text" >"$dir/out" || fail 'decode ring'
grep -Eq '^ *24 +dqpn +0x123456' "$dir/out" || fail 'decode ring: no address vector'
timeout 20 "$dvfw" decode ring-rc "$dir/text" >"$dir/out" || fail 'decode ring-rc'
! grep -q 'address vector' "$dir/out" || fail 'decode ring-rc: an address vector'
exit $failed
