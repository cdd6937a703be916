#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""The parts of the scripts of dvperf report and dvperf compare, on results written here.

    report_scripts.py        77: matplotlib or scipy is missing
"""
import contextlib
import io
import math
import os
import sys
import unittest
import unittest.mock

try:
    import matplotlib  # noqa: F401
    import scipy.stats  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; Debian has them in python3-matplotlib and python3-scipy")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE + "/../../../tools/dvperf/report")
import compare  # noqa: E402
import figures  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402


def row(metrics, reasons=(), **options):
    return {"options": options, "metrics": metrics, "not_trusted": list(reasons)}


def result(*rows, cpu="x", **members):
    return results.Result("a.json", {"dvperf": "0.2", "version": "1", "environment": {"cpu": cpu},
                                     "rows": list(rows), **members})


class Compare(unittest.TestCase):
    def compared(self, a, b, ignored=(), names=("mops",)):
        sides = {"a": [a], "b": [b]}
        with unittest.mock.patch.object(results, "load", sides.get):
            return compare.compare(["a", "b"], ignored, names)

    def test_order_of_options_and_length_do_not_matter(self):
        c = self.compared(result(row({"mops": 2}, batch=1, api="wr", iters=5),
                                 row({"mops": 3}, ["unpinned"], batch=2, api="wr", iters=5)),
                          result(row({"mops": 9}, api="wr", batch=4, iters=9),
                                 row({"mops": 6}, api="wr", batch=2, iters=9)))
        self.assertEqual((len(c["rows"]), c["only_a"], c["only_b"], c["fair"]), (1, 1, 1, True))
        self.assertEqual(c["rows"][0]["metrics"]["mops"]["ratio"], 2)
        self.assertEqual((c["not_trusted_a"], c["not_trusted_b"]), (["unpinned"], []))

    def test_options_can_be_ignored(self):
        a, b = result(row({"mops": 2}, api="wr")), result(row({"mops": 2}, api="direct"))
        with self.assertRaises(SystemExit) as refused, contextlib.redirect_stderr(io.StringIO()) as said:
            self.compared(a, b)
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("the first ones differ in api (wr, direct); see --ignore", said.getvalue())
        self.assertEqual(len(self.compared(a, b, ["api"])["rows"]), 1)

    def test_another_environment_is_reported(self):
        a = result(row({"mops": 2}, batch=1))
        for cpu, version, difference in (("y", "1", "cpu: x | y"), ("x", "2", "dvperf: 1 | 2")):
            b = result(row({"mops": 2}, batch=1), cpu=cpu, version=version)
            c = self.compared(a, b)
            self.assertEqual((c["fair"], c["differences"]), (False, [difference]))

    def test_what_drifts_is_no_difference(self):
        a, b = result(row({}, b=1)), result(row({}, b=1))
        a.environment.update(load=1, tsc_ghz=2.0, memory={"huge_2m": 1, "total": 5})
        b.environment.update(load=9, tsc_ghz=2.01, memory={"huge_2m": 7, "total": 5})
        self.assertEqual(results.differences(a, b), [])
        b.environment["tsc_ghz"] = 2.03
        self.assertEqual(results.differences(a, b), ["tsc_ghz: 2.0 | 2.03"])

    def test_rows_span_a_spread(self):
        three = [row({"mops": v}) for v in (2, 5, 3)]
        one = [row({"mops": 10, "spread": 0.4, "post_instr": 7, "lat_50": 3})]
        self.assertEqual(compare.value(three, "mops"), (3, 2, 5))
        self.assertEqual(compare.value(one, "mops"), (10, 8, 12))
        self.assertEqual(compare.value(one, "lat_50"), (3, None, None), "the spread is of the rate")
        self.assertEqual(compare.value(one, "post_instr"), (7, 7, 7), "exact")
        self.assertIsNone(compare.value(one, "lat_99"))

    def test_repeats_of_the_only_row_span_a_spread(self):
        one = row({"lat_50": 3})
        one["repeats"] = {"lat_50": [4, 2, 3]}
        self.assertEqual(compare.value([one], "lat_50"), (3, 2, 4))
        self.assertEqual(compare.kept([one], "lat_50"), [4, 2, 3])
        self.assertEqual(compare.kept([one, one], "lat_50"), [], "each of several rows is one value")

    def test_ranks_are_no_repeats(self):
        rows = [dict(row({"mops": 2 + rank}, batch=1), rank=rank) for rank in range(2)]
        c = self.compared(result(*rows), result(*rows))
        self.assertEqual([r["metrics"]["mops"]["a"] for r in c["rows"]], [2, 3])

    def test_verdicts(self):
        for a, b, ratio, verdict in (
                ((2, 1.9, 2.1), (4, 3.9, 4.1), 2, "more"), ((4, 3.9, 4.1), (2, 1.9, 2.1), 0.5, "less"),
                ((2, 1.5, 2.5), (2.2, 2, 2.4), 1.1, "within the spread"), ((2, 0, 4), (6, 5, 7), 3, "more"),
                ((2, 0, 8), (6, 5, 7), 3, "within the spread"), ((2, None, None), (6, 5, 7), 3, "no spread"),
                ((20, 20, 20), (20, 20, 20), 1, "the same"), ((20, 20, 20), (19, 19, 19), 0.95, "less")):
            found, low, high = compare.ratio(a, b)
            self.assertAlmostEqual(found, ratio)
            self.assertEqual(compare.verdict(low, high), verdict, (a, b))
        self.assertEqual(compare.ratio((0, 0, 0), (1, 1, 1)), (None, None, None))

    def test_p_is_exact_for_few_values_without_ties(self):
        # of 20 arrangements one is so extreme on each side
        self.assertEqual(compare.test([1, 2, 3], [4, 5, 6]), (0.1, 1))
        self.assertEqual(compare.test([4, 5, 6], [1, 2, 3]), (0.1, -1))
        p, effect = compare.test([1, 2, 2, 3, 4], [2, 3, 5, 6, 7])
        self.assertAlmostEqual(p, 0.111611768298)
        self.assertAlmostEqual(effect, 0.64)
        self.assertEqual(compare.test([7, 7], [7, 7]), (1, 0))
        self.assertEqual(compare.test([7], [7, 8]), (None, None))


class Files(unittest.TestCase):
    def test_what_is_no_result_is_refused(self):
        good = row({"mops": 1})
        for data, why in (
                ([], "not from dvperf"), ({"dvperf": 1}, "not from dvperf"), ({"dvperf": "0.2"}, "no rows"),
                ({"dvperf": "0.2", "rows": []}, "no rows"),
                ({"dvperf": "0.3", "rows": [good]}, "of the format 0.3, which is newer than this dvperf"),
                ({"dvperf": "0.2", "rows": [None]}, "a row without options"),
                ({"dvperf": "0.2", "rows": [{"options": {}}]}, "a row without metrics"),
                ({"dvperf": "0.2", "rows": [row({"mops": "1"})]}, "a metric that is not a number"),
                ({"dvperf": "0.2", "rows": [row({"mops": True})]}, "a metric that is not a number"),
                ({"dvperf": "0.2", "rows": [row({"mops": 10 ** 400})]}, "a metric that is not a number"),
                ({"dvperf": "0.2", "rows": [{"options": {}, "metrics": {}}]},
                 "a row that does not say whether to trust it"),
                ({"dvperf": "0.2", "rows": [row({}, [1])]}, "a reason that is not a text"),
                ({"dvperf": "0.2", "rows": [good], "published": [{"x": [1], "y": []}]},
                 "a published curve without points"),
                ({"dvperf": "0.2", "rows": [good]}, None), ({"dvperf": "0.1.0", "rows": [good]}, None)):
            self.assertEqual(results.check(data), why, data)

    def test_members_of_a_wrong_type_are_not_there(self):
        r = result(row({}), published="x", x=3, command={})
        self.assertEqual((r.published, r.x, r.command), ([], "", []))

    def test_what_is_not_finite_was_not_measured(self):
        self.assertIsNone(results.metric(row({"mops": math.nan}), "mops"))
        self.assertIsNone(results.metric(row({"mops": math.inf}), "mops"))
        self.assertIsNone(results.metric(row({}), "mops"))
        self.assertEqual(results.metric(row({"mops": 0}), "mops"), 0)


class Texts(unittest.TestCase):
    def test_nothing_drives_a_terminal(self):
        self.assertEqual(results.visible("µ\x1b[5m\n\u202e\x9b\ud800中"),
                         "µ\\x1b[5m\\x0a\\xe2\\x80\\xae\\xc2\\x9b\\xed\\xa0\\x80中")

    def test_html_is_escaped_and_has_characters_of_xml(self):
        self.assertEqual(results.escape("<a href=\"b\">'&'</a>"),
                         "&lt;a href=&quot;b&quot;&gt;&#x27;&amp;&#x27;&lt;/a&gt;")
        self.assertEqual(results.escape("a\x01\x1b[2J\x7fb\ud800\uffff"), "a  [2J b\ufffd\ufffd")

    def test_numbers_have_three_digits(self):
        for value, text in ((0, "0"), (0.0123, "0.0123"), (0.123, "0.123"), (1.234, "1.23"), (12.34, "12.3"),
                            (1534.2, "1534"), (8, "8"), (2e9, "2e+09"), (None, "-"), (-12.34, "-12.3")):
            self.assertEqual(results.number(value), text)


class Axes(unittest.TestCase):
    POST = [row({}, mode="post", api=api, batch=batch, signal=batch)
            for api in ("direct", "verbs") for batch in (1, 8)]

    def test_what_follows_from_x_is_no_axis(self):
        axes = results.Axes(self.POST)
        self.assertEqual((axes.x, axes.lines), ("batch", ["api"]))

    def test_a_sweep_says_its_x(self):
        rows = [row({}, threads=t, batch=b, locks=lock) for t, b, lock in
                ((1, 1, "on"), (1, 8, "off"), (1, 8, "on"), (2, 8, "on"))]
        self.assertEqual(results.Axes(rows).x, "batch", "as many values, and liked more")
        self.assertEqual(results.Axes(rows, "locks").x, "batch", "no number")
        axes = results.Axes(rows, "threads")
        self.assertEqual(axes.x, "threads")
        self.assertEqual(results.words(rows[1], axes.lines), "batch 8, locks off")

    def test_one_value_and_how_long_it_ran_are_no_axes(self):
        self.assertIsNone(results.Axes(self.POST[:1]).x)
        self.assertIsNone(results.Axes([row({}, mode="bw", iters=10), row({}, mode="bw", iters=20)]).x)


class Figures(unittest.TestCase):
    def figure(self, *values, plan="op_instr", **members):
        rows = [row({**m}, mode="post", api=api, batch=b) for api, b, m in values]
        r = result(*rows, **members)
        return figures.Figure(figures.plan_of(plan, "post"), r, results.Axes(rows))

    def words(self, *values, plan="op_instr"):
        return list(figures.sentences(self.figure(*values, plan=plan)))

    def test_lines_are_sorted_and_put_in_words(self):
        self.assertEqual(self.words(("direct", 8, {"op_instr": 20}), ("direct", 1, {"op_instr": 60}),
                                    ("verbs", 1, {"op_instr": 240}), ("verbs", 8, {"op_instr": 100})), [
            "<b>direct</b>: 60 at batch 1, 20 at batch 8: 3 times less.",
            "<b>verbs</b>: 240 at batch 1, 100 at batch 8: 2.40 times less.",
            "At batch 1: least is <b>direct</b> (60), most is <b>verbs</b> (240): 4 times as much.",
            "At batch 8: least is <b>direct</b> (20), most is <b>verbs</b> (100): 5 times as much."])

    def test_an_extreme_in_between_is_mentioned(self):
        text = self.words(*(("direct", b, {"op_instr": v}) for b, v in ((1, 10), (2, 20), (4, 5), (8, 10))))[0]
        self.assertEqual(text, "<b>op_instr</b>: 10 at batch 1, 10 at batch 8: about the same."
                               " Its most in between: 20 at batch 2. Its least in between: 5 at batch 4.")

    def test_bars_that_overlap_are_mentioned(self):
        def post(value, low, high):
            return {"post_cycles": value, "post_cycles_min": low, "post_cycles_max": high}

        said = self.words(("direct", 1, post(1, 0.9, 1.1)), ("direct", 8, post(2, 1.9, 2.1)),
                          ("verbs", 1, post(3, 2.9, 3.1)), ("verbs", 8, post(4, 1.5, 9)), plan="post_cycles")
        self.assertEqual(["overlap" in text for text in said], [False, True, False, True])

    def test_lines_at_one_place_are_mentioned_and_drawn_in_turns(self):
        def pair(last):
            return [("direct", 1, {"op_instr": 600}), ("direct", 8, {"op_instr": 200}),
                    ("verbs", 1, {"op_instr": 600}), ("verbs", 8, {"op_instr": last})]

        self.assertIn(" It is the same as <b>direct</b>.", self.words(*pair(200))[1])
        self.assertIn(" It is nearly the same as <b>direct</b>.", self.words(*pair(200.9))[1])
        self.assertNotIn("same as", self.words(*pair(300))[1])
        near = self.figure(*pair(200)).lines
        one, other = (figures.dashes(line, near) for line in near)
        self.assertEqual((one, other), ((0, (4, 4)), (4, (4, 4))))
        apart = self.figure(*pair(300)).lines
        self.assertEqual([figures.dashes(line, apart) for line in apart], ["-", "-"])

    def test_one_x_is_no_figure(self):
        self.assertEqual(self.figure(("direct", 1, {"op_instr": 1}), ("verbs", 1, {"op_instr": 2})).lines, [])

    def test_an_api_has_its_color(self):
        lines = self.figure(("verbs", 1, {"op_instr": 1}), ("verbs", 2, {"op_instr": 1}),
                            ("direct", 1, {"op_instr": 1}), ("direct", 2, {"op_instr": 1})).lines
        self.assertEqual([(line.name, line.color) for line in lines], [("verbs", 2), ("direct", 0)])

    def test_published_curves_are_over_their_own_x(self):
        values = [("direct", b, {"mops": b}) for b in (1, 2)]
        for over, count in (("threads", 1), ("batch", 2)):
            f = self.figure(*values, plan="mops", published=[
                {"series": "s", "source": "p", "over": over, "x": [1, 2], "y": [3, 4]}])
            self.assertEqual(len(f.lines), count)
            self.assertEqual(len(f.panels()), count)

    def test_great_numbers_are_divided(self):
        for label, most, scaled in (
                ("core cycles", 61000, (1e3, "thousand core cycles")), ("core cycles", 9999, (1, "core cycles")),
                ("core cycles", 1e7, (1e6, "million core cycles")), ("µs (lat_50)", 61000, (1e3, "ms (lat_50)")),
                ("M operations/s", 61000, (1e3, "G operations/s"))):
            self.assertEqual(figures.scaled(label, most), scaled)

    def test_axes(self):
        self.assertTrue(figures.is_doubling([1, 2, 4, 8]))
        self.assertFalse(figures.is_doubling([1, 8, 16, 24, 32]))
        self.assertFalse(figures.is_doubling([0, 1, 2]))
        self.assertEqual(figures.spaced([28, 29, 32, 60, 220], float, 0.06), [28, 60, 220])

    def test_texts_of_a_drawing_are_texts(self):
        f = self.figure(("$x^2$ <b>'\x1b", 1, {"op_instr": 1}), ("$x^2$ <b>'\x1b", 2, {"op_instr": 2}),
                        ("_a", 1, {"op_instr": 1}), ("_a", 2, {"op_instr": 2}))
        f.warning = "emulated"
        svg = figures.draw(f, "part")
        self.assertTrue(svg.startswith('<svg role="img" aria-label="Instructions of an operation"'), svg[:200])
        for text in ("$x^2$ &lt;b&gt;' <", "_a<", "NOT TO BE TRUSTED: emulated", "WQEs of a doorbell (batch)",
                     "currentColor", ' id="part-'):
            self.assertIn(text, svg)
        for text in ("\x1b", figures.INK, "<b>", "<metadata"):
            self.assertNotIn(text, svg)
        self.assertTrue(figures.draw(f).startswith("<?xml"))
        self.assertIn("fill: #ffffff", figures.draw(f))


class Page(unittest.TestCase):
    def test_whatever_a_result_says_it_is_shown_and_not_obeyed(self):
        evil = "</td><script>alert(1)</script><img src=http://x.example/>"
        r = row({"mops": 1}, [evil], mode="bw", **{evil: evil})
        r["device_counters"] = {evil: evil}
        r["rank"] = evil
        lists = {name: [{evil: evil}] for name in ("quoted", "fits")}
        ranks = {"spread": {evil: {"min": evil}}, "sum": {evil: evil}}
        text = "".join(report.page([result(r, command=[evil], preset=evil, published_text=evil, about_text=evil,
                                           **lists, **ranks), result(r, r)], evil))
        self.assertNotIn("<script", text)
        self.assertNotIn("<img", text)
        self.assertGreater(text.count("&lt;script&gt;alert(1)"), 20)

    def test_single_rows_of_one_environment_are_one_result(self):
        one = [result(row({}, batch=b)) for b in (1, 2)]
        other, many = result(row({}, batch=1), cpu="y"), result(row({}, batch=1), row({}, batch=2))
        found = list(report.gathered([one[0], other, many, one[1]]))
        self.assertEqual([(r.name, len(r.rows)) for r in found], [("a.json, a.json", 2), ("a.json", 1), ("a.json", 2)])


if __name__ == "__main__":
    unittest.main()
