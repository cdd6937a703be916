#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw rscdump: the menu, a dump, what is not there. That of a QP: test/e2e/emu/fwctl_passes_what_the_driver_passes.c.
#
#	rscdump.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
# Types and names are those of the menu in mlx5ctl's README.
says 0 '^0x4030  PRM_QUERY_MKEY   MKEY_IDX$' -d fwctl0 rscdump
says 0 '^0x4008  QUERY_VNIC_ENV$' rscdump 0xffff
says 0 '"name": "PRM_QUERY_CQ"' --json rscdump
says 0 '^segment 0x4008, index 0x0, 0x0, ' rscdump query_vnic_env
says 0 '^vport_env.cq_overrun = 0x0$' rscdump -a 0x4008
says 0 '^0000: 00000000 ' rscdump --hex QUERY_VNIC_ENV
says 0 '"vport_env.cq_overrun": 0' --json rscdump QUERY_VNIC_ENV
says 1 'BAD_PARAM.*a field is out of range' rscdump 2 1
says 1 'BAD_PARAM.*not emulated' rscdump --number=all QUERY_VNIC_ENV
says 1 'BAD_PARAM.*may not send the command' --via=devx rscdump
says 2 'TYPE, INDEX1 and INDEX2 are all' rscdump 1 2 3 4
