#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw flow: the canonical text, criteria, value and mask of a rule; errors have a place; a device is asked.
#
#	flow.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2

rule='ingress pattern eth / ipv4 dst is 10.0.0.1 / udp / vxlan vni is 5 / end actions drop / end'
# shellcheck disable=SC2086 # the words of the rule
expect_output 0 "^rule     $rule\$" "$dvfw" flow flow create 0 $rule
has '^criteria 0x03 outer_headers misc_parameters$'
has '^value .*outer_headers\.ip_protocol=0x11.*outer_headers\.udp_dport=0x12b5.*misc_parameters\.vxlan_vni=0x5'
has '^mask .*outer_headers\.udp_dport=0xffff.*misc_parameters\.vxlan_vni=0xffffff'
expect_output 0 '^rule ' "$dvfw" flow "$rule"
expect_output 2 'no such field: dest; expected: .*src dst /' "$dvfw" flow ingress pattern ipv4 dest is 1.2.3.4 / end actions end
has '^ingress pattern ipv4 <- here$'
expect_output 2 'udp: it follows ipv4 or ipv6' "$dvfw" flow ingress pattern udp / end actions end
expect_output 2 'ipv6: eth type leads to another header: 0x800' "$dvfw" flow ingress pattern eth type is 0x0800 / ipv6 / end actions end
has '^ingress pattern eth type is 0x0800 / <- here$'
expect_output 2 'which rule' "$dvfw" flow
expect_output 0 '"criteria": 3' "$dvfw" flow --json "$rule"
"$dvfw" flow --json "$rule" | python3 -c '
import json, sys
o = json.load(sys.stdin)
assert len(o["value"]) == 1024 and o["value"][2 * 0x1c + 4:2 * 0x1c + 8] == "12b5", o
' || fail "--json is not what it should be"
expect_output 0 '^rule ' emulated -- "$dvfw" flow --device "$rule"

# A device without one of the fields.
emulated --device cx7 -- "$dvfw" caps --json >"$work/cx7.json" || fail "caps --json"
python3 - "$work/cx7.json" <<'PYTHON' || fail "the dump has no such field"
import json, sys
dump = json.load(open(sys.argv[1]))
current = dump["caps"]["FLOW_TABLE"]["current"]
field = "flow_table_properties_nic_receive.ft_field_support.outer_dip"
assert current[field] == 1
current[field] = 0
json.dump(dump, open(sys.argv[1], "w"))
PYTHON
expect_output 1 'capability outer_dip' emulated --device "$work/cx7.json" -- \
	"$dvfw" flow --device "$rule"

# Its tables are smaller than what mlx5_core asks for.
sed -i 's/\("flow_table_properties_nic_receive.log_max_ft_size": \)[0-9]*/\110/' "$work/cx7.json"
grep -q 'nic_receive.log_max_ft_size": 10,' "$work/cx7.json" || fail "the dump has no size of tables"
emulated --device "$work/cx7.json" -- "$dvfw" run - >"$work/out" 2>&1 <<'SCRIPT' || fail "a rule"
flow create --backend=devx ingress pattern eth src is 2:0:0:0:0:1 / end actions drop / end
flow tables
SCRIPT
has ', 1024 entries, 1 rules'
