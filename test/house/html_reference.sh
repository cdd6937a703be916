#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reference as HTML (docs/html/make.sh) has a page for every man page and public header, and every link
# in it leads to something.
#
#	html_reference.sh ROOT
set -eu
. "$(dirname "$0")/../lib/frame.sh"
root=$(cd "$1" && pwd)
needs pandoc
"$root/docs/html/make.sh" "$work"

for page in "$root"/{dv,devx,prm,emu,tools/*}/man/*.md "$root"/include/*/*.h; do
	case $page in
	*.h) page=${page#"$root"/include/} ;;
	*) page=$(basename "$page" .md) ;;
	esac
	[ -s "$work/$page.html" ] && grep -qF "href=\"$page.html\"" "$work/index.html" && continue
	fail "no page, or no line in the index: $page"
done

cd "$work"
links=0
while IFS=: read -r page link; do
	links=$((links + 1))
	link=${link#href=\"} link=${link%\"}
	file=${link%%#*} anchor=
	[[ $link != *#* ]] || anchor=${link#*#}
	file=$(dirname "$page")/${file:-$(basename "$page")}
	if [ ! -f "$file" ] || { [ -n "$anchor" ] && ! grep -qF "id=\"$anchor\"" "$file"; }; then
		fail "$page: dead link $link"
	fi
done < <(grep -roE --include='*.html' 'href="[^"]*"' . | grep -vE 'href="(https?|mailto):|href="#cb')
echo "$links links"
[ $links -gt 1000 ] || fail 'too few links'
