#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# values_have_one_home.sh accepts code that uses value.def and refuses second definitions of it.
set -eu
. "$(dirname "$0")/../lib/violations.sh"
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

mkdir -p "$tree/emu" "$tree/devx" "$tree/prm" "$tree/tools" "$tree/include/devx" "$tree/include/prm"
cp "$root/include/prm/value.def" "$root/include/prm/value_queue.def" "$tree/include/prm/"

# code RESULT WHAT: the C code on stdin.
code() {
	{ echo '#define LINES 80'; echo; cat; } >"$tree/emu/a.h"
	expect "$1" "$2" "$tree"
}

code accepted 'an alias of a value' <<'E'
enum fw_status { FW_OK = PRM_STATUS_OK, FW_BAD_OP = PRM_STATUS_BAD_OP };
E
code accepted 'an enum without numbers' <<'E'
enum service { SERVICE_RC, SERVICE_UC, SERVICE_UD };
E
code accepted 'a word of a value in another meaning' <<'E'
#define MTT_READ 1
E
code accepted 'the name of a value with another number' <<'E'
#define QP_STATE_RTS 4
E
code refused 'a #define with a word of the kind' <<'E'
#define WQ_CYCLIC 1
E
code refused 'a #define in hex with a suffix' <<'E'
#define EVENT_SRQ_LAST_WQE 0x13u
E
code refused 'two enumerators of one kind' <<'E'
enum {
	HCA_QPS_RTR = 2,
	HCA_QPS_RTS = 3,
};
E
code refused 'two enumerators in one line' <<'E'
enum { WRITE = 0, READ = 1 };
E
code refused 'two #defines together' <<'E'
#define ENABLE_RST 0
#define ENABLE_RDY 1
E
code accepted 'two #defines apart' <<'E'
#define ENABLE_RST 0

#define OTHER_RDY 1
E
code refused "a comment with the kernel's name" <<'E'
#define HASH_RDY 1 /* MLX5_RMPC_STATE_RDY */
E
