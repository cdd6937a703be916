#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# flow create, list, query, destroy … in the shell, in scripts and in the foreground: rules lead packets to queues,
# counters count, numbers stay, errors have a place.
#
#	flow_rules.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2
port=02c5c0a80001 # the MAC of the port, made of 192.168.0.1

# on ARGUMENT...: dvfw on the emulator.
on() {
	emulated -- "$dvfw" "$@"
}

# script STATUS: the lines of standard input, as a script, of which "has" looks at standard output.
script() {
	expect_status "$1" on run -
	output=$work/out
}

# complains REGEX: a line of standard error.
complains() {
	has "$1" "$work/err"
}

# UDP from 10.0.0.1:1000 to 10.0.0.2, port 2000 and 2001, 60 bytes.
udp2000=${port}0200000000aa08004500002000010000401166ca0a0000010a00000203e807d0000c0759646174610000000000000000000000000000
udp2001=${udp2000/07d0/07d1}

# Two rules, one packet each; a third packet that no rule is for.
script 0 <<SCRIPT
flow create ingress pattern eth / ipv4 / udp dst is 2000 / end actions count / tag value 7 / queue index 1 / end
flow create --backend=devx ingress pattern eth / ipv4 / udp dst is 2001 / end actions count / queue index 2 / end
flow list
flow send $udp2000
flow send 0x0100000000020200000000aa08004500 $(printf '00%.0s' {1..44})
flow send ${udp2001:0:12} ${udp2001:12}
flow wait 2
flow query
flow queues
flow tables
flow dump $work/rules
SCRIPT
has '^rule 0 kernel: ingress pattern eth / ipv4 / udp dst is 2000 / end actions count / tag value 7 / queue index 1 / end$'
has '^rule 1 devx: ingress .* dst is 2001 '
has '^rule 0: 1 packets, 60 bytes$'
has '^rule 1: 1 packets, 60 bytes$'
has '^queue 1: .* 1 packets, 60 bytes, the latest with tag 0x7$'
has '^queue 2: .* 1 packets, 60 bytes$'
has '^queue 0: .* 0 packets'
has '^devx: table 0x[0-9a-f]+, NIC_RX, group 0, level [0-9]+, 65536 entries, 1 rules, 0 lead to it$'
has_lines 4 '^rule [01] '
[ "$(wc -l <"$work/rules")" = 2 ] || fail "a dump of two rules has two lines"

# The dump is a script. Numbers go on after rules were destroyed; the port of testpmd is taken.
{
	cat "$work/rules"
	echo "flow destroy 0"
	echo "flow create 0 ingress pattern eth / ipv6 / end actions drop / end"
	echo "flow destroy 0 rule 1"
	echo "flow list 0"
	echo "flow flush 0"
	echo "echo flushed"
	echo "flow list"
} >"$work/again"
script 0 <"$work/again"
has '^rule 2 kernel: ingress pattern eth / ipv6 / end actions drop / end$'
has_lines 4 '^rule' # three are created, one is left
[ "$(sed -n '/flushed/,$p' "$work/out" | wc -l)" = 1 ] || fail "flush leaves nothing"

# A destroyed rule takes no more packets: the next one does.
script 0 <<SCRIPT
flow create ingress pattern eth / ipv4 / udp dst is 2000 / end actions queue index 1 / end
flow create ingress priority 1 pattern eth / end actions count / queue index 3 / end
flow send $udp2000
flow wait 1
flow destroy 0
flow send $udp2000
flow wait 2
flow queues
flow query 0 1 count
SCRIPT
has '^queue 1: .* 1 packets'
has '^queue 3: .* 1 packets'
has '^rule 1: 1 packets'

# Objects of the session: a table, and a rule that leads to it.
script 0 <<SCRIPT
t = CREATE_FLOW_TABLE table_type=NIC_RX flow_table_context.level=70 flow_table_context.log_size=4
flow create ingress pattern eth / ipv4 / end actions devx_table id \$t / end
flow list
SCRIPT
has '^rule 0 kernel: .* devx_table id [0-9]+ / end$'

# Errors. A script ends at the first one, with its line.
script 1 <<SCRIPT
echo first
flow create ingress pattern eth / ipx / end actions drop / end
echo never
SCRIPT
has '^first$'
complains '^ingress pattern eth / <- here$'
complains '^standard input:2: no such item: ipx; expected: '
lacks never
script 1 <<SCRIPT
flow create ingress pattern eth / ipv4 proto is 6 / udp / end actions drop / end
SCRIPT
complains '^ingress pattern eth / ipv4 proto is 6 / <- here$'
complains 'udp: an item before it matches other packets only$'
# refuses STATUS REGEX LINE: a script of one line.
refuses() {
	script "$1" <<<"${*:3}"
	complains "$2"
}
refuses 1 'DPDK has this item, dvkit does not: pfcp; expected: void eth ' \
	flow create ingress pattern eth / pfcp / end actions drop / end
refuses 1 'there is no rule 5' flow destroy 5
refuses 1 "'x' is not the number of a rule" flow query x
refuses 1 "flow has no 'lisst'; did you mean 'list'" flow lisst
refuses 1 "no back end 'devvx'; did you mean 'devx'" flow create --backend=devvx ingress pattern eth / end actions drop / end
refuses 1 'kernel: the targets have no number 8' flow create ingress pattern eth / end actions queue index 8 / end
refuses 1 'kernel: group: .*devx: egress: .*dr: ' flow create egress group 1 pattern eth / end actions mark id 5 / drop / end
refuses 1 'neither hex digits nor a file' flow send no-such-file
refuses 1 'the packet has 3 bytes' flow send 010203
refuses 1 'which rule' flow create

# The packet from files: xxd, tcpdump -XX, hexdump -C, a capture.
xxd -r -p <<<"$udp2000" >"$work/frame"
xxd "$work/frame" >"$work/xxd"
{ echo "12:00:00.000000 IP 10.0.0.1.1000 > 10.0.0.2.2000: UDP, length 4"; xxd "$work/frame" | sed 's/^0000/\t0x/; s/: /:  /'; xxd "$work/frame" | sed 's/^0000/\t0x/; s/: /:  /; s/07d0/07d1/'; } >"$work/tcpdump"
hexdump -C "$work/frame" >"$work/hexdump" 2>/dev/null || od -A x -t x1z "$work/frame" >/dev/null
python3 - "$work" "$udp2000" "$udp2001" <<'PYTHON'
import struct, sys
with open(sys.argv[1] + "/two.pcap", "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for packet in map(bytes.fromhex, sys.argv[2:]):
        f.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
PYTHON
sent=6
script 0 <<SCRIPT
flow create ingress pattern eth / ipv4 / udp dst is 2000 / end actions queue index 1 / end
flow create ingress pattern eth / ipv4 / udp dst is 2001 / end actions queue index 2 / end
flow send $work/xxd
flow send $work/tcpdump
flow send $work/tcpdump:2
flow send $work/two.pcap
flow send $work/two.pcap:2
$([ -s "$work/hexdump" ] && echo "flow send $work/hexdump" || echo "flow send $work/xxd")
flow wait $sent
flow queues
SCRIPT
has '^queue 1: .* 4 packets, 240 bytes'
has '^queue 2: .* 2 packets, 120 bytes'
refuses 1 'the capture has no such packet' flow send "$work/two.pcap:3"

# The shell goes on after an error, and its status says so.
printf '%s
' "flow destroy 9" "flow create ingress pattern eth / end actions drop / end" "flow list" >"$work/lines"
expect_status 1 on shell <"$work/lines"
has_lines 2 '^rule 0 kernel'

# JSON.
printf '%s\n' "flow create ingress pattern eth / ipv4 / end actions count / queue index 0 / end" "flow list" "flow query 0" \
	"flow queues" "flow tables" | on --json run - >"$work/out" || fail "--json"
python3 - "$work/out" <<'PYTHON' || fail "--json is not what it should be"
import json, sys
text, values = open(sys.argv[1]).read().strip(), []
while text:
    value, end = json.JSONDecoder().raw_decode(text)
    values.append(value)
    text = text[end:].lstrip()
created, listed, query, queues, tables = values
assert listed == [created] and created["rule"] == 0 and created["backend"] == "kernel", created
assert created["text"].startswith("ingress pattern eth / ipv4 / end"), created
assert query == {"rule": 0, "packets": 0, "bytes": 0}, query
assert len(queues) == 8 and queues[3]["queue"] == 3 and tables == [], (queues, tables)
PYTHON

# In the foreground until SIGINT: the rules are there meanwhile, packets of another process come.
mkfifo "$work/pipe"
"$emu" --fabric "$fabric" -- "$dvfw" flow create ingress pattern eth / ipv4 / udp dst is 2000 / end \
	actions count / queue index 1 / end create "ingress pattern eth / ipv6 / end actions drop / end" >"$work/foreground" 2>"$work/pipe" &
job=$!
read -r line <"$work/pipe"
[ "$line" = "2 rules, until ^C" ] || fail "the foreground says '$line'"
printf 'flow send %s\n' "$udp2000" "$udp2000" |
	emulated --ip 192.168.0.2 -- "$dvfw" run - || fail "the other process sends"
kill -INT $job
wait $job
status=$?
[ $status = 0 ] || fail "SIGINT ends the foreground with status $status"
output=$work/foreground
has '^rule 0 kernel: ingress pattern eth / ipv4 / udp dst is 2000 / end actions count / queue index 1 / end$'
has '^rule 1 kernel: ingress pattern eth / ipv6 / end actions drop / end$'
has '^rule 0: 2 packets, 120 bytes$'
has '^queue 1: .* 2 packets, 120 bytes$'

# It refuses before it waits.
expect_status 1 on flow create ingress pattern eth / end actions queue index 99 / end
complains 'the targets have no number 99'
expect_status 2 "$dvfw" flow list
complains "flow list: in 'dvfw shell' and 'dvfw run'"
