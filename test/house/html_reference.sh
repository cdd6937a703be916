#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reference as HTML (docs/html/make.sh) has a page for every man page and public header, and every link
# in it leads to something.
#
#	html_reference.sh ROOT
set -eu
root=$(cd "$1" && pwd)
command -v pandoc >/dev/null || { echo 'pandoc is not installed'; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
"$root/docs/html/make.sh" "$out"

for page in "$root"/{dv,devx,prm,emu,tools/*}/man/*.md "$root"/include/*/*.h; do
	case $page in
	*.h) page=${page#"$root"/include/} ;;
	*) page=$(basename "$page" .md) ;;
	esac
	[ -s "$out/$page.html" ] && grep -qF "href=\"$page.html\"" "$out/index.html" && continue
	echo "no page, or no line in the index: $page"
	failures=1
done

cd "$out"
links=0
while IFS=: read -r page link; do
	links=$((links + 1))
	link=${link#href=\"} link=${link%\"}
	file=${link%%#*} anchor=
	[[ $link != *#* ]] || anchor=${link#*#}
	file=$(dirname "$page")/${file:-$(basename "$page")}
	if [ ! -f "$file" ] || { [ -n "$anchor" ] && ! grep -qF "id=\"$anchor\"" "$file"; }; then
		echo "$page: dead link $link"
		failures=1
	fi
done < <(grep -roE --include='*.html' 'href="[^"]*"' . | grep -vE 'href="(https?|mailto):|href="#cb')
echo "$links links"
[ $links -gt 1000 ] && exit $failures
