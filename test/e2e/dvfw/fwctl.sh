#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw through fwctl: the same answers as through DevX, objects of the kernel, and refusals that say what to do.
#
#	fwctl.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
run() {
	emulated "${device[@]}" -- "$dvfw" "$@"
}

# same ARGUMENT...: by both ways
same() {
	run --via=devx "$@" >"$work/devx" 2>&1
	run --via=fwctl "$@" >"$work/out" 2>&1
	expect_same "$work/out" "$work/devx"
}

device=()
same caps
same cmd QUERY_HCA_CAP op_mod=GENERAL
same cmd ACCESS_REGISTER_USER op_mod=1 register_id=PAOS local_port=1
says 0 '^register_data.reg\[0\].pmtu_reg.oper_mtu|oper_mtu' --via=fwctl cmd ACCESS_REG op_mod=1 \
	register_id=PMTU local_port=1
says 0 '"name": "fwctl0"' --json -d fwctl0 caps ROCE
says 0 '^eq +0x000001 +log_eq_size=0x' objects eq --number=4
says 0 '^none with a number from 0xffffff to 0xffffff:' objects tir --first=0xffffff --number=9
says 2 "'0' is not a number from 1 to 0x1000000" objects tir --number=0
says 2 "'0x1000000' is not a number from 0 to 0xffffff" objects tir --first=0x1000000
says 0 '^none with a number from 0x900000 to 0x900fff: --first and --number' objects tir --first=0x900000
says 0 '^\[' --json objects tir --first=0x900000
says 0 '^eq_context_entry.uar_page = ' -d fwctl0 cmd QUERY_EQ eq_number=1
says 1 'QUERY_QP: firmware: BAD_RES_STATE .0x9.' -d mlx5_0 --via=fwctl cmd QUERY_QP qpn=0xffffff
says 1 'log_cq_size=0x1e is more than GENERAL.log_max_cq_sz' --via=fwctl cmd --dry-run CREATE_CQ log_cq_size=30
says 1 'CREATE_CQ needs DevX' -d fwctl0 cmd --dry-run CREATE_CQ
says 1 'ALLOC_PD: the kernel will refuse this: through fwctl0' -d fwctl0 cmd ALLOC_PD
says 2 'op_mod=0 writes the register' -d fwctl0 cmd ACCESS_REG register_id=PAOS
says 1 'ACCESS_REG: firmware: BAD_PARAM.*can only be read' -d fwctl0 cmd --write ACCESS_REG register_id=PMTU \
	local_port=1
says 2 'SET_HCA_CAP changes the adapter' -d fwctl0 cmd SET_HCA_CAP
says 2 'by DevX: --via=fwctl' --via=devx objects
says 2 "no objects 'qx' .*did you mean 'qp'" objects qx
says 2 "'0x1000001' is not a number" objects --number=0x1000001
says 2 "--via is devx or fwctl, not 'verbs'" --via=verbs caps

# the second function of a DPU has its own device
device=(--device bf3)
says 0 '^eq +0x000001' -d mlx5_1 objects eq --number=4
says 0 '"name": "fwctl1"' -d mlx5_1 --via=fwctl --json caps ROCE
