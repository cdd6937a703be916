#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The pictures of docs/benchmarking.md: a report of two presets on the emulator, in a wide window, light and dark,
# in a narrow one, and printed. Needs python3-matplotlib, chromium-headless-shell (package chromium-headless-shell),
# poppler-utils and pngquant.
#
#	docs/dvperf-report.sh BUILD      writes docs/dvperf-report*.png
set -eu
build=$(realpath "$1") docs=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/presets"
cd "$dir"
PATH=$build/bin:$PATH
for preset in bluefield-arm smart-fig3; do
	dvkit-emu -- dvperf sweep --preset "$preset" --loopback --pin=auto --output presets >/dev/null
done
dvperf report presets -o report.html

# browser OPTION...: the page, as the options say.
browser() {
	chromium-headless-shell --no-sandbox --hide-scrollbars "$@" "file://$dir/report.html" >/dev/null 2>&1
}

browser --screenshot="$dir/wide.png" --window-size=1400,1500
browser --screenshot="$dir/dark.png" --window-size=1400,1500 --blink-settings=preferredColorScheme=0
browser --screenshot="$dir/narrow.png" --window-size=420,1900
browser --no-pdf-header-footer --print-to-pdf="$dir/print.pdf"
pdftoppm -r 75 -png -f 2 -l 2 -singlefile "$dir/print.pdf" "$dir/printed"
mv "$dir/wide.png" "$dir/report.png"
for name in dark narrow printed; do
	mv "$dir/$name.png" "$dir/report-$name.png"
done
for picture in "$dir"/report*.png; do
	pngquant --force --strip --speed 1 --output "$docs/dvperf-$(basename "$picture")" 64 "$picture"
done
ls -l "$docs"/dvperf-report*.png
