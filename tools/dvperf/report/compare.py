#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Usage: dvperf compare [OPTION...] A B

Compares results (--json), files or directories, row by row: B's value over A's, with what both spread
over. Reasons that make the comparison unfair are printed.

  -i, --ignore=NAME,...      rows match although these options differ (api: direct against verbs)
  -j, --json                 print JSON
  -m, --metric=NAME,...      these metrics only; list lists them
  -?, --help                 give this help list
      --usage                give a short usage message
"""
# Rows match when all their options (and their ranks) are equal, except how long they ran and what is
# ignored. Several rows of one side that are equal so are repeats: the median counts, and what they
# span. The repeats of a single row count as values of the metrics for which they are kept; of several
# rows each is one value, since the repeats of a run have more in common than two runs.
import json
import math
import statistics

import results
from results import METRICS, metric, number, option, refuse, visible

MAIN = ("mops", "cycles_per_op", "doorbells_per_op", "lat_min", "lat_50", "lat_99", "lat_99.9", "post_instr",
        "post_cycles", "poll_instr", "poll_cycles", "op_instr")
# As sure as the rate: they are made from the same repeats.
OF_REPEATS = ("mops", "gbps", "ns_per_op", "cycles_per_op", "tsc_per_op", "seconds")
# Counted one by one, by single steps: the same whenever it is counted.
EXACT = ("post_instr", "poll_instr", "op_instr", "floor_instr")
NO_SPREAD = ("no spread: a result keeps its repeats of the rate, of cycles and of lat's latencies only; several "
             "results of a kind in a directory have one of every metric")


# ---- rows that match ----

def key(row, ignored):
    """Options that have to be equal."""
    kept = {n: v for n, v in row["options"].items() if n not in results.LENGTHS and n not in ignored}
    return json.dumps([kept, row.get("rank")], sort_keys=True)


def group(side, ignored):
    """Key: the rows that have it."""
    found = {}
    for result in side:
        for row in result.rows:
            found.setdefault(key(row, ignored), []).append((row, result))
    return found


# ---- values ----

def kept(rows, name):
    """The repeats of the only row, if there are some."""
    repeats = rows[0].get("repeats") if len(rows) == 1 else None
    values = repeats.get(name) if isinstance(repeats, dict) else None
    return [v for v in values if results.is_number(v) and math.isfinite(v)] if isinstance(values, list) else []


def value(rows, name):
    """(median, least, most); the last two are None where no spread is known. None: not measured."""
    values = [v for v in (metric(row, name) for row in rows) if v is not None]
    if not values:
        return None
    middle, spread, repeats = statistics.median(values), metric(rows[-1], "spread"), kept(rows, name)
    if len(values) > 1 or name in EXACT:
        return middle, min(values), max(values)
    if len(repeats) > 1:
        return middle, min(repeats), max(repeats)
    if name in OF_REPEATS and spread is not None:
        return middle, middle * (1 - spread / 2) if spread < 1 else 0, middle * (1 + spread / 2)
    return middle, None, None


def ratio(a, b):
    """B over A, its least and its most; None where they are not known."""
    if not a[0] > 0:
        return None, None, None
    if a[1] is None or b[1] is None:
        return b[0] / a[0], None, None
    return b[0] / a[0], b[1] / a[2], b[2] / a[1] if a[1] > 0 else math.inf


def verdict(low, high):
    if low is None:
        return "no spread"
    return "more" if low > 1 else "less" if high < 1 else "the same" if low == high else "within the spread"


def test(a, b):
    """Mann-Whitney's p, exact for few values without ties, and Cliff's delta; None: too few."""
    from scipy import stats  # loaded where it is needed: it takes a second

    if len(a) < 2 or len(b) < 2:
        return None, None
    if len(set(a + b)) == 1:
        return 1.0, 0.0
    exact = len(set(a + b)) == len(a + b) and len(a) <= 20 and len(b) <= 20
    found = stats.mannwhitneyu(b, a, method="exact" if exact else "asymptotic")
    return float(found.pvalue), float(2 * found.statistic / len(a) / len(b) - 1)


def compare_metric(a, b, name):
    """A and B are rows. None: one of them does not have it."""
    left, right = value(a, name), value(b, name)
    if left is None or right is None:
        return None
    values = [kept(rows, name) or [v for v in (metric(row, name) for row in rows) if v is not None] for rows in (a, b)]
    b_to_a, low, high = ratio(left, right)
    p, effect = test(*values)
    found = {"unit": METRICS[name][0], "a": left[0], "b": right[0], "ratio": b_to_a, "ratio_min": low,
             "ratio_max": high, "values_a": len(values[0]), "values_b": len(values[1]), "p": p, "effect": effect,
             "verdict": verdict(low, high)}
    return {n: v for n, v in found.items() if v is not None and v != math.inf}


def compare(paths, ignored, names):
    """The JSON."""
    sides = [results.load(path) for path in paths]
    a, b = (group(side, ignored) for side in sides)
    matches = [k for k in a if k in b]
    unfair = dict.fromkeys(d for k in matches for d in dict.fromkeys(
        d for one in unique(a[k]) for other in unique(b[k]) for d in results.differences(one, other)))
    if not matches:
        refuse_without_match(sides[0][0].rows[0], sides[1][0].rows[0], ignored)
    rows = []
    for k in matches:
        left, right = [row for row, _ in a[k]], [row for row, _ in b[k]]
        found = {name: compare_metric(left, right, name) for name in METRICS if name in names}
        rows.append({"options": left[0]["options"], "metrics": {n: m for n, m in found.items() if m}})
    return {"compare": results.FORMATS[-1], "a": paths[0], "b": paths[1], "fair": not unfair,
            "differences": list(unfair), **{f"not_trusted_{side}": list(dict.fromkeys(
                reason for result in sides[side == "b"] for reason in result.reasons())) for side in "ab"},
            "only_a": sum(k not in b for k in a), "only_b": sum(len(b[k]) for k in b if k not in a), "rows": rows}


def unique(rows):
    """The results that rows are of."""
    return {id(result): result for _, result in rows}.values()


def refuse_without_match(one, other, ignored):
    for name in one["options"]:
        if name not in results.LENGTHS and name not in ignored and option(one, name) != option(other, name):
            refuse(f"compare: no row of A matches one of B: the first ones differ in {name} "
                   f"({option(one, name)}, {option(other, name)}); see --ignore")
    refuse("compare: no row of A matches one of B: their options have other names")


# ---- as text ----

def spread_text(m):
    if "ratio" not in m:
        return "-"
    if m["verdict"] == "no spread":
        return f"{m['ratio']:.3f}  (no spread)"
    if "ratio_max" not in m:
        return f"{m['ratio']:.3f}  (the repeats of A differ too much)  {m['verdict']}"
    if m["ratio_min"] == m["ratio_max"]:
        return f"{m['ratio']:.3f}  {m['verdict']}"
    return f"{m['ratio']:.3f}  ({m['ratio_min']:.3f} to {m['ratio_max']:.3f})  {m['verdict']}"


def line(name, m):
    text = f"  {name:<17} {number(m['a']):>10} {number(m['b']):>10} {m['unit']:<12}  B/A {spread_text(m)}"
    if "p" in m:
        text += f"  p {m['p']:.2g}, effect {m['effect']:+.2f} ({m['values_a']}, {m['values_b']} values)"
    return text


def table(c):
    """The JSON for a reader."""
    axes = results.Axes(c["rows"])
    names = ([axes.x] if axes.x else []) + axes.lines
    yield f"{'':<19} {'A':>10} {'B':>10}"
    for row in c["rows"]:
        yield visible(results.words(row, names or ["mode", "op", "api", "size", "batch"]))
        yield from (line(name, m) for name, m in row["metrics"].items())
    if any("ratio" in m and m["verdict"] == "no spread" for row in c["rows"] for m in row["metrics"].values()):
        yield NO_SPREAD
    if c["only_a"] or c["only_b"]:
        yield f"without a match: {c['only_a']} of A, {c['only_b']} of B"
    for what, member in (("NOT A FAIR COMPARISON: ", "differences"), ("NOT TO BE TRUSTED (A): ", "not_trusted_a"),
                         ("NOT TO BE TRUSTED (B): ", "not_trusted_b")):
        yield from (what + visible(text) for text in c[member])


def main():
    paths, given = results.options(__doc__, "i:jm:", ["ignore=", "json", "metric="])
    lists = {names: [n for o, v in given if o in names for n in v.split(",")]
             for names in (("-i", "--ignore"), ("-m", "--metric"))}
    ignored, names = lists.values()
    if names in (["list"], ["help"]):
        return results.end("".join(f"{n:<20} {meaning}\n" for n, (_, meaning) in METRICS.items()))
    for name in names:
        results.check_metric(name)
    if "" in ignored:
        refuse("compare: --ignore: an empty name")
    if len(paths) > 2:
        refuse(f"compare: two results only: '{paths[2]}' is a third one")
    if len(paths) < 2:
        refuse("compare: which two? 'dvperf compare A B', files or directories of results")
    found = compare(paths, ignored, names or MAIN)
    if any(o in ("-j", "--json") for o, _ in given):
        return results.end(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return results.end("\n".join(table(found)) + "\n")


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as error:
        refuse(f"compare needs {error.name} of Python: apt-get install python3-scipy")
