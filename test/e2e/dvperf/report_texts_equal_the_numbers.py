#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The texts of a page of dvperf report about its figures, against the numbers in the results.

	report_texts_equal_the_numbers.py PAGE DIR

Every "53 at batch 1" has to be a row of that option and that metric, with the words that tell its line
apart; every "3.5 times" the quotient of the two values before it. The page is well-formed, too.
"""
import glob
import json
import re
import sys
import xml.etree.ElementTree

AT = r"([\d.e+-]+) at (\w+) ([\d.]+)"
failures = 0


def fail(*words):
    global failures
    failures += 1
    print(*words)


def results(directory):
    """By the headings of the page: rows, and published points."""
    single = []
    for path in sorted(glob.glob(directory + "/*.json")):
        try:
            with open(path) as f:
                j = json.load(f)
        except (OSError, ValueError):
            continue
        if not isinstance(j, dict) or j.get("dvperf") == "0.3" or any("not_trusted" not in r for r in j.get("rows", [{}])):
            continue
        name = path.rsplit("/", 1)[1]
        if len(j["rows"]) == 1 and "preset" not in j:
            single.append((name, j["rows"][0]))
        else:
            yield j.get("preset", name), j["rows"], j.get("published", [])
    yield ", ".join(n for n, _ in single), [row for _, row in single], []


def same(said, value):
    """Three digits are said."""
    return abs(float(said) - value) <= 0.0051 * abs(value)


def matches(row, line):
    """Whether the row is of that line: each word is a value, or a name and its value."""
    for word in line.split(", "):
        values = [str(v) for v in row["options"].values()]
        pairs = ["%s %s" % p for p in row["options"].items()]
        if word not in values and word not in pairs and word not in row["metrics"]:
            return False
    return True


def check_line(item, metric, rows, published):
    """ "direct: 53.0 at batch 1, 15.2 at batch 64: 3.5 times less." """
    line, text = re.match(r"(.*?)(?: \(published, by others, elsewhere\))?: (.*)", item).groups()
    points = re.findall(AT, text)
    for value, option, x in points:
        if "(published" in item:
            found = [y for c in published if c["series"] == line
                     for px, y in zip(c["x"], c["y"]) if px == float(x)]
        else:
            found = [r["metrics"][metric] for r in rows if metric in r["metrics"] and
                     matches(r, line) and float(r["options"][option]) == float(x)]
        if not any(same(value, y) for y in found):
            fail("no such number:", value, option, x, "in", item, found)
    ratio = re.search(r": ([\d.]+) times (as much|less)\.", text)
    if ratio and len(points) >= 2:
        first, last = float(points[0][0]), float(points[1][0])
        right = last / first if ratio.group(2) == "as much" else first / last
        if abs(float(ratio.group(1)) / right - 1) > 0.02:
            fail("a wrong quotient:", item)
    return len(points)


def check_across(item, metric, rows):
    """ "At batch 8: least is direct (15.2), most is verbs (123): 8.1 times as much." """
    m = re.match(r"At (\w+) ([\d.]+): least is (.*) \(([^()]*)\), most is (.*) \(([^()]*)\)", item)
    option, x, low_name, low, high_name, high = m.groups()
    values = [r["metrics"][metric] for r in rows
              if metric in r["metrics"] and float(r["options"][option]) == float(x)]
    if not same(low, min(values)) or not same(high, max(values)):
        fail("not the least, not the most:", item, values)
    for name, value in ((low_name, low), (high_name, high)):
        if not any(matches(r, name) and same(value, r["metrics"][metric]) for r in rows
                   if metric in r["metrics"]):
            fail("of another line:", item)


def main(page, directory):
    space = "{http://www.w3.org/1999/xhtml}"
    root = xml.etree.ElementTree.parse(page).getroot()
    sections = {s.find(space + "h2").text: s for s in root.iter(space + "section")}
    points = across = 0
    for name, rows, published in results(directory):
        if name not in sections:
            continue
        for caption in sections.pop(name).iter(space + "figcaption"):
            metric = caption.find(space + "code").text
            for item in ("".join(li.itertext()) for li in caption.iter(space + "li")):
                if item.startswith("At "):
                    check_across(item, metric, rows)
                    across += 1
                else:
                    points += check_line(item, metric, rows, published)
    if sections:
        fail("sections of no result:", *sections)
    print("%d values and %d comparisons are in the results" % (points, across))
    if points < 20 or across < 10:
        fail("that is too little")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
