# SPDX-License-Identifier: BSD-2-Clause
"""Figures of results: lines over one option, as SVG and in words.

Measurements and published values are beside each other, each on its own axes: another machine has
other numbers, the shape is what compares. The reasons not to trust the numbers are above them.
"""
import io
import logging
import re
import textwrap
import typing
import warnings

import matplotlib
from matplotlib import ticker

from results import METRICS, METRIC_OF_CURVES, escape, metric, number, option, plain, words

logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.simplefilter("ignore")  # a glyph that this machine does not have: the reader's may
matplotlib.rcdefaults()
matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

INK = "#010203"  # becomes the color of the surrounding text: a page may be dark
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "dvperf", "text.parse_math": False, "text.color": INK,
    "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})
COLORS = ("#3b8bd4", "#e07b00", "#1aa37a", "#d0435b", "#9b72cf", "#a88b00", "#00a3b8", "#8a8a8a")
MARKS, DASHES = "os^vDXP*", ("-", "--", "-.", ":")

# ---- what is worth a figure ----

WINDOWS = "Bars: from the slowest window of time to the fastest."
REPEATS = "Bars: from the least of the repeats to the greatest."
REACHES = "Bars: from the least to what 99 % stay below."
BAND = "Modelled, not measured. Bars: from 300 ns for each write to none."


class Plan(typing.NamedTuple):
    title: str
    unit: str
    y: str
    modes: str  # whose rows have it
    low: str = ""  # metrics at the ends of the bars
    high: str = ""
    bars: str = ""
    over: str = ""  # drawn over this option only
    less_is_better: bool = False


def cycles(title, name):
    return Plan(title, "core cycles", name, "post", name + "_min", name + "_max", REPEATS, less_is_better=True)


def instructions(title, name):
    return Plan(title, "instructions", name, "post", less_is_better=True)


PLANS = (
    Plan("Rate", "M operations/s", "mops", "bw", "mops_min", "mops_max", WINDOWS),
    Plan("Rate of posting", "M WQEs/s", "mops", "post", "mops_min", "mops_max", REPEATS, "threads"),
    Plan("Payload", "Gb/s", "gbps", "bw", over="size"),
    instructions("Instructions of an operation", "op_instr"),
    cycles("Core cycles to post a WQE", "post_cycles"),
    instructions("Instructions to post a WQE", "post_instr"),
    cycles("Core cycles to poll a CQE", "poll_cycles"),
    cycles("Core cycles to post an operation and poll its CQE", "op_cycles"),
    instructions("Instructions to poll a CQE", "poll_instr"),
    Plan("Modelled rate, if a write to a register took 100 ns", "M operations/s", "modelled_mops_100ns", "post",
         "modelled_mops_300ns", "modelled_mops_0ns", BAND, "batch"),
    Plan("Core cycles of an operation", "core cycles", "cycles_per_op", "bw", "cycles_min", "cycles_max", REPEATS,
         less_is_better=True),
    Plan("Time of a store to a register", "ns", "ns_per_op", "mmio", "ns_min", "ns_max", REPEATS, "threads", True),
    Plan("Stores of all threads", "M stores/s", "mops", "mmio", "mops_min", "mops_max", REPEATS, "threads"),
    Plan("Doorbells of an operation", "registers written", "doorbells_per_op", "bw", over="batch",
         less_is_better=True),
    Plan("Latency: median, bar from least to 99 %", "µs", "lat_50", "bw lat", "lat_min", "lat_99", REACHES,
         less_is_better=True),
)

OPTIONS = {"batch": "WQEs of a doorbell", "qp": "QPs of each thread", "threads": "threads that post",
           "size": "bytes of a message", "outstanding": "WQEs under way on a QP",
           "inline_size": "bytes that may be inline", "tx_depth": "WQEs of a send queue",
           "rate": "operations/s asked for"}


def plan_of(name, mode):
    """That of a metric of one mode, over anything."""
    for plan in PLANS:
        if plan.y == name and mode in plan.modes.split():
            return plan._replace(modes=mode, over="")
    return Plan(name, METRICS[name][1] or "counted", name, mode)


# ---- lines ----

class Point(typing.NamedTuple):
    x: float
    y: float
    low: float
    high: float


class Line:
    """Points by x. Those whose bar does not hold y have none, so that all have one or none."""

    def __init__(self, name, color, points, published=False):
        self.name, self.color, self.published = plain(name), color, published
        self.points = sorted(points, key=lambda p: p.x)
        self.bars = all(p.low is not None and p.high is not None and p.low <= p.y <= p.high for p in points)
        self.at = {p.x: p for p in self.points}


class Figure:
    """The lines of one metric; without lines there is nothing to draw."""

    def __init__(self, plan, result, axes):
        self.plan, self.x, self.title = plan, axes.x, plan.title
        self.lines, self.source = [], ""
        self.warning = "; ".join(dict.fromkeys(plain(r.split(":")[0]) for r in result.reasons()))
        if axes.x and plan.over in ("", axes.x):
            self.add_measured(result, axes)
        if self.lines and plan.y == METRIC_OF_CURVES:
            self.add_published(result)

    def add_measured(self, result, axes):
        """A color is that of the API where nothing else distinguishes lines, else of a line in all figures."""
        apis = ["direct", "wr", "verbs"] if axes.lines == ["api"] else []
        every = list(dict.fromkeys([*apis, *(words(row, axes.lines) for row in result.rows)]))
        found = {}
        for row in result.rows:
            y = metric(row, self.plan.y)
            if y is not None and option(row, "mode") in self.plan.modes.split():
                found.setdefault(words(row, axes.lines), []).append(
                    Point(row["options"][axes.x], y, metric(row, self.plan.low), metric(row, self.plan.high)))
        if len({p.x for points in found.values() for p in points}) > 1:
            self.lines = [Line(name or self.plan.y, every.index(name), points) for name, points in found.items()]

    def add_published(self, result):
        """Curves are rates over what their preset varies: they are not drawn over another x."""
        for color, curve in enumerate(result.published):
            if curve.get("over", self.x) == self.x:
                points = [Point(x, y, None, None) for x, y in zip(curve["x"], curve["y"])]
                self.lines.append(Line(curve["series"], color, points, True))
                self.source = plain(curve["source"])

    def panels(self):
        """The measurement, and published values if there are any."""
        sides = [[line for line in self.lines if line.published == side] for side in (False, True)]
        return [lines for lines in sides if lines]


def figures(result, axes):
    """Those of a page."""
    return [f for f in (Figure(plan, result, axes) for plan in PLANS) if f.lines]


# ---- drawing ----

NEAR = 0.012  # of the height: values that differ by less are drawn on each other
PIECE = 4  # points of a line that is drawn in turns
LARGER = {"µs": ("ms", "s"), "ns": ("µs", "ms"), "M ": ("G ", "T "), "Gb/s": ("Tb/s", "Pb/s")}


def scaled(label, most):
    """By what great numbers are divided, and the label that says so."""
    million = most >= 1e7
    if most < 1e4:
        return 1, label
    for unit, larger in LARGER.items():
        if label.startswith(unit):
            return (1e6 if million else 1e3), larger[million] + label[len(unit):]
    return (1e6, "million " + label) if million else (1e3, "thousand " + label)


def is_doubling(xs):
    """Whether most steps double it: 1, 2, 4, 8 … but not 1, 8, 16, 24 …"""
    return xs[0] > 0 and 2 * sum(b >= 1.9 * a for a, b in zip(xs, xs[1:])) > len(xs) - 1


def is_wide(lines):
    """Times span orders of magnitude, and their bars more."""
    ends = [v for line in lines for p in line.points for v in (p.y, p.low if line.bars else p.y,
                                                               p.high if line.bars else p.y)]
    return min(ends) > 0 and max(ends) / min(ends) > 100


def lies_on(one, other, height):
    """Whether one of two lines would hide a piece of the other."""
    near = [abs(one.at[x].y - other.at[x].y) < NEAR * height for x in one.at if x in other.at]
    return any(a and b for a, b in zip(near, near[1:]))


def dashes(line, lines):
    """In turns with those at the same place, so that none hides another."""
    height = max(p.y for other in lines for p in other.points) or 1
    group = [other for other in lines if other is line or lies_on(line, other, height)]
    if line.published or len(group) == 1:
        return "--" if line.published else DASHES[line.color // len(COLORS) % len(DASHES)]
    before, length = group.index(line), PIECE * len(group)
    return (length - PIECE * before) % length, (PIECE, length - PIECE)


def draw_line(ax, line, lines, divisor):
    """Its sample for the legend."""
    look = {"color": COLORS[line.color % len(COLORS)], "markersize": 5,
            "marker": MARKS[(line.color + line.color // len(COLORS)) % len(MARKS)]}
    bars = None
    if line.bars:
        bars = [[(p.y - p.low) / divisor for p in line.points], [(p.high - p.y) / divisor for p in line.points]]
    ax.errorbar([p.x for p in line.points], [p.y / divisor for p in line.points], yerr=bars, capsize=3,
                linestyle=dashes(line, lines), **look)
    return plt.Line2D([], [], linestyle=dashes(line, [line]), **look)


def spaced(xs, place, gap):
    """The ticks that have space."""
    kept, width = xs[:1], place(xs[-1]) - place(xs[0]) or 1
    for x in xs[1:]:
        if (place(x) - place(kept[-1])) / width >= gap:
            kept.append(x)
    return kept


def draw_panel(ax, figure, lines, panels):
    xs = sorted({p.x for line in lines for p in line.points})
    most = max(p.high if line.bars else p.y for line in lines for p in line.points)
    divisor, label = scaled(f"{figure.plan.unit} ({figure.plan.y})", most)
    samples = [draw_line(ax, line, lines, divisor) for line in lines]
    if is_doubling(xs):
        ax.set_xscale("log", base=2)
    place = ax.xaxis.get_transform().transform
    ticks = spaced(xs, place, 0.06 * panels)
    ax.set_xticks(ticks, [number(x) for x in ticks])
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    if figure.plan.y == "lat_50" and is_wide(lines):
        ax.set_yscale("log")
        ax.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.4g}")
    what = OPTIONS.get(figure.x)
    ax.set(ylabel=label, xlabel=f"{what} ({figure.x})" if what else plain(figure.x))
    ax.grid(axis="y", color="#8a8a8a", linewidth=0.5, alpha=0.5)
    longest = max(len(line.name) for line in lines)
    columns = 1 if panels > 1 or longest > 34 else 2 if longest > 16 else 3
    ax.legend(samples, ["\u200b" + line.name for line in lines], loc="upper center", bbox_to_anchor=(0.5, -0.13),
              ncol=columns)


def draw(figure, name=None):
    """As SVG. name: inside a page, where it begins the ids of its parts; else it is a file with a background."""
    panels = figure.panels()
    canvas, axes = plt.subplots(1, len(panels), figsize=(9, 4), squeeze=False)
    canvas.subplots_adjust(left=0.08, right=0.99, bottom=0.12, top=0.94 if figure.source else 0.99, wspace=0.25)
    for ax, lines in zip(axes[0], panels):
        draw_panel(ax, figure, lines, len(panels))
        if figure.source:
            ax.set_title(textwrap.fill("published, by others: " + figure.source, 56) if lines[0].published
                         else "measured", fontsize=10)
    warning = textwrap.wrap("NOT TO BE TRUSTED: " + figure.warning, 110) if figure.warning else []
    canvas.text(0.5, 1.01, "\n".join(warning), ha="center", va="bottom", fontsize=9)
    canvas.text(0.5, 1.02 + 0.04 * len(warning), plain(figure.title), ha="center", va="bottom", fontsize=12)
    out = io.StringIO()
    canvas.savefig(out, format="svg", transparent=bool(name), bbox_inches="tight",
                   metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    plt.close(canvas)
    if not name:
        return out.getvalue().replace(INK, "#000000")
    svg = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", out.getvalue().split("<svg", 1)[1])
    return f'<svg role="img" aria-label="{escape(figure.title)}"' + svg.replace(INK, "currentColor")


# ---- in words ----

NOTHING = 0.05  # a smaller change is not mentioned
SAME = 0.005  # lines that differ by no more are the same


def times(a, b):
    if a <= 0 or b <= 0:
        return "."
    if abs(b / a - 1) < NOTHING:
        return ": about the same."
    return f": {number(b / a)} times as much." if b > a else f": {number(a / b)} times less."


def overlap(one, p, other, q):
    """Overlapping error bars of two points make their ratio less certain."""
    both = one.bars and other.bars and p.low <= q.high and q.low <= p.high
    return " Their bars overlap." if both else ""


def extremes(line, at):
    first, last = line.points[0].y, line.points[-1].y
    for what, pick in (("most", max), ("least", min)):
        edge, p = pick(first, last), pick(line.points, key=lambda p: p.y)
        if edge > 0 and abs(p.y / edge - 1) >= NOTHING:
            yield f" Its {what} in between: {at(p)}."


def is_same(one, other, most):
    return (one.at.keys() == other.at.keys() and one.published == other.published and
            all(abs(p.y - other.at[x].y) <= most * abs(other.at[x].y) for x, p in one.at.items()))


def line_words(figure, line):
    def at(p):
        return f"{number(p.y)} at {escape(figure.x)} {number(p.x)}"

    first, last = line.points[0], line.points[-1]
    text = f"<b>{escape(line.name)}</b>{' (published, by others, elsewhere)' if line.published else ''}: {at(first)}"
    if first is last:
        text += "."
    else:
        text += f", {at(last)}" + times(first.y, last.y) + overlap(line, first, line, last)
        text += "".join(extremes(line, at))
    earlier = figure.lines[:figure.lines.index(line)]
    for most, how in ((0, "the same"), (SAME, "nearly the same")):
        for other in earlier:
            if is_same(other, line, most):
                return text + f" It is {how} as <b>{escape(other.name)}</b>."
    return text


def across(figure, x):
    """Our lines against each other."""
    here = sorted((line for line in figure.lines if not line.published and x in line.at), key=lambda n: n.at[x].y)
    if len(here) < 2:
        return
    least, most = here[0], here[-1]
    p, q = least.at[x], most.at[x]
    yield (f"At {escape(figure.x)} {number(x)}: least is <b>{escape(least.name)}</b> ({number(p.y)}), most is "
           f"<b>{escape(most.name)}</b> ({number(q.y)}){times(p.y, q.y)}{overlap(least, p, most, q)}")


def sentences(figure):
    """A description of the figure, as HTML."""
    yield from (line_words(figure, line) for line in figure.lines if line.points)
    points = figure.lines[0].points
    for x in dict.fromkeys((points[0].x, points[-1].x)):
        yield from across(figure, x)
