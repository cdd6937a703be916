#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# Rules for testpmd, packets, and the queue that each has to reach, written by hand.
#
#	rules.py commands		the rules, a testpmd command a line
#	rules.py commands GROUP		the same in that group, to which rules of the groups below lead, and with counters
#	rules.py uncounted GROUP	the same without counters
#	rules.py queries GROUP		the commands that ask for these counters
#	rules.py counts FILE		testpmd's answers: has each rule counted its packets?
#	rules.py packets FILE		the packets, as a capture; the last byte of the source address is the number
#	rules.py check FILE		testpmd's output (set verbose 1): is every packet in its queue?
import logging
import re
import sys
logging.getLogger('scapy').setLevel(logging.ERROR)
from scapy.all import Dot1Q, Ether, GRE, IP, IPv6, Raw, TCP, UDP, wrpcap
from scapy.layers.vxlan import VXLAN

TO = '02:c5:c0:a8:00:02'
DROP = -1


def eth(**more):
    return Ether(dst=TO, **more)


def ip(**more):
    return IP(**{'src': '10.1.1.1', 'dst': '10.9.9.9', **more})


def ip6(**more):
    return IPv6(**{'src': 'fd00::1', 'dst': 'fd00::99', **more})


# rule (priority 1 unless it says another), and packets with their queues
RULES = [
    ('eth / ipv4 dst is 10.0.0.1 / end actions queue index 1 / end',
     [(eth() / ip(dst='10.0.0.1') / UDP(), 1)]),
    ('eth / ipv4 src is 10.0.0.2 / end actions queue index 2 / end',
     [(eth() / ip(src='10.0.0.2') / TCP(), 2)]),
    ('eth / ipv4 dst spec 10.2.0.0 dst prefix 16 / end actions queue index 3 / end',
     [(eth() / ip(dst='10.2.3.4') / UDP(), 3), (eth() / ip(dst='10.2.255.255'), 3)]),
    ('eth / ipv4 / udp dst is 2001 / end actions queue index 1 / end',
     [(eth() / ip() / UDP(dport=2001), 1)]),
    ('eth / ipv4 / udp src is 2002 / end actions queue index 2 / end',
     [(eth() / ip() / UDP(sport=2002, dport=9), 2)]),
    ('eth / ipv4 / tcp dst is 2003 / end actions queue index 3 / end',
     [(eth() / ip() / TCP(dport=2003), 3)]),
    ('eth / ipv4 / tcp src is 2004 / end actions queue index 1 / end',
     [(eth() / ip() / TCP(sport=2004), 1)]),
    ('eth / ipv4 proto is 47 dst is 10.0.0.5 / end actions queue index 2 / end',
     [(eth() / ip(dst='10.0.0.5') / GRE() / IP(dst='1.1.1.1'), 2)]),
    ('eth / ipv6 dst is fd00::6 / end actions queue index 3 / end',
     [(eth() / ip6(dst='fd00::6') / UDP(), 3)]),
    ('eth / ipv6 src is fd00::7 / end actions queue index 1 / end',
     [(eth() / ip6(src='fd00::7') / TCP(), 1)]),
    ('eth / ipv6 / udp dst is 2008 / end actions queue index 2 / end',
     [(eth() / ip6() / UDP(dport=2008), 2)]),
    ('eth / ipv6 / tcp dst is 2009 / end actions queue index 3 / end',
     [(eth() / ip6() / TCP(dport=2009), 3)]),
    ('eth src is 02:00:00:00:02:0a / ipv4 / end actions queue index 1 / end',
     [(eth(src='02:00:00:00:02:0a') / ip() / UDP(), 1)]),
    ('eth type is 0x88b5 / end actions queue index 2 / end',
     [(eth(type=0x88b5) / Raw(b'x'), 2)]),
    ('eth / vlan vid is 12 / ipv4 / end actions queue index 3 / end',
     [(eth() / Dot1Q(vlan=12, prio=5) / ip() / UDP(), 3)]),
    ('eth / ipv4 dst is 10.0.0.13 / udp dst is 2013 src is 2014 / end actions queue index 1 / end',
     [(eth() / ip(dst='10.0.0.13') / UDP(dport=2013, sport=2014), 1)]),
    ('eth / ipv4 dst is 10.0.0.14 / end actions drop / end',
     [(eth() / ip(dst='10.0.0.14') / UDP(), DROP)]),
    ('eth / ipv6 dst is fd00::f / end actions drop / end',
     [(eth() / ip6(dst='fd00::f') / UDP(), DROP)]),
    ('eth / ipv4 / udp / vxlan vni is 16 / end actions queue index 3 / end',
     [(eth() / ip() / UDP(sport=7, dport=4789) / VXLAN(vni=16) / Ether() / IP(), 3)]),
    ('eth / ipv4 / udp / vxlan / eth / ipv4 dst is 10.0.0.17 / end actions queue index 1 / end',
     [(eth() / ip() / UDP(sport=7, dport=4789) / VXLAN(vni=1) / Ether() / IP(dst='10.0.0.17'), 1)]),
    ('eth / ipv4 tos is 0x48 / end actions queue index 2 / end',
     [(eth() / ip(tos=0x48) / UDP(), 2)]),
    ('eth / ipv4 dst is 10.0.0.19 / end actions mark id 99 / queue index 3 / end',
     [(eth() / ip(dst='10.0.0.19') / UDP(), 3)]),
]


def packets():
    number = 0
    for rule, cases in RULES:
        for packet, queue in cases:
            number += 1
            packet = packet.copy()
            if not packet[Ether].src.startswith('02:00:00:00:02'):
                packet[Ether].src = '02:00:00:00:01:%02x' % number
            yield number, packet, queue, rule


def commands(group, counted=True):
    for below in range(group or 0):
        print('flow create 0 ingress group %d priority 0 pattern eth / end actions jump group %d / end' % (below, below + 1))
    for rule, _ in RULES:
        if group is not None and counted:
            rule = rule.replace('actions ', 'actions count / ')
        print('flow create 0 ingress %spriority 1 pattern %s' % ('group %d ' % group if group else '', rule))


def counts(path):
    hits = [int(n) for n in re.findall(r'\bhits: (\d+)', open(path).read())]
    sent = [len(cases) for _, cases in RULES]
    if hits != sent:
        print('counted: %s, not %s' % (hits, sent))
    return hits != sent


def check(path):
    text = open(path).read().lower()
    seen = {}
    # The prompt may be in between.
    for part in text.split(' src=')[1:]:
        queue = re.search(r'receive queue=0x([0-9a-f]+)', part)
        seen.setdefault(part[:17], []).append(int(queue.group(1), 16) if queue else None)
    failed = 0
    for number, packet, queue, rule in packets():
        got = seen.get(packet[Ether].src, [])
        if got != ([] if queue == DROP else [queue]):
            print('packet %d: queues %s, not %d: %s' % (number, got, queue, rule))
            failed += 1
    if 'id=0x63' not in text:
        print('no packet has mark 99')
        failed += 1
    print('%d rules, %d packets, %d wrong' % (len(RULES), number, failed))
    return failed != 0


def main():
    if sys.argv[1] == 'commands':
        commands(int(sys.argv[2]) if sys.argv[2:] else None)
    elif sys.argv[1] == 'uncounted':
        commands(int(sys.argv[2]), counted=False)
    elif sys.argv[1] == 'queries':
        for number in range(len(RULES)):
            print('flow query 0 %d count' % (number + int(sys.argv[2])))
    elif sys.argv[1] == 'counts':
        sys.exit(counts(sys.argv[2]))
    elif sys.argv[1] == 'packets':
        wrpcap(sys.argv[2], [bytes(p) for _, p, _, _ in packets()], linktype=1)
    else:
        sys.exit(check(sys.argv[2]))


main()
