#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf report and compare, on results of the emulator: one page with figures that asks nobody for
# anything, and is drawn by a browser in light and dark where there is one.
#
#	report_is_one_page.sh LAUNCHER DVPERF
#
# DVKIT_SCREENSHOT=FILE.png keeps the picture of the page.
set -u
emu=$1 dvperf=$2
command -v gnuplot >/dev/null || { echo 'no gnuplot'; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
mkdir "$dir/results"

fail() {
	echo "FAIL: $*"
	failed=1
}

# on ARG...: dvperf under the emulator.
on() {
	timeout 60 "$emu" --fabric "dvperf-report-$$" -- "$dvperf" "$@"
}

# shows STATUS REGEX COMMAND...: the exit status, and a line of the output.
shows() {
	local want=$1 regex=$2 status
	shift 2
	"$@" >"$dir/out" 2>&1
	status=$?
	[ $status = "$want" ] || fail "$*: status $status, not $want"
	grep -Eq -- "$regex" "$dir/out" || { fail "$*: no line '$regex' in"; cat "$dir/out"; }
}

# ---- results ----

r=$dir/results
on post --json >"$r/post.json" || fail 'post'
on sweep mode=bw batch=1,4,16 api=direct,verbs --loopback -s 8 -n 500 --json >"$r/bw.json" ||
	fail 'sweep of bw'
on bw --loopback -s 8 -l 1 -n 300 --json >"$r/one.json" || fail 'bw -l 1'
on bw --loopback -s 8 -l 8 -n 300 --json >"$r/eight.json" || fail 'bw -l 8'
on sweep --preset smart-fig3 threads=1,2 --loopback -n 100 --json >"$r/smart.json" ||
	fail 'smart-fig3'
echo '{"some": "other JSON"}' >"$r/other.json"

# ---- the page ----

shows 0 'other.json is passed over: it is no result: not from dvperf' "$dvperf" report "$r"
page=$r/report.html
[ -s "$page" ] || { fail 'no page'; exit 1; }
[ "$(grep -c '</svg>' "$page")" -ge 7 ] || fail "$(grep -c '</svg>' "$page") figures only"
[ "$(grep -c '<figcaption>' "$page")" = "$(grep -c '</svg>' "$page")" ] || fail 'figures without words'
for text in '<h2>smart-fig3</h2>' '<h2>eight.json, one.json</h2>' 'the device is the emulator' \
	'published, by others' 'QP per thread</b> (published' 'device.firmware' \
	'At batch 64: least is <b>direct</b>' 'prefers-color-scheme:dark'; do
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
if command -v xmllint >/dev/null; then
	xmllint --noout --nonet "$page" || fail 'it is not well-formed'
fi

# ---- compare ----

shows 0 'post_instr .* B/A 1.000' "$dvperf" compare "$r/post.json" "$r/post.json"
shows 0 'NOT TO BE TRUSTED \(B\): the device is the emulator' "$dvperf" compare "$r" "$r/bw.json"
shows 0 'within the spread' "$dvperf" compare -m mops "$r/bw.json" "$r/bw.json"
sed 's/"cpus": *[0-9]*/"cpus": 4096/' "$r/bw.json" >"$dir/elsewhere.json"
shows 0 'NOT A FAIR COMPARISON: cpus: [0-9]+ \| 4096' "$dvperf" compare "$r/bw.json" \
	"$dir/elsewhere.json"
shows 2 'no row of A matches one of B: .* differ in batch \(1, 8\); see --ignore' \
	"$dvperf" compare "$r/one.json" "$r/eight.json"
shows 0 'doorbells_per_op .* B/A 0.12' \
	"$dvperf" compare --ignore=batch,signal "$r/one.json" "$r/eight.json"
"$dvperf" compare --json "$r/post.json" "$r/post.json" | python3 -c '
import json, sys
c = json.load(sys.stdin)
assert c["fair"] and not c["only_a"] and not c["only_b"], c
assert len(c["rows"]) == 21, len(c["rows"])
assert all(m["ratio"] == 1 for row in c["rows"] for m in row["metrics"].values())
' || fail 'compare --json'

# ---- refusals ----

shows 2 'which directory' "$dvperf" report
shows 2 'there is no result in it' "$dvperf" report "$dir"/empty$(mkdir "$dir/empty")
shows 2 'No such file' "$dvperf" report "$dir/nowhere"
shows 2 'which two' "$dvperf" compare "$r"
shows 2 'is no result: not from dvperf' "$dvperf" compare "$r/other.json" "$r"
shows 2 "'fast' is no metric" "$dvperf" compare -m fast "$r" "$r"
mkdir "$dir/bin"
shows 1 'gnuplot is not there' env PATH="$dir/bin" "$dvperf" report "$r" -o "$dir/bare.html"
grep -Fq 'Here is no figure' "$dir/bare.html" || fail 'a page without gnuplot does not say so'

[ $failed = 0 ] || exit 1

# ---- a browser ----

browser=$(command -v chromium) || { echo 'no chromium: not drawn'; exit 77; }

# draw COLORSCHEME PNG: 0 is dark, 1 light.
draw() {
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--user-data-dir="$dir/profile" --disable-background-networking \
		--force-color-profile=srgb --blink-settings=preferredColorScheme="$1" \
		--window-size=1000,2000 --screenshot="$2" "file://$page" >"$dir/log" 2>&1
	[ -s "$2" ] || { fail 'the browser drew nothing'; cat "$dir/log"; exit 1; }
}

draw 1 "$dir/light.png"
draw 0 "$dir/dark.png"
# Pixels of a background, of the blue and the orange line; of PNG as chromium writes it: 8 bits deep.
python3 - "$dir/light.png" ffffff "$dir/dark.png" 16181b <<'PYTHON' || fail 'the figures are not drawn'
import collections, struct, sys, zlib
def pixels(name):
    data, at, idat = open(name, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            idat += body
        at += 12 + n
    assert depth == 8 and color in (2, 6), (depth, color)
    bpp, raw, seen = 3 if color == 2 else 4, zlib.decompress(idat), collections.Counter()
    before, stride = bytearray(width * bpp), width * bpp
    for y in range(height):
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        how = raw[y * (stride + 1)]
        for i in range(stride if how else 0):
            a, b = line[i - bpp] if i >= bpp else 0, before[i]
            c = before[i - bpp] if i >= bpp else 0
            p = a + b - c
            paeth = min((a, b, c), key=lambda v: abs(p - v))
            line[i] = line[i] + (0, a, b, (a + b) // 2, paeth)[how] & 255
        before = line
        seen.update(bytes(line[i:i + 3]).hex() for i in range(0, stride, bpp))
    return seen
for name, background in zip(sys.argv[1::2], sys.argv[2::2]):
    seen = pixels(name)
    print(background, seen[background], "blue", seen["3b8bd4"], "orange", seen["e07b00"])
    assert seen.most_common(1)[0][0] == background, seen.most_common(3)
    assert seen["3b8bd4"] > 300 and seen["e07b00"] > 300
PYTHON
[ -z "${DVKIT_SCREENSHOT:-}" ] || cp "$dir/light.png" "$DVKIT_SCREENSHOT"
exit $failed
