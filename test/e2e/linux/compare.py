#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""compare.py calls EMULATED GUEST
   compare.py commands EMULATED GUEST CALLS_EMULATED CALLS_GUEST

Compares verbs_calls under dvkit-emu with verbs_calls in a guest, on Linux' own driver. calls: the lines that it printed, one a call.
commands: the firmware commands of each call, from "dvkit-emu --trace fw"; verbs_calls marks where a call begins.
Numbers of objects and addresses are mapped. Prints how many were compared and each difference that is not in the table
of reasons, reasons.py; the exit status is 1 if there are any.
"""
import collections
import re
import sys

import reasons

MARK = "QUERY_ROCE_ADDRESS"
NO_OBJECT = {0, 0xFFFFFF, 0xFFFFFFFF}
SHOWN = 60  # differences that are printed
AGREE = 4  # calls that are the same with which two sides go on
AHEAD = 300  # calls of one side that the other does not have


def read_calls(file):
    """number -> [the call, what it answered]"""
    calls = {}
    for line in open(file, encoding="ascii", errors="replace"):
        number, _, rest = line.rstrip("\n").partition(" ")
        if not number.isdigit():
            continue
        call, _, answer = rest.partition(" = ")
        calls[int(number)] = (call, answer)
    return calls


def pairs(emulated, guest):
    """The numbers of the calls that are the same on both sides. Where the answers of one differ, other calls may
    follow: there the next that both have is searched. A random sequence that parts is left."""
    i, j = 0, 0
    a, b = sorted(emulated), sorted(guest)
    words = [collections.Counter(call[0] for call in calls.values()) for calls in (emulated, guest)]
    once = {call for call in words[0] if words[0][call] == words[1][call] == 1}
    while i < len(a) and j < len(b):
        if emulated[a[i]][0] == guest[b[j]][0]:
            yield a[i], b[j]
            i, j = i + 1, j + 1
            continue
        near = next(((k, n - k) for n in range(1, AHEAD) for k in range(n + 1)
                     if i + k < len(a) and j + n - k < len(b) and
                     emulated[a[i + k]][0] == guest[b[j + n - k]][0] and
                     same(emulated, a[i + k:i + k + AGREE], guest, b[j + n - k:j + n - k + AGREE], once)), None)
        if not near or in_sequence(emulated, a[i]):
            near = to_sequence(emulated, a, i), to_sequence(guest, b, j)
        k, l = near
        i, j = i + k, j + l


def same(emulated, a, guest, b, once):
    """Whether the next calls are: one that there is once, or some, since many objects are queried and destroyed."""
    a, b = [emulated[n][0] for n in a[:AGREE]], [guest[n][0] for n in b[:AGREE]]
    return a[:1] == b[:1] and (a == b or a[0] in once)


def in_sequence(calls, number):
    return number > min((n for n, c in calls.items() if c[0].startswith("sequence")), default=1 << 60)


def to_sequence(calls, numbers, at):
    """How far the next random sequence is."""
    ahead = 1
    while at + ahead < len(numbers) and not calls[numbers[at + ahead]][0].startswith("sequence"):
        ahead += 1
    return ahead


class Pairs:
    """Which number of the guest is which of the emulator: the two of the first commands that show them."""

    def __init__(self):
        self.guest, self.emulated = {}, {}

    def bind(self, kind, a, b):
        self.emulated.pop((kind, self.guest.get((kind, a))), None)
        self.guest.pop((kind, self.emulated.get((kind, b))), None)
        self.guest[kind, a], self.emulated[kind, b] = b, a

    def end(self, emulated, guest):
        """Numbers of objects that commands destroy may belong to others from now on."""
        for mine, other, commands in ((self.guest, self.emulated, emulated), (self.emulated, self.guest, guest)):
            for command in commands:
                for field, value in command.fields.items() if re.match("DESTROY|DEALLOC", command.name) else ():
                    kind = reasons.NUMBERS.get(field)
                    if kind and kind != "uid":
                        other.pop((kind, mine.pop((kind, int(value, 0)), None)), None)

    def same(self, kind, a, b):
        if a in NO_OBJECT or b in NO_OBJECT:
            return a == b
        if (kind, a) not in self.guest and (kind, b) not in self.emulated:
            self.bind(kind, a, b)
        return self.guest.get((kind, a)) == b


def fields_of(text):
    """"a.b=0x1(NAME) c[2]={0x1,0x2}": name -> value"""
    found = {}
    for word in text.split():
        name, equal, value = word.partition("=")
        if equal:
            found[re.sub(r"\[\d+\]$", "", name)] = re.sub(r"\(.*\)$", "", value)
    for n, one in enumerate(re.findall("[0-9a-f]{16}", found.pop("flow_context.destination", ""))):
        kind = int(one[:2], 16)
        found[f"destination{n}.type"] = hex(kind)
        found[f"destination{n}.{reasons.DESTINATIONS.get(kind, 'number')}"] = hex(int(one[2:8], 16))
        found[f"destination{n}.rest"] = one[8:]
    return found


def udp_sport(qpn, remote_qpn):
    """The UDP source port of a connection without a flow label (Linux, ib_verbs.h, rdma_get_udp_sport)."""
    v = qpn * remote_qpn
    v ^= v >> 20
    v ^= v >> 40
    return 0xC000 | (v & 0x3FFF) ^ (v >> 14 & 0x3F)


class Command:
    def __init__(self, name, text):
        self.name, self.fields = name, fields_of(text)
        self.status, self.answer = None, {}

    def name_ports(self):
        """The port that follows from the numbers of the QPs is the same on both sides."""
        for fields in (self.fields, self.answer):
            port = fields.get("qpc.primary_address_path.udp_sport")
            numbers = self.fields.get("qpn", "0"), fields.get("qpc.remote_qpn", "0")
            if port and int(port, 0) == udp_sport(*(int(n, 0) for n in numbers)):
                fields["qpc.primary_address_path.udp_sport"] = "of the QPs"

    def __str__(self):
        fields = " ".join(f"{k}={v}" for k, v in self.fields.items())
        answer = " ".join(f"{k}={v}" for k, v in self.answer.items())
        return f"{self.name} {fields} -> {self.status} {answer}"


def read_commands(file):
    """number of the call -> its commands, in their order"""
    line = re.compile(r"\[\d+\] fw +(\S+) +(in|out) +(.*)")
    steps, at, began, waiting = {}, None, False, {}
    for text in open(file, encoding="utf-8", errors="replace"):
        m = line.match(text)
        if not m:
            continue
        name, way, rest = m.groups()
        if way == "out":
            command = waiting.pop(name, None)
            if command:
                command.status = rest.split()[0] if rest.split() else "?"
                command.answer = fields_of(rest)
                command.name_ports()
            continue
        command = Command(name, rest)
        if name == MARK:
            number = int(command.fields.get("roce_address_index", "0"), 0)
            began = began or number == 1
            if began:
                at = number if at is None else at + ((number - at) & 0xFFFF)
                steps[at] = []
        elif began and name not in reasons.IN_THE_BACKGROUND:
            steps[at].append(command)
            waiting[name] = command
    return steps


class Netdev:
    """The table of the netdev, which no call makes and destroys in the guest."""

    def __init__(self):
        self.table = None

    def of(self, command):
        if command.fields.get("flow_table_context.level") == reasons.NETDEV_LEVEL:
            self.table = command.answer.get("table_id")
            return True
        return command.name == "DESTROY_FLOW_TABLE" and command.fields["table_id"] == self.table


def same_field(first, second, path, made, pairs_of):
    a, b = first.get(path), second.get(path)
    kind = reasons.NUMBERS.get(path.rsplit(".", 1)[-1])
    if a is None or b is None or not kind:
        return a == b
    if made and int(a, 0) not in NO_OBJECT:
        pairs_of.bind(kind, int(a, 0), int(b, 0))
    return pairs_of.same(kind, int(a, 0), int(b, 0))


def differ(first, second, pairs_of):
    """The fields in which two commands differ."""
    found = [] if first.status == second.status else ["status"]
    made = re.match("CREATE|ALLOC", first.name)
    for a, b, new in ((first.fields, second.fields, False), (first.answer, second.answer, made)):
        for path in list(a) + [f for f in b if f not in a]:
            if (not re.search(reasons.ADDRESSES, path) and
                    not reasons.of_field(first.name, path, path in a) and not same_field(a, b, path, new, pairs_of)):
                found.append(path)
    return found


def report(found, excused, compared, what):
    for words, examples in list(found.items())[:SHOWN]:
        print(f"{len(examples)} x {words}")
        for line in examples[0]:
            print(f"    {line}")
    for reason, number in sorted(excused.items()):
        print(f"{number} differ: {reason}")
    number = sum(len(e) for e in found.values())
    print(f"{compared} {what} compared, {number + sum(excused.values())} differ, {number} without a reason")
    return 1 if number or not compared else 0


def compare_calls(first, second):
    emulated, guest = read_calls(first), read_calls(second)
    found, excused, compared = collections.OrderedDict(), collections.Counter(), 0
    for number, other in pairs(emulated, guest):
        a, b = emulated[number], guest[other]
        compared += 1
        if a == b:
            continue
        reason = reasons.of_call(a[0], a[1], b[1])
        if reason:
            excused[reason] += 1
            continue
        words = [w for w in zip(a[1].split(), b[1].split()) if w[0] != w[1]] or [(a[1], b[1])]
        key = " ".join([a[0].split()[0]] + [f"{x} | {y}" for x, y in words[:3]])
        found.setdefault(key, []).append((f"{number} {a[0]}", f"emulator: {a[1]}", f"guest:    {b[1]}"))
    return report(found, excused, compared, "calls")


def compare_commands(first, second, first_calls, second_calls):
    emulated, guest = read_commands(first), read_commands(second)
    words, others = read_calls(first_calls), read_calls(second_calls)
    numbers, netdev = Pairs(), Netdev()
    found, excused, compared, ended = collections.OrderedDict(), collections.Counter(), 0, ([], [])
    for number, other in pairs(words, others):
        numbers.end(*ended)
        call, ended = words[number][0], (emulated.get(number, []), guest.get(other, []))
        if call == "end":
            break  # what follows are the last commands of the drivers
        a, b = [c for c in ended[0] if not netdev.of(c)], ended[1]
        if words[number][1] != others[other][1]:
            excused["the answers of the call differ"] += max(len(a), len(b))
            continue
        a, b = [[c for c in side if not reasons.of_command(c, call, excused)] for side in (a, b)]
        compared += max(len(a), len(b))
        if [c.name for c in a] != [c.name for c in b]:
            key = f"{call.split()[0]}: {','.join(c.name for c in a)} | {','.join(c.name for c in b)}"
            found.setdefault(key, []).append((f"{number} {call}",))
            continue
        for x, y in zip(a, b):
            fields = differ(x, y, numbers)
            if fields:
                key = f"{x.name}: {' '.join(fields)}"
                found.setdefault(key, []).append((f"{number} {call}", f"emulator: {x}", f"guest:    {y}"))
    return report(found, excused, compared, "commands")


if __name__ == "__main__":
    sys.exit(compare_calls(*sys.argv[2:4]) if sys.argv[1] == "calls" else compare_commands(*sys.argv[2:6]))
