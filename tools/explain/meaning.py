# SPDX-License-Identifier: BSD-2-Clause
"""The meaning of a number or word of a line. The name of a group in a pattern selects the function; a name without one is
shown as it is."""
import errno
import os
import re

import adapter
import item
import rows


def number_of(text):
    return int(text, 16 if text.lower().startswith("0x") else 10)


def fact_row(word, *key):
    """The row of data/facts with these words after @word; "*" fits any."""
    for row in rows.of("facts", word):
        if len(row.words) >= len(key) and all(w in ("*", k) for w, k in zip(row.words, key)):
            return row
    return None


NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP", errno.EAGAIN: "EAGAIN"}  # of two for a number that one
ERRNO = {os.strerror(n).lower(): n for n in range(1, 134) if not os.strerror(n).startswith("Unknown error")}


# By its place on the bus, or its name.
DEVICE = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b|\bmlx5_(?:bond_)?\d+", re.I)


def error_text(number):
    return os.strerror(number) if number < 4096 else "no errno"


class Facts:
    """An item while the facts of a line are added: a syndrome depends on its command, causes of a call on its errno."""

    def __init__(self, kind, title, line=""):
        self.item = item.Item(kind, title)
        device = DEVICE.search(line)
        if device:
            self.item.fact("device", device.group(0))
        self.opcode, self.call, self.error = 0, "", 0
        self.vendor, self.event, self.cm_status = 0, "", None

    def add(self, name, text):
        known = MEANINGS.get(name)
        if known:
            known(self, text)
        else:
            self.item.fact(name, text)

    def add_match(self, match):
        for name, text in sorted(match.groupdict().items(), key=lambda g: match.start(g[0])):
            if text:
                self.add(name.rstrip("_"), text)

    def end(self):
        """After the last one: what they say together."""
        if self.call:
            end_call(self)
        if self.event:
            self.item.advise(cm_row(self))
        self.item.advise(fact_row("vendor", "0x%02x" % self.vendor) if self.vendor else None, first=True)
        return self.item

    def summarize_command(self, words):
        name = adapter.commands().get(self.opcode)
        self.item.summarize(name + ": " + words if name else words)


# ---- firmware ----

def command(f, text):
    f.opcode = number_of(text)
    name = adapter.commands().get(f.opcode)
    f.item.fact("command", "%s (%s)" % (name or "not in our tables", text))
    f.item.summarize(name or text)


def status(f, text):
    name, words = adapter.values("STATUS").get(number_of(text), ("", "not in our tables"))
    f.item.fact("status", "%s (%s%s)" % (words, name + ", " if name else "", text))
    f.summarize_command(words)
    f.item.advise(fact_row("status", name))


def fw_syndrome(f, text):
    number = number_of(text) & 0xffffffff
    words = adapter.syndrome(f.opcode or number >> 8 & 0xffff, number)
    f.item.fact("syndrome", "0x%x%s" % (number, ": " + words if words else ""))
    if not words and number in adapter.syndromes():
        name, words = adapter.syndromes()[number]
        f.item.fact("known from", "%s: %s" % (name, words))
        f.opcode = adapter.opcodes().get(name, f.opcode)
    if words:  # it says more than the status
        f.item.add("causes", [words], first=True)
        f.summarize_command(words)
    elif number:
        f.item.add("unknown", ["syndrome 0x%x is not in our list; NVIDIA publishes none: their support can look it up, "
                               "with the version of the firmware" % number])


def devx_syndrome(f, text):
    """In hex, without 0x. 0: the kernel refused, or the firmware did not answer."""
    if int(text, 16):
        return fw_syndrome(f, "0x" + text)
    f.item.fact("syndrome", "0: the firmware did not answer, or was not asked")
    f.item.advise(fact_row("devx_syndrome", "0"))
    return None


def made(f, text):
    """ "QP", "DCT", "ALLOW_OTHER_VHCA_ACCESS", "502": what was about to be made, or the command."""
    opcodes = adapter.opcodes()
    known = opcodes.get(text.upper()) or opcodes.get("CREATE_" + text.upper())
    if not known and text.isdigit() and int(text, 16) in adapter.commands():
        known = int(text, 16)
    if not known:
        f.item.fact("object", text)
        return
    f.opcode = known
    name = adapter.commands()[known]
    f.item.fact("command", "%s (0x%x)" % (name, known))
    f.item.summarize(name)


def command_in(line):
    """The command that a line which announces a dump names."""
    found = re.search(r"\b([A-Z0-9_]+)\(0x([0-9a-f]+)\)", line)
    return adapter.commands().get(int(found.group(2), 16)) if found else None


# ---- completions ----

def wc_status(f, text):
    row = fact_row("wc", str(number_of(text)))
    words = " ".join(row.words[3:]) if row else "no such status"
    f.item.fact("status", "%d: %s (%s)" % (number_of(text), words, "IBV_WC_" + row.words[1] if row else "no name here"))
    f.item.summarize(words)
    f.item.advise(row)


def cqe_syndrome(f, text):
    number = number_of(text)
    if number > 0xff:
        f.item.fact("syndrome", "%s: of an error CQE it has 8 bits" % text)
        return
    known = adapter.error_cqe(number, 0)
    f.item.fact("syndrome", "0x%02x: %s" % (number, known["syndrome_text"]))
    f.item.summarize(known["syndrome_text"].partition("(")[0])
    row = next((r for r in rows.of("facts", "wc") if r.words[2] == hex(number)), None)
    if row:
        f.item.advise(row)
    else:
        f.item.add("causes", [known["hint"]])


def vendor(f, text):
    number = number_of(text)
    if number > 0xff:
        f.item.fact("vendor", "0x%x: an mlx5 adapter has 8 bits: another vendor's" % number)
        return
    f.item.fact("vendor", "0x%02x (%d): %s" % (number, number, adapter.error_cqe(1, number)["vendor_text"]))
    f.vendor = number


def vendor_hex(f, text):
    vendor(f, "0x" + text)


# ---- calls ----

def call(f, text):
    f.call = text
    f.item.fact("call", text)


def call_errno(f, text):
    f.error = abs(int(text))
    f.item.fact("error", "%d: %s" % (f.error, error_text(f.error)))


def call_error(f, text):
    found = ERRNO.get(text.lower()) or getattr(errno, text.upper(), None)
    if found:
        call_errno(f, str(found))
    else:
        f.item.fact("error", text)


def end_call(f):
    f.item.summarize(f.call + (": " + error_text(f.error) if f.error else ""))
    name = NAMES.get(f.error, "")
    for row in rows.of("facts", "call"):
        prefix, error = row.words[:2]
        if (prefix == "*" or f.call.startswith(prefix)) and error in ("*", name):
            f.item.advise(row)
            return


def system_errno(f, text):
    f.item.fact("error", "%s (%s)" % (text, error_text(abs(int(text)))))


def system_error(f, text):
    f.item.fact("error", text)
    if os.strerror(errno.EREMOTEIO).lower() in text.lower():
        f.item.advise(fact_row("error", "EREMOTEIO"))


# ---- rdma_cm ----

def cm_event(f, text):
    f.event = text.upper()
    f.item.fact("event", "RDMA_CM_EVENT_" + f.event)
    f.item.summarize(f.event)


def cm_status(f, text):
    f.cm_status = int(text)
    words = "not in our tables"
    if -4096 < f.cm_status < 0:
        words = error_text(-f.cm_status)
    elif f.event == "REJECTED":
        row = fact_row("reason", str(f.cm_status))
        words = " ".join(row.words[1:]) if row else words
    f.item.fact("status", "%d: %s" % (f.cm_status, words))
    f.item.summarize("%s: %s" % (f.event, words))


def cm_row(f):
    status_name = str(f.cm_status)
    if f.cm_status and f.cm_status < 0:
        status_name = "-" + NAMES.get(-f.cm_status, "")
    return fact_row("cm", f.event, status_name)


# ---- events, health ----

def event(f, text):
    name, words = adapter.values("EVENT").get(number_of(text), ("not in our tables", ""))
    f.item.fact("event", "%s: %s%s" % (text, name, ", " + words if words else ""))


def event_text(f, text):
    """The texts of ibv_event_type_str()."""
    f.item.fact("event", text)
    f.item.summarize(text)
    f.item.advise(next((r for r in rows.of("facts", "event") if r.rest.lower() in text.lower()), None))


def numbered(name, word, summary=False):
    """A function for numbers that rows "word NUMBER text" of data/facts explain."""
    def add(f, text):
        key = text.lower() if text.lower().startswith("0x") else str(int(text))
        row = fact_row(word, key)
        words = " ".join(row.words[1:]) if row else "not in our tables"
        f.item.fact(name, "%s: %s" % (text, words))
        if summary:
            f.item.summarize(words if row else text)
            f.item.advise(row, first=word == "health")
    return add


def fw_ver(f, text):
    f.item.fact("fw_ver", text)
    if text == "65535.65535.65535":
        f.item.advise(fact_row("fw_ver", text), first=True)


def ucx_wqe(f, text):
    """ "s-e [rqpn 0x1 rlid 2] [rva 0x3 rkey 0x4] [va 0x5 len 6 lkey 0x7]" """
    flags = re.match(r"\s*([s-])([f-])([e-])", text)
    if flags:
        s, fence, e = flags.groups()
        f.item.fact("flags", "%s: %s%s%s" % (s + fence + e, "signaled" if s == "s" else "not signaled",
                                             ", fence" if fence == "f" else "", ", solicited event" if e == "e" else ""))
    for part in re.findall(r"\[([^\]]*)", text):
        name = {"rqpn": "to", "rva": "remote memory", "va": "local memory", "inl": "inline bytes",
                "cmp": "atomic", "add": "atomic"}.get(part.partition(" ")[0], "wqe")
        f.item.fact(name, part.removeprefix("inl len ") if name == "inline bytes" else part)


MEANINGS = {
    "command": command, "status": status, "fw_syndrome": fw_syndrome, "devx_syndrome": devx_syndrome, "object": made,
    "wc_status": wc_status, "syndrome": cqe_syndrome, "vendor": vendor, "vendor_hex": vendor_hex,
    "call": call, "call_address": lambda f, text: f.item.fact("address", text), "call_errno": call_errno, "call_error": call_error, "errno": system_errno, "error": system_error,
    "cm_event": cm_event, "cm_status": cm_status, "event": event, "event_text": event_text, "fw_ver": fw_ver,
    "ucx_wqe": ucx_wqe, "health_synd": numbered("synd", "health", True),
    "cq_syndrome": numbered("syndrome", "cq_error", True), "spdk_type": numbered("type", "spdk_type"),
    "mooncake_opcode": numbered("opcode", "mooncake_opcode"), "pci_channel": numbered("channel", "pci_channel"),
    "flow_error": numbered("about", "flow_error"), "nvshmem_status": numbered("status", "nvshmem_status"),
}


# ---- bytes ----

def decode(kind, name, text):
    """The answer of decode --json for a dump; None: there is none, or it is of nothing that is known."""
    if kind in ("inbox", "outbox") and name:
        kind = "%s %s" % (name, kind.removesuffix("box"))
    answer = adapter.decode(kind or "auto", text) if kind != "outbox" else None
    if answer and "kind" not in answer:
        answer["kind"] = "outbox" if answer["struct"].endswith("_out") else "inbox"
    return answer


def field_text(field):
    value, word = field["value"], field.get("word")
    text = hex(value) if isinstance(value, int) else "{%s}" % ",".join(map(hex, value)) if isinstance(value, list) else value
    return "%s(%s)" % (text, word) if word else text


def add_box(f, answer):
    opcode = next((o for o, name in adapter.commands().items()
                   if answer["struct"] in ("%s_in" % name.lower(), "%s_out" % name.lower())), 0)
    if opcode and not f.item.has("command"):
        f.item.fact("command", "%s (0x%x)" % (adapter.commands()[opcode], opcode))
    f.opcode = opcode
    values = {field["name"]: field["value"] for field in answer["fields"]}
    f.item.fields += ["%s=%s" % (field["name"], field_text(field)) for field in answer["fields"]
                      if field["value"]]
    if answer["kind"] == "outbox" and values.get("status"):
        f.add("status", hex(values["status"]))
        f.add("fw_syndrome", hex(values.get("syndrome", 0)))


def add_error_cqe(f, error):
    if not f.item.has("qpn"):
        f.item.fact("qpn", hex(error["qpn"]))
    f.item.fact("side", "requester: a work request of a send queue" if error["side"] == "requester"
                else "responder: a receive")
    f.add("syndrome", hex(error["syndrome"]))
    f.add("vendor", hex(error["vendor"]))
    f.end()


def add_dump(to, answer, guessed, kind):
    """Adds what the bytes say to an item."""
    f = Facts("", "")
    f.item = to
    to.fact("dump", "%d bytes, read as: %s%s" % (answer["bytes"], kind, " (a guess: --kind says what it is)" if guessed else ""))
    if "struct" in answer:
        add_box(f, answer)
        return
    if "transport" in answer:
        to.fact("transport", answer["transport"] + ("" if "-" in kind else " (it looks like that; --kind says what it is)"))
    if "error" in answer:
        add_error_cqe(f, answer["error"])
    elif kind == "cqe":
        to.add("steps", ["no error in it: the work request succeeded"])
    if "findings" in answer:
        to.add("causes", answer["findings"])
        to.add("unknown", ["whether keys and addresses are right: only the device knows them"])
    to.fields += answer["fields"]


# ---- numbers alone ----

def bare_syndrome(line):
    """An item of "0x2c4154", "syndrome 0x2c4154", "(0x2c4154)"; None: the line says no such thing."""
    found = re.fullmatch(r"(?:[a-z ]*\b(?:syndrome?|synd|vend)[ :=]*)?\(?(0x[0-9a-f]{1,8})[) ]*[.]?", line, re.I)
    if not found:
        return None
    number = found.group(1)
    if int(number, 16) > 0xff:
        f = Facts("syndrome", "a syndrome of a firmware command")
        f.add("fw_syndrome", number)
    else:
        f = Facts("syndrome", "a number of 8 bits")
        f.add("syndrome", number)
        f.add("vendor", number)
    return f.end()
