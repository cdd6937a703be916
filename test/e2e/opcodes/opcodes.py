# SPDX-License-Identifier: BSD-2-Clause
# opcodes.py CAPTURE POSTED: the frames that every_opcode made, against what it posted (POSTED: what it printed).
# The opcodes, in their order, and the headers of each are those of the InfiniBand specification (volume 1,
# chapter 9, "OpCode field"; XRC: annex A14), written here by hand. tshark has to read the same fields. ICRC: by
# scapy, and over IPv6, which scapy does not know, by the CRC-32 of zlib (annex A17).
import struct
import subprocess
import sys
import zlib

from scapy.all import IP, raw, rdpcap
from scapy.contrib.roce import BTH

capture, posted = sys.argv[1:]
FIRST_PSN, QKEY, IMM, NO_KEY = 0xFFFFFE, 0x11111111, 0x01020304, 0x55AA5500
COMPARE, SWAP_OR_ADD = 0x1112131415161718, 0x2122232425262728
LONG, SHORT = 701, 5
RC, UC, UD, XRC = 0x00, 0x20, 0x60, 0xA0
MESSAGE = bytes((i * 7 + 1) & 0xFF for i in range(LONG))
PARTS = [MESSAGE[:256], MESSAGE[256:512], MESSAGE[512:]]

# Headers after the BTH, by the low five bits of the opcode; XRCETH comes first in requests of XRC, DETH in UD.
HEADERS = {
    0x03: ["immdt"], 0x05: ["immdt"], 0x06: ["reth"], 0x09: ["immdt"], 0x0A: ["reth"], 0x0B: ["reth", "immdt"],
    0x0C: ["reth"], 0x0D: ["aeth"], 0x0F: ["aeth"], 0x10: ["aeth"], 0x11: ["aeth"], 0x12: ["aeth", "atomicacketh"],
    0x13: ["atomiceth"], 0x14: ["atomiceth"], 0x16: ["ieth"], 0x17: ["ieth"],
}
FORMATS = {
    "immdt": (">I", ["immdt"]),
    "ieth": (">I", ["ieth"]),
    "reth": (">QII", ["reth.va", "reth.r_key", "reth.dmalen"]),
    "atomiceth": (">QIQQ", ["reth.va", "reth.r_key", "atomiceth.swapdt", "atomiceth.cmpdt"]),
    "atomicacketh": (">Q", ["atomicacketh.origremdt"]),
    "deth": (">II", ["deth.q_key", "deth.srcqp"]),
    "xrceth": (">I", ["xrceth"]),
}
SOLICITED = {0x02, 0x03, 0x04, 0x05, 0x09, 0x0B, 0x16, 0x17}
ANSWERS = set(range(0x0D, 0x13))
LAST_OF_REQUEST = {0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0A, 0x0B, 0x16, 0x17}


def fields_of(data, bth):
    """The frame by its bytes."""
    opcode, flags, pkey, destqp, psn = struct.unpack(">BBHII", data[bth:bth + 12])
    fields = {
        "bth.opcode": opcode, "bth.se": flags >> 7, "bth.m": flags >> 6 & 1, "bth.padcnt": flags >> 4 & 3,
        "bth.tver": flags & 15, "bth.p_key": pkey, "bth.destqp": destqp, "bth.a": psn >> 31,
        "bth.reserved7": psn >> 24 & 0x7F, "bth.psn": psn & 0xFFFFFF,
    }
    headers = list(HEADERS.get(opcode & 0x1F, []))
    if opcode & 0xE0 == UD:
        headers.insert(0, "deth")
    if opcode & 0xE0 == XRC and opcode & 0x1F not in ANSWERS:
        headers.insert(0, "xrceth")
    at = bth + 12
    for header in headers:
        if header == "aeth":
            fields["aeth.syndrome"], fields["aeth.msn"] = data[at], int.from_bytes(data[at + 1:at + 4], "big")
            at += 4
            continue
        layout, names = FORMATS[header]
        fields.update(zip(names, struct.unpack_from(layout, data, at)))
        at += struct.calcsize(layout)
    end = len(data) - 4
    fields["payload"] = data[at:end - fields["bth.padcnt"]]
    fields["pad"] = data[end - fields["bth.padcnt"]:end]
    return fields


def expected(posted_pairs):
    """The frames in the order in which they are sent, each a dictionary of what is known of it."""
    frames = []
    for name, source, target, srq, va, rkey in posted_pairs:
        service = {"RC": RC, "XRC": XRC, "UC": UC, "UD": UD}[name.split("-")[0]]
        reliable = service in (RC, XRC)
        state = {"psn": FIRST_PSN, "msn": 0}

        def frame(code, destqp, psn, payload=b"", **more):
            pad = -len(payload) & 3
            fields = {
                "bth.opcode": service | code, "bth.se": int(code in SOLICITED), "bth.m": 1, "bth.tver": 0,
                "bth.padcnt": pad, "bth.p_key": 0xFFFF, "bth.destqp": destqp, "bth.psn": psn & 0xFFFFFF,
                "bth.reserved7": 0, "payload": payload, "pad": bytes(pad),
            }
            fields.update({key.replace("__", "."): value for key, value in more.items()})
            if reliable and code in LAST_OF_REQUEST:
                fields["bth.a"] = 1
            if not reliable:
                fields["bth.a"] = 0
            if service == XRC and code not in ANSWERS:
                fields["xrceth"] = srq
            if service == UD:
                fields.update({"deth.q_key": QKEY, "deth.srcqp": source})
            frames.append(fields)

        def request(codes, payloads, first=None, last=None, answer=True):
            for i, (code, payload) in enumerate(zip(codes, payloads)):
                more = {**(first or {} if i == 0 else {}), **(last or {} if i == len(codes) - 1 else {})}
                frame(code, target, state["psn"], payload, **more)
                state["psn"] += 1
            if reliable and answer:
                state["msn"] += 1
                frame(0x11, source, state["psn"] - 1, aeth__syndrome=0x1F, aeth__msn=state["msn"])

        def reth(length, key=rkey):
            return {"reth__va": va, "reth__r_key": key, "reth__dmalen": length}

        imm, short = {"immdt": IMM}, [MESSAGE[:SHORT]]
        if name == "UD":
            request([0x04], short)
            request([0x05], short, last=imm)
        elif name.endswith("inv-long"):
            request([0x00, 0x01, 0x16], PARTS, last={"ieth": NO_KEY}, answer=False)
        elif name.endswith("inv-short"):
            request([0x17], short, last={"ieth": NO_KEY}, answer=False)
        elif name.endswith("nak"):
            request([0x0A], short, first=reth(SHORT, NO_KEY), answer=False)
            frame(0x11, source, FIRST_PSN, aeth__syndrome=0x62, aeth__msn=0)
        else:
            request([0x00, 0x01, 0x02], PARTS)
            request([0x04], short)
            request([0x00, 0x01, 0x03], PARTS, last=imm)
            request([0x05], short, last=imm)
            request([0x06, 0x07, 0x08], PARTS, first=reth(LONG))
            request([0x0A], short, first=reth(SHORT))
            request([0x06, 0x07, 0x09], PARTS, first=reth(LONG), last=imm)
            request([0x0B], short, first=reth(SHORT), last=imm)
        if name not in ("RC", "XRC"):
            continue
        # READs: the responses count from the PSN of the request; MSN as after the READ
        for codes, payloads in (([0x0D, 0x0E, 0x0F], PARTS), ([0x10], short)):
            frame(0x0C, target, state["psn"], **reth(sum(map(len, payloads))))
            state["msn"] += 1
            for code, payload in zip(codes, payloads):
                aeth = {} if code == 0x0E else {"aeth__syndrome": 0x1F, "aeth__msn": state["msn"]}
                frame(code, source, state["psn"], payload, **aeth)
                state["psn"] += 1
        # the comparison fails, so both atomics find what the WRITEs left, an integer in the byte order of the host
        before = int.from_bytes(MESSAGE[8:16], sys.byteorder)
        for code, operands in ((0x13, {"atomiceth__cmpdt": COMPARE}), (0x14, {})):
            frame(code, target, state["psn"], reth__va=va + 8, reth__r_key=rkey, atomiceth__swapdt=SWAP_OR_ADD,
                  **operands)
            state["msn"] += 1
            frame(0x12, source, state["psn"], aeth__syndrome=0x1F, aeth__msn=state["msn"],
                  atomicacketh__origremdt=before)
            state["psn"] += 1
        # RNR NAK, min_rnr_timer 1
        request([0x04], short, answer=False)
        frame(0x11, source, state["psn"] - 1, aeth__syndrome=0x21, aeth__msn=state["msn"])
    return frames


# tshark 4.0 knows the opcodes of XRC and not its extension headers, so only the BTH is compared.
BY_TSHARK = ["bth.opcode", "bth.se", "bth.m", "bth.padcnt", "bth.tver", "bth.p_key", "bth.destqp", "bth.a",
             "bth.reserved7", "bth.psn"]
NOT_XRC = ["aeth.syndrome", "aeth.msn", "reth.va", "reth.r_key", "reth.dmalen", "atomiceth.swapdt",
           "atomiceth.cmpdt", "atomicacketh.origremdt", "immdt", "ieth", "deth.q_key", "deth.srcqp"]


def read_by_tshark():
    command = ["tshark", "-r", capture, "-T", "fields", "--disable-protocol", "rpcordma", "--disable-protocol", "iser"]
    for name in BY_TSHARK + NOT_XRC:
        command += ["-e", "infiniband." + name]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
    for line in out.splitlines():
        yield dict(zip(BY_TSHARK + NOT_XRC, line.split("\t")))


def number_of(name, text):
    """tshark shows immediate and key as bytes, and each of them twice; booleans as 0 and 1, or by name."""
    if not text:
        return None
    if text in ("False", "True"):
        return int(text == "True")
    return int(text.split(",")[0], 16) if name in ("immdt", "ieth") else int(text, 0)


def check_icrc(frame, data, v6):
    if not v6:
        return frame[BTH].compute_icrc(b"") == data[-4:]
    masked = bytearray(data[14:-4])
    for at in (1, 2, 3, 7, 46, 47, 52):  # class, flow label, hop limit, UDP checksum, byte 4 of the BTH
        masked[at] = 0xFF
    masked[0] |= 0x0F
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked)) == data[-4:]


with open(posted, encoding="ascii") as lines:
    pairs = [(words[0], *map(int, words[1:])) for words in map(str.split, lines)]
if [p[0] for p in pairs] != ["RC", "RC-inv-long", "RC-inv-short", "RC-nak", "XRC", "XRC-inv-long", "XRC-inv-short",
                             "XRC-nak", "UC", "UD"]:
    sys.exit(f"not all pairs: {pairs}")
wanted, tshark, frames = expected(pairs), list(read_by_tshark()), rdpcap(capture)
if not len(wanted) == len(tshark) == len(frames):
    sys.exit(f"{len(frames)} frames, {len(tshark)} by tshark, of {len(wanted)}")
wrong, seen = 0, set()
for number, (frame, want, theirs) in enumerate(zip(frames, wanted, tshark), 1):
    data, v6 = raw(frame), IP not in frame
    have = fields_of(data, 62 if v6 else 42)
    xrc = have["bth.opcode"] & 0xE0 == XRC
    remarks = [f"{name} is {have.get(name)}, not {value}" for name, value in want.items() if have.get(name) != value]
    for name in BY_TSHARK + ([] if xrc else NOT_XRC):
        value = number_of(name, theirs[name])
        if value != have.get(name):
            remarks.append(f"tshark: {name} is {theirs[name]}, not {have.get(name)}")
    if not check_icrc(frame, data, v6):
        remarks.append("ICRC")
    seen.add(have["bth.opcode"])
    wrong += bool(remarks)
    for remark in remarks:
        print(f"frame {number}, opcode {have['bth.opcode']:#x}: {remark}")
every = {service | code for service in (RC, XRC) for code in (*range(0x15), 0x16, 0x17)}
every |= {UC | code for code in range(0x0C)} | {UD | 0x04, UD | 0x05}
if seen != every:
    print(f"opcodes missing: {sorted(every - seen)}, not expected: {sorted(seen - every)}")
    wrong += 1
print(f"{len(frames)} frames, {len(seen)} opcodes")
sys.exit(wrong != 0)
