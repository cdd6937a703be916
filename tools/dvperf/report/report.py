#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""Usage: dvperf report [OPTION...] DIR

Writes one self-contained HTML page of all results (--json) in DIR, or of one file: figures, what they say,
tables, environment.

  -o, --output=FILE          the page (DIR/report.html); - is standard output
      --svg=FILE             instead of a page the figure that a sweep draws of its result; of several modes
                             one each, FILE-bw.svg and so on
  -?, --help                 give this help list
      --usage                give a short usage message
"""
# The page is HTML that is XML too, has everything in it (figures inline, style in its head) and loads nothing:
# a Content-Security-Policy forbids it. Results of one row from one environment share a section: together they
# may be a line.
import os

import results
from results import METRICS, Axes, Result, escape, metric, note, number, option, refuse, text_of

try:
    import figures
    MISSING = None
except ModuleNotFoundError as error:
    MISSING = error.name

STYLE = """:root{color-scheme:light dark;--bg:#fff;--fg:#1c1e21;--dim:#62676d;--line:#d5d8dc;--soft:#f4f5f7;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#16181b;--fg:#e4e6e9;--dim:#9ba1a8;--line:#3a3f45;--soft:#202327;--bad:#ff8a80}}
body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1,h2,h3{line-height:1.2;overflow-wrap:anywhere}h2{margin-top:3rem;border-bottom:1px solid var(--line)}a{color:inherit}
figure{margin:1.5rem 0}.scroll{overflow-x:auto}figure svg{width:100%;min-width:40rem;height:auto;display:block}
nav ul{columns:16rem;padding-left:1.2rem}.dim{color:var(--dim)}
code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}summary{cursor:pointer}
.bad{border-left:4px solid var(--bad);background:var(--soft);padding:.4rem .8rem}.bad b{color:var(--bad)}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}thead th{background:var(--soft)}
th,td{padding:.15rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child,.text td{text-align:left}.text td{white-space:normal}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#999;--soft:#fff}nav{display:none}
body{max-width:none;margin:0;font-size:10pt}h2{break-before:page}section:first-of-type h2{break-before:auto}
figure svg{min-width:0}svg,tr,li,.bad{break-inside:avoid}figcaption b,figure .scroll{break-after:avoid}
.scroll{overflow:visible}th,td{white-space:normal;padding:.1rem .3rem}table{font-size:7pt}}
"""
HEAD = """<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<h1>{title}</h1>
"""
MAIN = ("mops", "spread", "gbps", "cycles_per_op", "doorbells_per_op", "cqes_per_op", "pcie_percent", "lat_50",
        "lat_99", "post_instr", "post_cycles", "poll_instr", "poll_cycles", "op_instr")
SWEEP_Y = {"bw": "mops", "lat": "lat_50"}  # of the others post_cycles
OTHER_LISTS = {"quoted": "Others, measured once by the same method on another machine",
               "fits": "The cost of a doorbell: lines through time over doorbells; those of post are modelled"}


# ---- tables ----

def cell(value):
    """Numbers have three digits."""
    return number(value) if results.is_number(value) else text_of(value) or "-"


def table(head, rows, kind=""):
    """head: HTML; rows: lists of texts."""
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>\n" for row in rows)
    top = "<thead><tr>" + "".join(f"<th{h}</th>" for h in head) + "</tr></thead>\n" if head else ""
    return f'<div class="scroll"><table{kind}>{top}<tbody>\n{body}</tbody></table></div>\n'


def details(summary, content):
    return f"<details><summary>{escape(summary)}</summary>\n{content}</details>\n"


def metric_head(name):
    meaning = METRICS[name][1]
    modelled = "modelled" in meaning or name.startswith("pcie_")
    return f' title="{escape(meaning)}">{escape(name)}' + ("<br/><i>modelled</i>" if modelled else "")


def rows_table(result, axes, names):
    names = [n for n in names if any(metric(row, n) is not None for row in result.rows)]
    ranks = ["rank", "host"] if "rank" in result.rows[0] else []
    reasons = result.reasons()
    head = [">" + escape(n) for n in ranks + axes.varying] + [metric_head(n) for n in names] + [">doubts"]
    return table(head, (
        [cell(row.get(n)) for n in ranks] + [option(row, n) for n in axes.varying] +
        [number(metric(row, n)) for n in names] +
        [", ".join(str(i) for i, reason in enumerate(reasons, 1) if reason in row["not_trusted"]) or "-"]
        for row in result.rows))


def list_table(rows):
    """Objects with the same members, which are the columns."""
    names = list(rows[0])
    return table([">" + escape(n) for n in names], ([cell(row.get(n)) for n in names] for row in rows))


def over_ranks(data):
    """For a job of ranks: each metric, over the ranks that post."""
    spread, sums = data.get("spread"), data.get("sum")
    if not isinstance(spread, dict) or not isinstance(sums, dict):
        return ""
    return "<h3>Over the ranks that post</h3>\n" + table(
        [">metric", ">least", ">median", ">most", ">sum"],
        ([name] + [cell(of.get(k)) for k in ("min", "median", "max")] + [cell(sums.get(name))]
         for name, of in spread.items() if isinstance(of, dict)))


def counters(result, axes):
    names = ([axes.x] if axes.x else []) + axes.lines
    rows = [(results.words(row, names), "; ".join(f"{n} {text_of(v)}" for n, v in row["device_counters"].items()))
            for row in result.rows if isinstance(row.get("device_counters"), dict) and row["device_counters"]]
    return details("Counters of the device, after minus before", table([], rows, ' class="text"')) if rows else ""


def environment(result):
    pairs = dict(results.flat(result.environment))
    if not pairs:
        return ""
    firmware = pairs.get("device.firmware")
    summary = [pairs.get("cpu"), pairs.get("device.name"), firmware and "firmware " + firmware]
    return details("Environment: " + ", ".join(filter(None, summary)), table([], pairs.items(), ' class="text"'))


def tables(result, axes):
    same = ", ".join(f"{n} {option(result.rows[0], n)}" for n in axes.names if n not in axes.varying)
    yield f'<h3>Rows</h3>\n<p class="dim">In all rows: {escape(same) or "nothing is the same"}.</p>\n'
    yield rows_table(result, axes, [n for n in METRICS if n in MAIN])
    yield '<p class="dim">Doubts are numbered as in the list above.</p>\n' + over_ranks(result.data)
    for member, title in OTHER_LISTS.items():
        rows = result.data.get(member)
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            yield f"<h3>{title}</h3>\n{list_table(rows)}"
    yield details("All metrics", rows_table(result, axes, METRICS)) + counters(result, axes) + environment(result)


# ---- sections ----

def caption(figure):
    plan, meaning = figure.plan, METRICS[figure.plan.y][1]
    yield (f"<figcaption><b>{escape(figure.title)}</b> over {escape(figure.x)}; "
           f"{'less' if plan.less_is_better else 'more'} is better. <code>{plan.y}</code>: {escape(meaning)}. {plan.bars}")
    if figure.source:
        yield (f" The axes on the right have what others published: {escape(figure.source)}; their machine is another "
               "one, so compare the shapes, not the heights.")
    yield "\n<ul>\n" + "".join(f"<li>{text}</li>\n" for text in figures.sentences(figure)) + "</ul></figcaption>\n"


def reasons_of(result):
    reasons = result.reasons()
    if not reasons:
        return '<p class="dim">dvperf found no reason to distrust these results.</p>\n'
    items = "".join(f"<li>{escape(reason)}</li>\n" for reason in reasons)
    return f'<div class="bad"><b>Not to be trusted:</b><ul>\n{items}</ul></div>\n'


def section(result, i):
    axes = Axes(result.rows, result.x)
    yield f'<section id="result{i}">\n<h2>{escape(result.preset or result.name)}</h2>\n'
    if result.command:
        yield f'<p class="dim"><code>{escape(" ".join(map(text_of, result.command)))}</code></p>\n'
    yield reasons_of(result)
    for what, text in (("Published", result.said), ("About", result.about)):
        yield f"<p><b>{what}:</b> {escape(text)}.</p>\n" if text else ""
    found = figures.figures(result, axes)
    for n, figure in enumerate(found, 1):
        svg = figures.draw(figure, f"result{i}-figure{n}")
        yield f'<figure>\n<div class="scroll">{svg}</div>\n{"".join(caption(figure))}</figure>\n'
    if not found:
        yield '<p class="dim">No figure: no numeric option has several values here.</p>\n'
    yield from tables(result, axes)
    yield "</section>\n"


def gathered(all_results):
    """Results of one row that are from one environment become one result."""
    rest = list(all_results)
    while rest:
        first = rest.pop(0)
        if len(first.rows) > 1 or first.preset:
            yield first
            continue
        like = [r for r in rest if len(r.rows) == 1 and not r.preset and not results.differences(first, r)]
        rest = [r for r in rest if r not in like]
        yield Result(", ".join(r.name for r in [first, *like]), {
            "environment": first.environment, "rows": [r.rows[0] for r in [first, *like]]})


def page(all_results, title):
    sections = list(gathered(all_results))
    yield HEAD.format(title=escape(title), style=STYLE)
    if len(sections) > 1:
        links = "".join(f'<li><a href="#result{i}">{escape(r.preset or r.name)}</a></li>\n'
                        for i, r in enumerate(sections, 1))
        yield f"<nav><ul>\n{links}</ul></nav>\n"
    for i, result in enumerate(sections, 1):
        yield from section(result, i)
    yield "</body>\n</html>\n"


# ---- files ----

def save(path, text):
    """Whole, or not at all."""
    beside = f"{path}.{os.getpid()}.new" if os.path.isfile(path) or not os.path.exists(path) else path
    try:
        with open(beside, "w", encoding="utf-8", errors="replace") as f:
            f.write(text)
        os.replace(beside, path) if beside != path else None
    except OSError as error:
        if beside != path and os.path.exists(beside):
            os.unlink(beside)
        refuse(f"{path}: {error.strerror}; it is not written", 1)


def page_of(path):
    if os.path.isdir(path):
        return path + "/report.html"
    return "report.html" if path == "-" else path.removesuffix(".json") + ".html"


def draw_sweep(result, path):
    """The figure of each mode."""
    modes = list(dict.fromkeys(option(row, "mode") for row in result.rows))
    for mode in modes:
        rows = [row for row in result.rows if option(row, "mode") == mode]
        y = result.y if result.y in METRICS else SWEEP_Y.get(mode, "post_cycles")
        of_mode = Result(result.name, {**result.data, "rows": rows})
        figure = figures.Figure(figures.plan_of(y, mode), of_mode, Axes(rows, result.x))
        figure.title = result.title or figure.title
        if figure.lines:
            save(path if len(modes) == 1 else f"{path.removesuffix('.svg')}-{mode}.svg", figures.draw(figure))
        else:
            note(f"no figure of {mode}: it has no {y} over several values of an option")


def main():
    paths, given = results.options(__doc__, "o:", ["output=", "svg="])
    given = dict(given)
    if MISSING:
        refuse(f"figures need {MISSING} of Python: apt-get install python3-matplotlib")
    if len(paths) > 1:
        refuse(f"report: one directory only: '{paths[1]}' is a second one")
    if not paths:
        refuse("report: which directory? 'dvperf report DIR' reads the .json files in it")
    path = paths[0]
    found = results.load(path)
    if "--svg" in given:
        if len(found) > 1:
            refuse("report: --svg is of one result: 'dvperf report FILE.json --svg=FILE.svg'")
        draw_sweep(found[0], given["--svg"])
        return
    output = given.get("-o", given.get("--output", page_of(path)))
    name = os.path.realpath(path)
    text = "".join(page(found, "dvperf: " + (os.path.basename(name) or name)))
    if output == "-":
        results.end(text)
    else:
        save(output, text)
        results.end(output + "\n")


if __name__ == "__main__":
    main()
