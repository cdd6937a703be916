#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# flow dump FILE: what libmlx5 writes of its tables, and files that are not that.
#
#	dr_dump.sh LAUNCHER DVFW PROGRAM	PROGRAM makes tables and writes mlx5dv_dump_dr_domain()
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2 program=$3

# shows FILE: without the numbers that libmlx5 and the device chose.
shows() {
	"$dvfw" flow dump "$1" 2>&1 | sed -E 's/, libmlx5.*//; s/(lookups|count|number|list|argument) 0x[^ ]*( \(match.*| *0x.*)?/\1 N/'
}

cat >"$work/expected" <<'END'
NIC_RX of uverbs0
  table of level 1
    priority 0: outer_headers.ip_protocol=0xff outer_headers.ip_version=0x4 outer_headers.udp_dport=0xffff
      lookups N
      rule of ENTRIES: count N / tag value 0x123 / jump level 2
    priority 1: outer_headers.ip_version=0x4 outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4=0xff000000
      lookups N
      rule of ENTRIES: CHANGES / jump level 2
      rule of ENTRIES: drop
  table of level 2
    priority 0: all packets
      lookups N
      rule of 1 entry: qp number N
END
# From 56 on libmlx5 says what a list of changes is.
for device in cx5 cx6dx; do
	emulated --device $device -- "$program" >"$work/$device" || fail "the program on $device"
	entries='1 entry'
	[ $device != cx5 ] || entries='2 entries'
	shows "$work/$device" >"$work/out"
	sed "s/ENTRIES/$entries/; s/CHANGES/change headers, list N/" "$work/expected" | diff - "$work/out" ||
		sed "s/ENTRIES/$entries/; s/CHANGES/2 changes of headers, argument N/" "$work/expected" | diff - "$work/out" ||
		fail "the tables on $device"
done

# A domain of 56 by hand, the tables not in the order of their levels: a table of the e-switch, a mask with all parts,
# of which the last dword of misc5 has no name; what DPDK adds about a counter.
zeros=$(printf '%0120d' 0)
cat >"$work/by_hand" <<END
3000,0x1,2,01,1,56.0,mlx5_0,0,1,1,0,2
3002,0x1,0,28.40.1000,0
3100,0x20,0x1,4,9
3100,0x30,0x1,4,3
3101,0x30,0x7
3102,0x30,0x8
3200,0x40,0x30,5
3205,0x40,ffffffff$zeros,${zeros}ffffffff,01000000$zeros,${zeros}00000000,ffffff00$zeros,${zeros}00000000,${zeros}01000000
3202,0x41,0x40,1,0x1,0x2,-1
3204,0x40,0,1,0x3,-1
3203,0x42,0x40,1,0x1,0x2,4
3204,0x40,0,0,0x410,22
3300,0x50,0x40
3303,0x1,0x50,$(printf '%0128d' 0)
3304,0x1,0x50,$(printf '%096d' 0)
3402,0x60,0x50,0x2,0,0x1,0x3,0x9,0x060e280800000009
3406,0x61,0x50,0x10
3405,0x62,0x50,0x1,0x20
3408,0x63,0x50,0xffff
4430,0x61,7,700
END
"$dvfw" flow dump - <"$work/by_hand" >"$work/out" || fail 'by hand'
cat >"$work/expected" <<'END'
FDB of mlx5_0, libmlx5 56.0, entries of format 2
  table of level 3
    priority 5: outer_headers.smac_47_16=0xffffffff misc_parameters.gre_c_present=0x1 inner_headers.dst_ipv4_dst_ipv6=0x000000000000000000000000ffffffff misc_parameters_3.inner_tcp_seq_num=0xffffff and bits without a name
      lookups 0x0003, 0x0410 (match definer of format 22)
      rule of 2 entries: 1 change of headers, argument 0x9 / count 0x10 (7 packets, 700 bytes) / jump level 9 / vport 0xffff
  table of level 9
END
diff "$work/expected" "$work/out" || fail 'other tables than by hand'
"$dvfw" --json flow dump "$work/by_hand" | python3 -c '
import json, sys
[domain] = json.load(sys.stdin)
assert [t["level"] for t in domain["tables"]] == [3, 9], domain
[matcher] = domain["tables"][0]["matchers"]
assert matcher["lookups"][1] == {"number": 0x410, "receive": False, "definer format": 22}, matcher
assert matcher["rules"][0]["actions"][1]["counted"] == {"packets": 7, "bytes": 700}, matcher' || fail '--json'

# refuses LINE REASON SED: the file by hand after SED, at that line.
refuses() {
	sed -E "$3" "$work/by_hand" >"$work/bad"
	expect_output 1 "^dvfw: $work/bad:$1: $2" "$dvfw" flow dump "$work/bad"
}
refuses 1 'a record begins with its number' '1s/^/x/'
refuses 1 'a record begins with its number' '1s/.*//'
refuses 1 'not the words of this record' '1s/,2,01/,two,01/'
refuses 1 'not the words of this record' '1s/$/,1/'
refuses 1 'there is no such type of tables' '1s/,2,01/,3,01/'
refuses 1 'there is no such type of tables' '1s/,2,01/,-1,01/'
refuses 3 'there is no such type of tables' '3s/,4,9/,99,9/'
refuses 2 'there is no such domain above it' '2s/0x1/0x2/'
refuses 3 'there is no such domain above it' '3s/,0x1,/,0x10,/'
refuses 7 'there is no such table above it' '7s/0x30/0x31/'
refuses 8 'a mask has seven parts' '8s/,[^,]*$//'
refuses 8 'a part of a mask is 64 bytes' '8s/ffffffff0/fffffff/'
refuses 10 'lookups of the matcher are missing' '10d'
refuses 10 'the matcher has fewer lookups' '9s/,1,/,0,/'
refuses 14 'an entry is 48 or 64 bytes' '14s/00$//'
refuses 14 'an entry of format 0 is 48 bytes' '14s/3303/3301/'
refuses 16 'not as many changes as it says' '16s/,0x06.*//'
refuses 17 'not the words of this action' '17s/,0x10//'
refuses 17 'there is no such rule above it' '17s/0x50/0x51/'
refuses 18 'a record of no known number' '18s/3405/3499/'
refuses 20 'the line is cut off' '$s/.*/&\x00/'
expect_output 1 'there is no domain in it' "$dvfw" flow dump /dev/null
expect_output 1 'No such file' "$dvfw" flow dump "$work/none"
expect_output 2 'flow dump FILE' "$dvfw" flow dump

# Cut off anywhere, it is refused with the line, or ends after a whole one.
size=$(stat -c %s "$work/by_hand")
for ((n = 1; n < size; n += 97)); do
	head -c $n "$work/by_hand" >"$work/bad"
	status=0
	"$dvfw" flow dump "$work/bad" >"$work/out" 2>&1 || status=$?
	[ "$(tail -c 1 "$work/bad")" = '' ] && [ $status = 0 ] && continue
	[ $status = 1 ] && grep -Eq "^dvfw: $work/bad:[0-9]+: " "$work/out" || fail "cut off after $n bytes: $status"
done
