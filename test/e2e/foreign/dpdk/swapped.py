#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# Packets for the two ports of a testpmd that swaps addresses and forwards them to the other port.
#
#	swapped.py packets FILE		the packets, as a capture; even ones are for the first port
#	swapped.py check FILE		a capture: was each of them sent back, in order, with its bytes?
import logging
import sys
logging.getLogger('scapy').setLevel(logging.ERROR)
from scapy.all import ARP, Dot1Q, Ether, IP, IPv6, Raw, RawPcapReader, TCP, UDP, wrpcap

PORTS = '02:c5:c0:a8:00:01', '02:d5:c0:a8:00:01'
COUNT = 60
HEADERS = (
    lambda n: IP(src='10.1.1.%d' % n, dst='10.9.9.9') / UDP(sport=n, dport=7),
    lambda n: Dot1Q(vlan=n) / IP(dst='10.2.2.2') / TCP(sport=n, flags='S'),
    lambda n: IPv6(dst='fd00::%x' % n) / TCP(seq=n),
    lambda n: ARP(pdst='10.3.3.%d' % n),
    lambda n: Dot1Q(type=0x88a8, vlan=n) / Dot1Q(vlan=9) / IPv6() / UDP(),
    lambda n: Raw(b'no header'),
)


def sender(number):
    return '02:00:00:00:01:%02x' % number


# Frames of port 0 or 1, with the addresses swapped or not; 60 bytes at least, which the device pads to.
def packets(port, swapped):
    for number in range(port, COUNT, 2):
        ends = PORTS[port], sender(number)
        dst, src = reversed(ends) if swapped else ends
        frame = Ether(dst=dst, src=src, type=0x88b5) if number % 6 == 5 else Ether(dst=dst, src=src)
        frame = bytes(frame / HEADERS[number % 6](number) / Raw(bytes([number]) * (number * 24)))
        yield frame.ljust(60, b'\0')


def check(path):
    frames = [bytes(data) for data, _ in RawPcapReader(path)]
    failed = 0
    for port in 0, 1:
        mac = bytes.fromhex(PORTS[port].replace(':', ''))
        swapped = [f for f in frames if f[:5] == b'\2\0\0\0\1' and f[6:12] == mac]
        print('%d packets of port %d were sent back' % (len(swapped), port))
        failed += swapped != list(packets(port, True))
    return failed != 0


if sys.argv[1] == 'packets':
    one, two = list(packets(0, False)), list(packets(1, False))
    wrpcap(sys.argv[2], [p for pair in zip(one, two) for p in pair], linktype=1)
else:
    sys.exit(check(sys.argv[2]))
