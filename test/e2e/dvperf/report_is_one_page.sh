#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf report, on results of the emulator: one page with figures that requests nothing, says
# of them what the numbers say, and is drawn by a browser, wide and narrow, light and dark.
#
#	report_is_one_page.sh LAUNCHER DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

here=$(cd "$(dirname "$0")" && pwd)
needs_modules matplotlib scipy
mkdir -p "$work/results" "$work/few" "$work/without/matplotlib" "$work/without/scipy"
for module in matplotlib scipy; do
	echo "raise ModuleNotFoundError(name='$module')" >"$work/without/$module/__init__.py"
done

# ---- results of every kind ----

r=$work/results
result results/post.json post
result results/bw.json sweep mode=bw batch=1,4,16 api=verbs,direct --loopback -s 8 -n 500
result results/lat.json sweep mode=lat size=2,64,512 op=write,read --loopback -n 100
result results/one.json bw --loopback -s 8 -l 1 -n 300
result results/eight.json bw --loopback -s 8 -l 8 -n 300
expect_status 0 run sweep --preset smart-fig3 threads=1,2 --loopback -n 100 --repeat=1 --output "$r"
ranks=
if command -v mpirun >/dev/null && ! "$dvperf" bw --pattern=pairs 2>&1 | grep -q 'without MPI'; then
	ranks=yes
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 \
		mpirun --oversubscribe --bind-to none -n 2 "$emu" --fabric "$fabric" -- \
		"$dvperf" bw --pattern=all-to-all -n 200 --json >"$r/ranks.json" || fail 'ranks'
fi

# ---- what is not a result is skipped, each with a line ----

echo '{"some": "other JSON"}' >"$r/other.json"
head -c 500 "$r/bw.json" >"$r/broken.json"
: >"$r/nothing.json"
echo '[1, 2]' >"$r/list.json"
head -c 3000 /bin/sh >"$r/program.json"
mkdir "$r/directory.json"
sed 's/"dvperf": *"0.2"/"dvperf": "0.3"/' "$r/one.json" >"$r/newer.json"
cp "$here/data/of-0.1.json" "$r/" # a file of before is a section as any other
sed 's/"not_trusted"/"trusted"/' "$r/one.json" >"$r/renamed.json"
expect_output 0 'report.html' "$dvperf" report "$r"
for why in 'other.json is skipped: it is not a result: not from dvperf' \
	'list.json is skipped: it is not a result: not from dvperf' \
	'renamed.json is skipped: it is not a result: a row that does not say' \
	'broken.json is skipped: it is not a result: not JSON' \
	'newer.json is skipped: it is not a result: of the format 0.3, which is newer than this dvperf' \
	'nothing.json is skipped: it is not a result: not JSON' \
	'program.json is skipped: it is not a result: not JSON' \
	'directory.json is skipped: it is not a result: not JSON'; do
	has_lines 1 "$why"
done
has_lines 9 ''

# ---- the page ----

page=$r/report.html
[ -s "$page" ] || { fail 'no page'; exit 1; }
figures=$(grep -c '<figure>' "$page")
[ "$(grep -c '</svg>' "$page")" = "$figures" ] || fail 'figures without a picture'
[ "$figures" -ge 12 ] || fail "$figures figures only"
[ "$(grep -c '<figcaption>' "$page")" = "$figures" ] || fail 'figures without words'
for text in '<h2>smart-fig3</h2>' '<h2>eight.json, one.json</h2>' 'the device is the emulator' \
	'<h2>of-0.1.json</h2>' 'published, by others' 'QP per thread</b> (published' 'device.firmware' \
	'At batch 64: least is <b>direct</b>' 'prefers-color-scheme:dark' \
	'pcie_percent<br/><i>modelled</i>' 'Modelled, not measured' 'UCX 1.13.1' \
	${ranks:+'Over the ranks that post' '<th>rank</th>'}; do
	grep -Fq "$text" "$page" || fail "the page does not say '$text'"
done
# Addresses are names of namespaces; what is referred to is in the page.
if grep -Eo '(https?:)?//[^"<> ]*' "$page" | grep -v '^http://www.w3.org/\(1999\|2000\)/'; then
	fail 'an address'
fi
grep -Eo '(src|href|action|data|poster)=["'\''][^#][^"'\'']*' "$page" && fail 'a reference'
grep -Eqi '<(script|link|iframe|object|img)|@import|url\([^#]' "$page" && fail 'a resource'
grep -Fq "content=\"default-src 'none'; style-src 'unsafe-inline'\"" "$page" || fail 'no policy'
[ -z "$(grep -o "id=['\"][^'\"]*" "$page" | sort | uniq -d)" ] || fail 'an id twice'
python3 "$here/report_texts_equal_the_numbers.py" "$page" "$r" || fail 'words'

# ---- refusals ----

expect_output 2 'which directory' "$dvperf" report
mkdir "$work/empty" "$work/bin"
expect_output 2 'it contains no results' "$dvperf" report "$work/empty"
expect_output 2 'No such file' "$dvperf" report "$work/nowhere"
expect_output 2 'which is newer' "$dvperf" report "$r/newer.json"
# a Python that has nothing, as where the packages are not installed
expect_output 2 'figures need matplotlib of Python: apt-get install python3-matplotlib' \
	env PYTHONPATH="$work/without" "$dvperf" report "$r" -o "$work/bare.html"
[ -e "$work/bare.html" ] && fail 'a page without figures'
expect_output 2 'compare needs scipy of Python: apt-get install python3-scipy' \
	env PYTHONPATH="$work/without" "$dvperf" compare "$r/lat.json" "$r/lat.json"
expect_output 0 'Usage: dvperf report' env PYTHONPATH="$work/without" "$dvperf" report --help
expect_output 1 'figure.svg is not drawn; .dvperf report .*/figure.json --svg=.*/figure.svg. draws it' \
	env PYTHONPATH="$work/without" "$dvperf" sweep mode=post api=direct batch=1,4 --plot "$work/figure.svg"
expect_output 0 'sweep.svg is not drawn; .dvperf report .*/sweep.json --svg=.*/sweep.svg. draws it' \
	env PYTHONPATH="$work/without" "$dvperf" sweep mode=post api=direct batch=1,4 --output "$work/data"
"$dvperf" report "$work/figure.json" --svg="$work/figure.svg" || fail 'a figure later'
grep -q 'core cycles (post_cycles)' "$work/figure.svg" || fail 'the figure that was drawn later'

# ---- a browser ----

# Not chromium itself, which asks its makers for this and that.
needs chromium-headless-shell
browser=$(command -v chromium-headless-shell)

python3 "$here/browser.py" "$browser" "$page" || fail 'the page in a browser'

# It finds what it has to find: a page with all of these mistakes.
cp "$r/lat.json" "$work/few/"
expect_output 0 'spoiled.html' "$dvperf" report "$work/few" -o "$work/spoiled.html"
sed -i -e '/Content-Security-Policy/d' \
	-e 's,<h1>,<img src="http://dvkit.invalid/picture.png"/><p style="width:3000px">wide</p><h1>,' \
	-e '0,/<text /s,<text style="[^"]*",<text style="fill:white",' \
	-e 's/stroke: #3b8bd4/stroke: #c80ac8; stroke-opacity: 0/g' \
	-e 's,</body>,<script>console.log("words")</script><figure><figcaption><b>none</b></figcaption></figure></body>,' \
	"$work/spoiled.html"
python3 "$here/browser.py" "$browser" "$work/spoiled.html" >"$work/out" && fail 'a spoiled page passes'
for what in 'it asks for http://dvkit.invalid/picture.png' 'it went to GET http://dvkit.invalid' \
	'pixels are wide of a window of 400' 'none: there is no figure of a size' \
	'has too little contrast to the background' '0 pixels of the line rgb\(200, 10, 200\)' \
	'the console says .*words'; do
	has "$what" "$work/out"
done
