#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# DPDK's flow-perf: makes rules as fast as it can and destroys them; the device has executed as many. No rate is
# checked.
#
#	flow_perf.sh DV_FLOW_EN RULES
. "$(dirname "$0")/../../../lib/pair.sh"

needs dpdk-test-flow-perf ip unshare
ls /usr/lib/*/dpdk/pmds-*/librte_net_mlx5.so* >/dev/null 2>&1 || skip "DPDK's mlx5 driver is not installed"
own_network "$@"

# entries COMMAND: how many the device executed; those of the driver itself are fewer than 64.
entries() {
	grep -A1 " $1  *in " "$work/fw" | grep -c " $1  *out  *OK"
}

emu_options=(--netdev dv0 --check --trace fw --trace-file "$work/fw")
alone dpdk-test-flow-perf --no-huge --file-prefix="dvkit-$$" -m 256 --no-telemetry -l 0,1 \
	-a "0000:03:00.0,dv_flow_en=$1" -- --ingress --group=0 --ether --ipv4 --queue \
	--rules-count="$2" --rules-batch="$2" --deletion-rate
grep -q "The time for creating $2 in rules" "$work/alone.log" || fail 'the rules were not created'
grep -q "The time for deleting $2 rules" "$work/alone.log" || fail 'the rules were not destroyed'
set=$(entries SET_FLOW_TABLE_ENTRY) deleted=$(entries DELETE_FLOW_TABLE_ENTRY)
echo "$2 rules: $set entries were set, $deleted deleted"
[ "$set" -ge "$2" ] && [ "$set" -lt $(($2 + 64)) ] || fail 'entries that were set'
[ "$deleted" = "$set" ] || fail 'entries that were deleted'
grep -q 'check: 0 findings' "$work/fw" || fail 'findings'
