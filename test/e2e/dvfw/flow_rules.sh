#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# flow create, list, query, destroy … in the shell, in scripts and in the foreground: rules lead packets to queues,
# counters count, numbers stay, errors have a place.
#
#	flow_rules.sh LAUNCHER DVFW
set -u
emu=$1 dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
port=02c5c0a80001 # the MAC of the port, made of 192.168.0.1

fail() {
	echo "FAIL: $*"
	failed=1
}

# emulated ARGUMENT...: dvfw on a separate fabric.
emulated() {
	timeout 60 "$emu" --fabric "dvfw-rules-$$" -- "$dvfw" "$@"
}

# script STATUS: the lines of standard input, as a script; its output is in $dir/out.
script() {
	emulated run - >"$dir/out" 2>"$dir/err"
	local status=$?
	[ $status = "$1" ] || { fail "status $status, not $1"; cat "$dir/out" "$dir/err"; }
}

# says REGEX, complains REGEX: a line of the output, of standard error.
says() {
	grep -Eq -- "$1" "$dir/out" || { fail "no line '$1' in"; cat "$dir/out"; }
}
complains() {
	grep -Eq -- "$1" "$dir/err" || { fail "no error '$1' in"; cat "$dir/err"; }
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
flow dump $dir/rules
SCRIPT
says '^rule 0 kernel: ingress pattern eth / ipv4 / udp dst is 2000 / end actions count / tag value 7 / queue index 1 / end$'
says '^rule 1 devx: ingress .* dst is 2001 '
says '^rule 0: 1 packets, 60 bytes$'
says '^rule 1: 1 packets, 60 bytes$'
says '^queue 1: .* 1 packets, 60 bytes, the latest with tag 0x7$'
says '^queue 2: .* 1 packets, 60 bytes$'
says '^queue 0: .* 0 packets'
says '^devx: table 0x[0-9a-f]+, NIC_RX, group 0, level [0-9]+, 65536 entries, 1 rules, 0 lead to it$'
[ "$(grep -c '^rule [01] ' "$dir/out")" = 4 ] || fail "created and listed are two rules"
[ "$(wc -l <"$dir/rules")" = 2 ] || fail "a dump of two rules has two lines"

# The dump is a script. Numbers go on after rules were destroyed; the port of testpmd is taken.
{
	cat "$dir/rules"
	echo "flow destroy 0"
	echo "flow create 0 ingress pattern eth / ipv6 / end actions drop / end"
	echo "flow destroy 0 rule 1"
	echo "flow list 0"
	echo "flow flush 0"
	echo "echo flushed"
	echo "flow list"
} >"$dir/again"
script 0 <"$dir/again"
says '^rule 2 kernel: ingress pattern eth / ipv6 / end actions drop / end$'
[ "$(grep -c '^rule' "$dir/out")" = 4 ] || { fail "three are created, one is left"; cat "$dir/out"; }
[ "$(sed -n '/flushed/,$p' "$dir/out" | wc -l)" = 1 ] || fail "flush leaves nothing"

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
says '^queue 1: .* 1 packets'
says '^queue 3: .* 1 packets'
says '^rule 1: 1 packets'

# What the session made: a table, and a rule that leads to it.
script 0 <<SCRIPT
t = CREATE_FLOW_TABLE table_type=NIC_RX flow_table_context.level=70 flow_table_context.log_size=4
flow create ingress pattern eth / ipv4 / end actions devx_table id \$t / end
flow list
SCRIPT
says '^rule 0 kernel: .* devx_table id [0-9]+ / end$'

# Errors. A script ends at the first one, with its line.
script 1 <<SCRIPT
echo first
flow create ingress pattern eth / ipx / end actions drop / end
echo never
SCRIPT
says '^first$'
complains '^ingress pattern eth / <- here$'
complains '^standard input:2: no such item: ipx; expected: '
grep -q never "$dir/out" && fail "the script goes on"
script 1 <<SCRIPT
flow create ingress pattern eth / ipv4 proto is 6 / udp / end actions drop / end
SCRIPT
complains '^ingress pattern eth / ipv4 proto is 6 / <- here$'
complains 'udp: an item before it matches other packets only$'
refuses() {
	local status=$1 message=$2
	shift 2
	emulated run - <<<"$*" >"$dir/out" 2>"$dir/err"
	[ $? = "$status" ] || fail "$*: not refused"
	complains "$message"
}
refuses 1 'DPDK has this item, dvkit does not: pfcp; expected: void eth ' \
	flow create ingress pattern eth / pfcp / end actions drop / end
refuses 1 'there is no rule 5' flow destroy 5
refuses 1 "'x' is not the number of a rule" flow query x
refuses 1 "flow has no 'lisst'; did you mean 'list'" flow lisst
refuses 1 "no back end 'devvx'; did you mean 'devx'" flow create --backend=devvx ingress pattern eth / end actions drop / end
refuses 1 'kernel: the targets have no number 8' flow create ingress pattern eth / end actions queue index 8 / end
refuses 1 'kernel: group: .*devx: egress: .*dr: ' flow create egress group 1 pattern eth / end actions drop / end
refuses 1 'neither hex digits nor a file' flow send no-such-file
refuses 1 'the packet has 3 bytes' flow send 010203
refuses 1 'which rule' flow create

# The packet from files: xxd, tcpdump -XX, hexdump -C, a capture.
xxd -r -p <<<"$udp2000" >"$dir/frame"
xxd "$dir/frame" >"$dir/xxd"
{ echo "12:00:00.000000 IP 10.0.0.1.1000 > 10.0.0.2.2000: UDP, length 4"; xxd "$dir/frame" | sed 's/^0000/\t0x/; s/: /:  /'; xxd "$dir/frame" | sed 's/^0000/\t0x/; s/: /:  /; s/07d0/07d1/'; } >"$dir/tcpdump"
hexdump -C "$dir/frame" >"$dir/hexdump" 2>/dev/null || od -A x -t x1z "$dir/frame" >/dev/null
python3 - "$dir" "$udp2000" "$udp2001" <<'PYTHON'
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
flow send $dir/xxd
flow send $dir/tcpdump
flow send $dir/tcpdump:2
flow send $dir/two.pcap
flow send $dir/two.pcap:2
$([ -s "$dir/hexdump" ] && echo "flow send $dir/hexdump" || echo "flow send $dir/xxd")
flow wait $sent
flow queues
SCRIPT
says '^queue 1: .* 4 packets, 240 bytes'
says '^queue 2: .* 2 packets, 120 bytes'
refuses 1 'the capture has no such packet' flow send "$dir/two.pcap:3"

# The shell goes on after an error, and its status says so.
printf '%s\n' "flow destroy 9" "flow create ingress pattern eth / end actions drop / end" "flow list" |
	emulated shell >"$dir/out" 2>"$dir/err"
[ $? = 1 ] || fail "the shell has status 1 after an error"
[ "$(grep -c '^rule 0 kernel' "$dir/out")" = 2 ] || fail "the shell goes on"

# JSON.
printf '%s\n' "flow create ingress pattern eth / ipv4 / end actions count / queue index 0 / end" "flow list" "flow query 0" \
	"flow queues" "flow tables" | emulated --json run - >"$dir/out" || fail "--json"
python3 - "$dir/out" <<'PYTHON' || fail "--json is not what it should be"
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
mkfifo "$dir/pipe"
"$emu" --fabric "dvfw-rules-$$" -- "$dvfw" flow create ingress pattern eth / ipv4 / udp dst is 2000 / end \
	actions count / queue index 1 / end create "ingress pattern eth / ipv6 / end actions drop / end" >"$dir/foreground" 2>"$dir/pipe" &
job=$!
read -r line <"$dir/pipe"
[ "$line" = "2 rules, until ^C" ] || fail "the foreground says '$line'"
printf 'flow send %s\n' "$udp2000" "$udp2000" |
	timeout 60 "$emu" --fabric "dvfw-rules-$$" --ip 192.168.0.2 -- "$dvfw" run - || fail "the other process sends"
kill -INT $job
wait $job
status=$?
[ $status = 0 ] || fail "SIGINT ends the foreground with status $status"
cp "$dir/foreground" "$dir/out"
says '^rule 0 kernel: ingress pattern eth / ipv4 / udp dst is 2000 / end actions count / queue index 1 / end$'
says '^rule 1 kernel: ingress pattern eth / ipv6 / end actions drop / end$'
says '^rule 0: 2 packets, 120 bytes$'
says '^queue 1: .* 2 packets, 120 bytes$'

# It refuses before it waits.
emulated flow create ingress pattern eth / end actions queue index 99 / end >"$dir/out" 2>"$dir/err"
[ $? = 1 ] || fail "a rule that cannot be"
complains 'the targets have no number 99'
"$dvfw" flow list >"$dir/out" 2>"$dir/err"
[ $? = 2 ] || fail "flow list on the command line"
complains "flow list: in 'dvfw shell' and 'dvfw run'"
exit $failed
