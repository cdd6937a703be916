# SPDX-License-Identifier: BSD-2-Clause
"""Results of dvperf, read back: files checked once, rows, reasons, environments; texts of others made safe.

    FILE.json, every .json of DIR --> load() --> Result: name, rows, environment, published
"""
import difflib
import getopt
import html
import json
import math
import os
import re
import signal
import sys

FORMATS = ("0.1", "0.2")  # of "dvperf" in a file; the first one was the version of the program
HERE = os.path.dirname(os.path.abspath(__file__))
METRIC_OF_CURVES = "mops"  # what the published curves of presets are
LENGTHS = ("iters", "duration", "repeats")  # how long it ran is not a parameter of what is measured
# The last of several options with as many values is the one that others usually follow from.
LIKED = ("rate", "tx_depth", "inline_size", "outstanding", "qp", "size", "threads", "batch")
# Options whose values are words that say by themselves what they are of.
PLAIN = ("mode", "op", "api", "layout", "connection")
# Members that differ from run to run of one machine.
DRIFTING = ("load", "core_cycles_per_tick", "date", "memory.huge_")

# ---- texts ----

UNSEEN = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text):
    """For a terminal: what it could interpret as a command becomes \\xNN, as of prm/visible.h."""
    return UNSEEN.sub(lambda m: "".join("\\x%02x" % b for b in m[0].encode("utf-8", "surrogatepass")), text)


def plain(text):
    """Characters of XML: control characters become blanks, what is not a character U+FFFD."""
    return re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", re.sub("[\0-\x1f\x7f-\x9f]", " ", text))


def escape(text):
    return html.escape(plain(str(text)))


def number(value):
    """About three digits."""
    if value is None:
        return "-"
    size = abs(value)
    if size >= 1e9 or (size < 0.1 and value):
        return f"{value:.3g}"
    digits = 0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:.{digits}f}"


def text_of(value):
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def note(text):
    sys.stdout.flush()
    print("dvperf: " + visible(text), file=sys.stderr)


def refuse(text, status=2):
    note(text)
    sys.exit(status)


# ---- the command line ----

def options(doc, letters, names):
    """The words and the pairs (option, value) of the command line; doc is the help."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        given, words = getopt.gnu_getopt(sys.argv[1:], letters + "?", names + ["help", "usage"])
    except getopt.GetoptError as error:
        refuse(f"{error}; {doc.split(chr(10), 1)[0].removeprefix('Usage: ')}")
    for name, _ in given:
        if name in ("-?", "--help", "--usage"):
            print(doc if name != "--usage" else doc.split("\n", 1)[0])
            sys.exit(0)
    return words, given


def end(text):
    """Prints it all, or fails."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing more to say at the end
        refuse(f"standard output: {error.strerror}", 1)


# ---- metrics ----

def read_metrics():
    """Name: (unit, meaning), in the order of the CSV, from the table of the C sources."""
    path = next(p for p in (HERE + "/metric.def", HERE + "/../result/metric.def") if os.path.exists(p))
    with open(path, encoding="utf-8") as f:
        rows = re.findall(r'^METRIC\(\w+, "(.*?)", "(.*?)",\s+"(.*?)"\)', f.read(), re.M)
    return {name: (unit, meaning) for name, unit, meaning in rows}


METRICS = read_metrics()


def check_metric(name):
    if name not in METRICS:
        near = difflib.get_close_matches(name, METRICS, 1, 0.7)
        refuse(f"'{name}' is not a metric" + (f"; did you mean '{near[0]}'?" if near else "") +
               "; --metric=list lists them")


# ---- files ----

def is_number(value):
    """A value that fits a double."""
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and
                                        abs(value) <= sys.float_info.max)


def check_row(row):
    if not isinstance(row, dict) or not isinstance(row.get("options"), dict):
        return "a row without options"
    if not isinstance(row.get("metrics"), dict):
        return "a row without metrics"
    if not all(map(is_number, row["metrics"].values())):
        return "a metric that is not a number"
    if not isinstance(row.get("not_trusted"), list):
        return "a row that does not say whether to trust it"
    if not all(isinstance(reason, str) for reason in row["not_trusted"]):
        return "a reason that is not a text"
    return None


def check_curve(curve):
    x, y = (curve.get(axis) if isinstance(curve, dict) else None for axis in "xy")
    if not isinstance(x, list) or not isinstance(y, list) or len(x) != len(y):
        return "a published curve without points"
    if not all(map(is_number, x + y)):
        return "a published point that is not a number"
    if not all(isinstance(curve.get(name), str) for name in ("series", "source")):
        return "a published curve without a source"
    if not isinstance(curve.get("over", ""), str):
        return "a published curve over what is not an option"
    return None


def check(data):
    """None, or why it is not a result."""
    if not isinstance(data, dict) or not isinstance(data.get("dvperf"), str):
        return "not from dvperf"
    if not isinstance(data.get("rows"), list) or not data["rows"]:
        return "no rows"
    if not data["dvperf"].startswith(FORMATS):
        return f"of the format {data['dvperf']}, which is newer than this dvperf"
    published = data.get("published")
    bad = [check_row(row) for row in data["rows"]]
    bad += map(check_curve, published if isinstance(published, list) else [])
    return next(filter(None, bad), None)


class Result:
    """A checked file. Members that are not of their type are as if they were not there."""

    def __init__(self, name, data):
        def member(key, kind):
            return data[key] if isinstance(data.get(key), kind) else kind()

        self.name, self.data, self.rows = name, data, data["rows"]
        self.environment = member("environment", dict)
        self.published, self.command = member("published", list), member("command", list)
        self.preset, self.x, self.y, self.title = (member(key, str) for key in ("preset", "x", "y", "title"))
        self.said, self.about = member("published_text", str), member("about_text", str)
        self.version = member("version", str) or member("dvperf", str)

    def reasons(self):
        """Not to trust it: each once."""
        return list(dict.fromkeys(reason for row in self.rows for reason in row["not_trusted"]))


def read(path):
    """The data of a file, and why it is not a result, or None."""
    try:
        with open(0 if path == "-" else path, encoding="utf-8", errors="replace") as f:
            data = json.load(f)
    except (ValueError, RecursionError, IsADirectoryError):
        return None, "not JSON"
    except OSError as error:
        return None, error.strerror
    return data, check(data)


def load(path):
    """All results of a directory, or that of a file, or of standard input (-); what is not one is skipped with a line."""
    names, results = [path], []
    if os.path.isdir(path):
        names = [f"{path}/{n}" for n in sorted(os.listdir(path)) if n.endswith(".json") and n[0] != "."]
    elif path != "-" and not os.path.exists(path):
        refuse(f"{path}: No such file or directory")
    for name in names:
        data, bad = read(name)
        if bad and name is path:
            refuse(f"{'standard input' if path == '-' else path} is not a result: {bad}")
        if bad:
            note(f"{name} is skipped: it is not a result: {bad}")
        else:
            results.append(Result(name.rsplit("/", 1)[-1], data))
    if not results:
        refuse(f"{path}: it contains no results; 'dvperf … --json >{path}/NAME.json' makes one")
    return results


# ---- rows ----

def metric(row, name):
    """None: it was not measured."""
    value = row["metrics"].get(name)
    return value if value is not None and math.isfinite(value) else None


def option(row, name):
    return text_of(row["options"].get(name))


def words(row, names):
    """'direct, batch 16, locks on': what the options are in a row."""
    return ", ".join(("" if n in PLAIN else n + " ") + (option(row, n) or "-") for n in names)


class Axes:
    """x, the option to draw over, and the options that distinguish lines: those that vary and do not
    follow from x and the others."""

    def __init__(self, rows, wanted=""):
        self.names = list(dict.fromkeys(name for row in rows for name in row["options"]))
        values = {n: len({option(row, n) for row in rows}) for n in self.names}
        self.varying = [n for n in self.names if values[n] > 1]
        numbers = [n for n in self.varying if n not in LENGTHS and
                   all(is_number(row["options"].get(n)) for row in rows)]
        self.x = wanted if wanted in numbers else max(
            numbers, key=lambda n: (values[n], LIKED.index(n) if n in LIKED else -1), default=None)
        self.lines = []
        for name in self.varying:
            known = ([self.x] if self.x else []) + self.lines
            if name != self.x and kinds(rows, known + [name]) > kinds(rows, known):
                self.lines.append(name)


def kinds(rows, names):
    return len({tuple(option(row, n) for n in names) for row in rows})


# ---- environments ----

def flat(environment, prefix=""):
    """'device.firmware': its text."""
    for name, value in environment.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, text_of(value)


def is_same(name, one, other):
    if name.startswith(DRIFTING):
        return True
    try:
        return abs(float(one) / float(other) - 1) < 0.01 if name == "tsc_ghz" else one == other
    except (ValueError, ZeroDivisionError):
        return False


def differences(a, b):
    """Reasons that make a comparison of two results unfair: 'cpu: this | that'."""
    one, other = dict(flat(a.environment)), dict(flat(b.environment))
    one["dvperf"], other["dvperf"] = a.version, b.version
    return [f"{name}: {one.get(name, '-')} | {other.get(name, '-')}" for name in dict.fromkeys([*one, *other])
            if not is_same(name, one.get(name, "-"), other.get(name, "-"))]
