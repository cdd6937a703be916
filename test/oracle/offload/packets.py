#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# Random packets as scapy makes them, for offload.c: what a program posts (wrong checksums, headers of a whole
# message) and what has to leave the adapter; and packets to verify, right and damaged.
#
#	packets.py COUNT SEED > FILE
#
# A record: kind 0 (send) or 1 (receive), opcode, cs_flags, mss, length of the headers, length of what is posted,
# number of packets, then what is posted, then each packet with its length. For a packet to verify: cs_flags are
# the bits of the CQE (1 tunnel, 2 L3, 4 L4 ok), mss its ones' complement sum.
import logging
import random
import struct
import sys
logging.getLogger('scapy').setLevel(logging.ERROR)
from scapy.all import Dot1Q, Ether, GRE, ICMP, IP, IPv6, Raw, TCP, UDP
from scapy.layers.vxlan import VXLAN

L3, L4, INNER_L3, INNER_L4 = 0x40, 0x80, 0x10, 0x20
SEND, TSO = 0x0a, 0x0e


def mac():
    return '02:' + ':'.join('%02x' % random.randrange(256) for _ in range(5))


def ip(proto=None):
    if random.random() < .5:
        options = random.choice([[], [], [], b'\x01\x01\x01\x00', b'\x94\x04\x00\x00'])
        return IP(src='10.%d.0.1' % random.randrange(256), dst='10.0.%d.2' % random.randrange(256),
                  id=random.randrange(65536), ttl=random.randrange(1, 256), tos=random.randrange(256),
                  options=options)
    return IPv6(src='fd00::%x' % random.randrange(65536), dst='fd00::%x' % random.randrange(65536),
                tc=random.randrange(256), fl=random.randrange(1 << 20), hlim=random.randrange(1, 256))


def tcp():
    return TCP(sport=random.randrange(65536), dport=random.randrange(65536), seq=random.randrange(1 << 32),
               ack=random.randrange(1 << 32), flags=random.choice(['S', 'A', 'PA', 'FPA', 'CPA', 'FPCA']),
               window=random.randrange(65536), options=random.choice([[], [('NOP', None)] * 4,
                                                                      [('Timestamp', (1, 2)), ('NOP', None),
                                                                       ('NOP', None)]]))


def udp():
    # not a port that scapy or the adapter take for a tunnel
    return UDP(sport=random.randrange(1024, 2000), dport=random.randrange(1024, 2000))


def ether(tags=True):
    e = Ether(src=mac(), dst=mac())
    while tags and random.random() < .2:
        e = e / Dot1Q(vlan=random.randrange(4096), prio=random.randrange(8))
        tags = False
    return e


def payload(most=1200):
    return random.randbytes(random.randrange(most))


def tunnel():
    """Outer headers up to the inner ones, and whether these begin with Ethernet."""
    if random.random() < .6:
        zero = {'chksum': 0} if random.random() < .7 else {}
        return [ether(), ip(), UDP(sport=random.randrange(49152, 65536), dport=4789, **zero),
                VXLAN(vni=random.randrange(1 << 24), flags=8), Ether(src=mac(), dst=mac())]
    return [ether(), ip(), GRE()]


def join(parts):
    packet = parts[0]
    for part in parts[1:]:
        packet = packet / part.copy()
    return packet


def sums(packet):
    """Layers that have a checksum, each with its flag."""
    ips = [layer for layer in layers(packet) if isinstance(layer, (IP, IPv6))]
    found = []
    for i, layer in enumerate(ips):
        inner = i > 0
        if isinstance(layer, IP):
            found.append((layer, INNER_L3 if inner else L3))
        above = layer.payload
        if isinstance(above, (TCP, UDP)):
            found.append((above, INNER_L4 if inner else L4))
    return found


def layers(packet):
    while packet:
        yield packet
        packet = packet.payload


def built(packet):
    return bytearray(bytes(packet))


def offset(packet, layer):
    at = 0
    for part in layers(packet):
        if part is layer:
            return at
        at += len(bytes(part)) - len(bytes(part.payload))
    raise ValueError


FIELD = {IP: 10, TCP: 16, UDP: 6}


def record(kind, opcode, flags, mss, hdr, posted, packets):
    out = struct.pack('<IIIIIII', kind, opcode, flags, mss, hdr, len(posted), len(packets)) + posted
    for p in packets:
        out += struct.pack('<I', len(p)) + p
    sys.stdout.buffer.write(out)


def pad(b):
    return bytes(b) + bytes(max(0, 60 - len(b)))


def whole():
    """A packet whose lengths and checksums scapy has filled in, as layers."""
    parts = [ether(), ip(), random.choice([tcp, udp, udp, ICMP])()] if random.random() < .5 else \
        tunnel() + [ip(), random.choice([tcp, udp])()]
    return Ether(bytes(join(parts + [Raw(payload())])))


def send():
    packet = whole()
    right = built(packet)
    posted = bytearray(right)
    flags = 0
    for layer, flag in sums(packet):
        # A UDP header of a tunnel that has no checksum keeps none.
        if random.random() < .2 or isinstance(layer, UDP) and not layer.chksum:
            continue
        flags |= flag
        at = offset(packet, layer) + FIELD[type(layer)]
        posted[at:at + 2] = random.randbytes(2)
    record(0, SEND, flags, 0, 0, bytes(posted), [pad(right)])


def tso():
    outer = tunnel() if random.random() < .4 else [ether()]
    for part in outer:
        if isinstance(part, UDP):
            part.chksum = 0
    parts = outer + [ip(), tcp()]
    data = random.randbytes(random.randrange(1, 6000))
    mss = random.randrange(100, 1400)
    count = (len(data) + mss - 1) // mss
    posted = built(join(parts + [Raw(data)]))
    header = len(posted) - len(data)
    packets = []
    for i in range(count):
        piece = []
        for part in parts:
            part = part.copy()
            if isinstance(part, IP):
                part.id = (part.id + i) & 0xffff
            if isinstance(part, TCP):
                part.seq = (part.seq + i * mss) & 0xffffffff
                if i:
                    part.flags = int(part.flags) & ~0x80
                if i + 1 < count:
                    part.flags = int(part.flags) & ~0x09
            piece.append(part)
        packets.append(pad(built(join(piece + [Raw(data[i * mss:(i + 1) * mss])]))))
    tunneled = len(outer) > 1
    flags = L3 | (INNER_L3 | INNER_L4 if tunneled else L4)
    record(0, TSO, flags, mss, header, bytes(posted), packets)


def fold(b):
    b = bytes(b) + bytes(len(b) & 1)
    total = sum(struct.unpack('>%dH' % (len(b) // 2), b))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def receive():
    packet = whole()
    b = built(packet)
    ips = [layer for layer in layers(packet) if isinstance(layer, (IP, IPv6))]
    last = ips[-1]
    above = last.payload
    l3 = l4 = True
    if isinstance(last, IP) and random.random() < .2:
        b[offset(packet, last) + 10] ^= 1 << random.randrange(8)
        l3 = False
    if not isinstance(above, (TCP, UDP)):
        l4 = False
    elif random.random() < .3:
        at = offset(packet, above) + FIELD[type(above)]
        b[at] ^= 1 << random.randrange(8)
        l4 = isinstance(above, UDP) and isinstance(last, IP) and not (b[at] or b[at + 1])
    start = offset(packet, ips[0])
    flags = (len(ips) > 1) | l3 << 1 | l4 << 2
    record(1, 0, flags, fold(b[start:]), 0, pad(b), [])


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    random.seed(seed)
    for _ in range(count):
        random.choice([send, send, tso, receive])()


main()
