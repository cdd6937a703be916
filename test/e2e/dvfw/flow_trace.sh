#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# flow trace: the lines of a packet's way, and that the packet goes there.
#
#	flow_trace.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2

# on ARGUMENT...: dvfw on the emulator.
on() {
	emulated -- "$dvfw" "$@"
}

output=$work/out
# ends REGEX: the last line.
ends() {
	tail -1 "$work/out" | grep -Eq -- "$1" || fail "the last line is not '$1'"
}

# From 10.0.0.1:1000 to 10.0.0.2:2000, UDP; the same to another MAC, port 2001, TCP, and over IPv6.
rest=0200000000aa08004500002000010000401166ca0a0000010a00000203e807d0000c0759646174610000000000000000000000000000
udp=02c5c0a80001$rest
elsewhere=02c5c0a80009$rest
udp2001=${udp/07d0/07d1}
tcp=${udp/4011/4006}
udp6=02c5c0a800010200000000aa86dd60000000000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e807d0000c215764617461
rules='flow create ingress pattern eth / ipv4 / udp dst is 2000 / end actions count / tag value 7 / queue index 1 / end
flow create ingress pattern eth / ipv4 / tcp / end actions drop / end
flow create ingress pattern eth / ipv6 / end actions jump group 1 / end
flow create ingress group 1 pattern eth / ipv6 src is fd00::9 / end actions drop / end
flow create ingress group 1 pattern eth / ipv6 / udp / end actions set_ttl ttl_value 9 / queue index 3 / end'

# way WORD...: of a packet, with these rules.
way() {
	{
		echo "$rules"
		echo "echo --"
		echo "flow trace $*"
	} | on run - >"$work/all" 2>&1 || fail "trace $*"
	sed '1,/^--$/d' "$work/all" >"$work/out"
}

way "$udp"
has '^packet: 60 bytes, outer_headers\.smac_47_16=0x2000000 .*outer_headers\.udp_dport=0x7d0'
has '^table 0x[0-9a-f]+, NIC_RX, level [0-9]+, 3 entries$'
has '^  entry [0-9]+, rule 0: yes: .*count, counter 0x[0-9a-f]+, tag 0x7$'
has '^  to TIR 0x[0-9a-f]+$'
ends '^arrives in queue 1, RQ 0x[0-9a-f]+ of TIR 0x[0-9a-f]+$'

way "$udp2001"
has '^  entry [0-9]+, rule 0: no, outer_headers\.udp_dport is 0x7d1, not 0x7d0$'
has '^  entry [0-9]+, rule 1: no, outer_headers\.ip_protocol is 0x11, not 0x6$'
has '^  entry [0-9]+, rule 2: no, outer_headers\.ip_version is 0x4, not 0x6$'
has '^  no entry matches$'
ends '^dropped: the default of NIC_RX$'

way "${tcp:0:40}" "${tcp:40}"
has ', rule 0: no, outer_headers\.ip_protocol is 0x6, not 0x11$'
ends '^dropped: by the entry$'

way "$udp6"
has '^  to flow table 0x[0-9a-f]+$'
has '^  entry [0-9]+, rule 3: no, outer_headers\.src_ipv6 is fd00::1, not fd00::9$'
has '^  entry [0-9]+, rule 4: yes: .*modify headers$'
has '^  becomes: 66 bytes, .*outer_headers\.ttl_hoplimit=0x9 '
ends '^arrives in queue 3,'

way "$elsewhere"
ends '^dropped: the destination MAC is not that of the port$'
way any "$elsewhere"
ends '^arrives in queue 1,'

# Packets to the own port return; to another one it leaves.
way tx "$udp"
has '^leaves the port$'
has '^it is for this port, too, and comes back:$'
ends '^arrives in queue 1,'
way tx "$elsewhere"
ends '^leaves the port$'

# The packet goes there, and the counters count it, not the question.
{
	echo "$rules"
	echo "flow trace $udp"
	echo "flow trace tx $udp6"
	echo "flow query 0"
	echo "flow send $udp"
	echo "flow send $udp6"
	echo "flow wait 2"
	echo "flow query 0"
	echo "flow queues"
} | on run - >"$work/out" 2>&1 || fail "trace and send"
[ "$(grep '^rule 0: ' "$work/out" | tr '\n' ' ')" = "rule 0: 0 packets, 0 bytes rule 0: 1 packets, 60 bytes " ] ||
	fail "a question is counted"
has '^queue 1: .* 1 packets'
has '^queue 3: .* 1 packets'

# Tables that software writes: what each entry on the way compares.
{
	echo 'flow create --backend=dr ingress pattern eth / end actions jump group 1 / end'
	echo 'flow create --backend=dr ingress group 1 pattern eth / ipv4 / udp dst is 2000 / end actions set_ttl ttl_value 9 / queue index 2 / end'
	echo "flow trace $udp"
	echo "flow trace $udp2001"
} >"$work/script"
for device in cx5 cx6dx; do
	emulated --device $device -- "$dvfw" run "$work/script" >"$work/out" 2>&1 || fail "trace of dr on $device"
	has '^  STE 0x40[0-9a-f]+, lookup 0x0[04]0f: yes, as every packet$'
	has '^  STE 0x40[0-9a-f]+, (lookup 0x0020|match definer 0x10): yes, .*l4_dport is 0x7d0'
	has '^  becomes: 60 bytes, .*outer_headers\.ttl_hoplimit=0x9 '
	has '^arrives in queue 2,'
	has '^  STE 0x40[0-9a-f]+, (lookup 0x0020|match definer 0x10): no, l4_dport is 0x7d1, not 0x7d0$'
	ends '^dropped: '
done

# The same lines of any program: dvkit-emu --trace=steer.
{
	echo "$rules"
	echo "flow send $udp6"
	echo "flow send $elsewhere"
	echo "flow send $udp"
	echo "flow wait 2"
} >"$work/script"
emulated --trace=steer --trace-file="$work/out" -- "$dvfw" run "$work/script" >"$work/all" 2>&1 ||
	fail "--trace=steer"
has '^\[[0-9]+\] steer    NIC_RX packet of 66 bytes: .*outer_headers\.ip_version=0x6'
has '^\[[0-9]+\] steer    NIC_RX table 0x[0-9a-f]+ level [0-9]+: entry [0-9]+ matches .*ip_protocol=0x11 outer_headers\.ip_version=0x6: .*modify headers$'
has '^\[[0-9]+\] steer    NIC_RX becomes a packet of 66 bytes: .*ttl_hoplimit=0x9'
ends '^\[[0-9]+\] steer    NIC_RX to TIR 0x[0-9a-f]+, RQ 0x[0-9a-f]+$'

# On the command line; JSON.
on flow trace "$udp" create ingress pattern eth / end actions queue index 6 / end >"$work/out" || fail "flow trace"
ends '^arrives in queue 6,'
on flow trace "$udp" >"$work/out" || fail "flow trace without a rule"
ends '^dropped: the default of NIC_RX$'
printf 'flow create %s\nflow trace %s\n' "ingress pattern eth / ipv6 / end actions drop / end" "$udp" |
	on --json run - >"$work/out" || fail "--json"
python3 - "$work/out" <<'PYTHON' || fail "--json is not what it should be"
import json, sys
text, values = open(sys.argv[1]).read().strip(), []
while text:
    value, end = json.JSONDecoder().raw_decode(text)
    values.append(value)
    text = text[end:].lstrip()
steps = values[1]
assert [s["did"] for s in steps] == ["root", "other", "miss", "drop"], steps
other = steps[1]
assert (other["rule"], other["field"], other["packet"], other["value"]) == \
    ("0", "outer_headers.ip_version", "0x4", "0x6"), other
PYTHON
expect_output 2 'the packet has 2 bytes; an Ethernet header has 14' on flow trace 0102
