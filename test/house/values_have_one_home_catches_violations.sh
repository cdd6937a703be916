#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# values_have_one_home.sh accepts code that uses value.def and refuses second definitions of it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${1:-$here/../..}" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

mkdir -p "$tree/emu" "$tree/devx" "$tree/prm" "$tree/tools" "$tree/include/devx" "$tree/include/prm"
cp "$root/include/prm/value.def" "$root/include/prm/value_queue.def" "$tree/include/prm/"

# expect accepted|refused WHAT: the C code on stdin.
expect() {
	{ echo '#define LINES 80'; echo; cat; } >"$tree/emu/a.h"
	if out=$("$here/values_have_one_home.sh" "$tree"); then
		result=accepted
	else
		result=refused
	fi
	if [ "$result" != "$1" ]; then
		echo "$2 was $result: $out"
		failures=1
	fi
}

expect accepted 'an alias of a value' <<'E'
enum fw_status { FW_OK = PRM_STATUS_OK, FW_BAD_OP = PRM_STATUS_BAD_OP };
E
expect accepted 'an enum without numbers' <<'E'
enum service { SERVICE_RC, SERVICE_UC, SERVICE_UD };
E
expect accepted 'a word of a value in another meaning' <<'E'
#define MTT_READ 1
E
expect accepted 'the name of a value with another number' <<'E'
#define QP_STATE_RTS 4
E
expect refused 'a #define with a word of the kind' <<'E'
#define WQ_CYCLIC 1
E
expect refused 'a #define in hex with a suffix' <<'E'
#define EVENT_SRQ_LAST_WQE 0x13u
E
expect refused 'two enumerators of one kind' <<'E'
enum {
	HCA_QPS_RTR = 2,
	HCA_QPS_RTS = 3,
};
E
expect refused 'two enumerators in one line' <<'E'
enum { WRITE = 0, READ = 1 };
E
expect refused 'two #defines together' <<'E'
#define ENABLE_RST 0
#define ENABLE_RDY 1
E
expect accepted 'two #defines apart' <<'E'
#define ENABLE_RST 0

#define OTHER_RDY 1
E
expect refused "a comment with the kernel's name" <<'E'
#define HASH_RDY 1 /* MLX5_RMPC_STATE_RDY */
E
exit $failures
