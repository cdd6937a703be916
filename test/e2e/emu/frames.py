# SPDX-License-Identifier: BSD-2-Clause
# frames.py CAPTURE GID TCLASS: the frames of a RoCE flow as an adapter sends them, by scapy, and by the CRC-32 of
# zlib where scapy has no ICRC (IPv6, RoCE v1).
import struct
import sys
import zlib

from scapy.all import IP, IPv6, UDP, raw, rdpcap
from scapy.contrib.roce import BTH

path, gid, tclass = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
V1 = gid % 2 == 0
LONGEST = 14 + 40 + 8 + 12 + 4 + 1024 + 4  # headers, AETH, path MTU, ICRC


def check(condition, frame, words):
    if not condition:
        frame.show()
        sys.exit(words)


def invariant_crc(frame, header, masked):
    """The bytes from the IP header on, those at `masked` as ff, after eight more (annex A17)."""
    data = bytearray(raw(frame)[14:-4])
    for at in masked:
        data[at] = 0xFF
    data[0] |= 0x0F if header == 40 else 0
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + data))


identifications, sources, opcodes = {}, {}, {}
for frame in rdpcap(path):
    data = raw(frame)
    check(len(data) <= LONGEST, frame, "too long")
    if V1:
        check(frame.type == 0x8915, frame, "not RoCE v1")
        version = struct.unpack(">I", data[14:18])[0]
        check(version >> 28 == 6 and data[20] == 0x1B, frame, "no GRH")
        check(struct.unpack(">H", data[18:20])[0] == len(data) - 54, frame, "length in the GRH")
        bth = 54
        icrc = invariant_crc(frame, 40, [1, 2, 3, 7, 44])
        seen = version >> 20 & 0xFF
    elif IP in frame:
        ip = frame[IP]
        check(ip.flags == "DF" and ip.frag == 0 and ip.ihl == 5, frame, "flags")
        qp = (ip.src, frame[BTH].dqpn)  # each process counts
        before = identifications.get(qp, ip.id - 1)
        check(ip.id == (before + 1) % 65536 or (before, ip.id) == (65535, 1), frame, "identification")
        check(ip.id != 0, frame, "identification")
        identifications[qp] = ip.id
        again = IP(raw(ip))
        del again.chksum
        check(IP(raw(again)).chksum == ip.chksum, frame, "checksum of IP")
        check(ip.len == len(data) - 14, frame, "length of IP")
        bth = 14 + 20 + 8
        icrc = invariant_crc(frame, 20, [1, 8, 10, 11, 26, 27, 32])
        check(frame[BTH].compute_icrc(b"") == data[-4:], frame, "ICRC by scapy")
        seen = ip.tos
    else:
        ip = frame[IPv6]
        check(ip.plen == len(data) - 54, frame, "length of IPv6")
        bth = 14 + 40 + 8
        icrc = invariant_crc(frame, 40, [1, 2, 3, 7, 46, 47, 52])
        seen = ip.tc
    check(seen == tclass, frame, f"traffic class {seen}")
    check(icrc == data[-4:], frame, f"ICRC is not {icrc.hex()}")
    if not V1:
        udp = frame[UDP]
        check(udp.dport == 4791 and udp.chksum == 0, frame, "UDP")
        check(udp.sport >= 0xC000, frame, "source port")
        flow = (data[26:34], data[bth + 5:bth + 8])
        check(sources.setdefault(flow, udp.sport) == udp.sport, frame, "two source ports of a QP")
    check(data[bth + 1] & 0x4F == 0x40, frame, "MigReq, TVer")
    opcodes[data[bth]] = opcodes.get(data[bth], 0) + 1

# SENDs of 3000 bytes are FIRST, MIDDLE, LAST; READs a request, and three responses
for opcode in (0, 1, 2, 0xC, 0xD, 0xE, 0xF):
    if opcodes.get(opcode, 0) < 20:
        sys.exit(f"opcode {opcode}: {opcodes}")
print(f"GID {gid}: {sum(opcodes.values())} frames, opcodes {sorted(opcodes)}")
