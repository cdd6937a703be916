#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reference as HTML: a page for every man page, document and public header, linked with each other, and an
# index of pages, headers and functions.
#
#	dv/man/dv_sq.3.md   -> OUT/dv_sq.3.html
#	docs/design.md      -> OUT/design.html
#	include/dv/sq.h     -> OUT/dv/sq.h.html
#
#	make.sh OUT [PANDOC]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
export pandoc=${2:-pandoc} out
export here=$root/docs/html
cd "$root"
pages=(docs/man/*.7.md emu/man/*.1.md tools/*/man/*.1.md dv/man/*.3.md devx/man/*.3.md flow/man/*.3.md prm/man/*.3.md emu/man/*.3.md)
documents=(CHANGELOG.md docs/*.md)
mapfile -t headers < <(cd include && ls dvkit/*.h dv/*.h devx/*.h flow/*.h prm/*.h)
export names=$out/.names
"$here/names.sh" "${pages[@]}" >"$names"
cp "$here/style.css" "$out/"

# html SOURCE PAGE TITLE: markdown from stdin.
html() {
	local top=''
	[[ $2 != */* ]] || top=../
	mkdir -p "$(dirname "$out/$2")"
	"$pandoc" --standalone --preserve-tabs --from markdown --to html5 --lua-filter "$here/page.lua" --css "${top}style.css" \
		--metadata names="$names" --metadata root="$top" --metadata source="$1" --metadata pagetitle="$3" \
		--metadata title= --metadata document-css=false \
		--include-before-body <(echo "<nav><a href=\"${top}index.html\">dvkit</a> / $3</nav>") --output "$out/$2"
}

# page SOURCE: one page of any kind.
page() {
	local file
	file=$(basename "$1" .md)
	case $1 in
	include/*)
		{
			printf '# %s\n\n' "${1#include/}"
			pages_of "${1#include/}"
			printf '~~~~~~~~ {.c .numberLines}\n'
			cat "$1"
			printf '~~~~~~~~\n'
		} | html "$1" "${1#include/}.html" "${1#include/}"
		;;
	*/man/*) sed 's/^% .*//' "$1" | html "$1" "$file.html" "${file%.*}(${file##*.})" ;;
	*) html "$1" "$file.html" "$file" <"$1" ;;
	esac
}

# pages_of HEADER: the man pages whose SYNOPSIS includes it.
pages_of() {
	local list
	list=$(grep -l "^#include <$1>" {dv,devx,flow,prm,emu}/man/*.3.md | sed -E 's|.*/(.*)\.3\.md|**\1**(3)|' | sort -u | paste -sd, | sed 's/,/, /g')
	[ -z "$list" ] || printf 'Man pages: %s\n\n' "$list"
}

# summary PAGE.md: its NAME section without the names.
summary() {
	awk '/^# / { inside = $0 == "# NAME" }
		inside { text = text " " $0 }
		END {
			sub(/.* - /, "", text)
			print text
		}' "$1"
}

# The first sentence of a header's comment.
header_summary() {
	awk 'NR > 2 && /^ \*( |$)/ {
			sub(/^ \*( |$)/, "")
			if ($0 == "")
				exit
			text = text (text == "" ? "" : " ") $0
		}
		END {
			sub(/[.:]( .*|$)/, "", text)
			print text
		}' "$1"
}

# table_of TITLE PAGE.md...
table_of() {
	local file
	printf '\n# %s\n\n<table>\n' "$1"
	for file in "${@:2}"; do
		set -- "$(basename "$file" .md)"
		printf '<tr><td><a href="%s.html">%s(%s)</a></td><td>%s</td></tr>\n' "$1" "${1%.*}" "${1##*.}" \
			"$(summary "$file")"
	done
	echo '</table>'
}

index() {
	local file
	table_of 'Start here' docs/man/*.7.md
	table_of Programs emu/man/*.1.md tools/*/man/*.1.md
	table_of 'Queues and work requests: dv' dv/man/*.3.md
	table_of 'Firmware commands: devx' devx/man/*.3.md
	table_of 'Flow rules: flow' flow/man/*.3.md
	table_of 'Layouts and the emulator' prm/man/*.3.md emu/man/*.3.md
	printf '\n# Documents\n\n<table>\n'
	for file in "${documents[@]}"; do
		printf '<tr><td><a href="%s.html">%s</a></td><td>%s</td></tr>\n' "$(basename "$file" .md)" \
			"$(basename "$file" .md)" "$(sed -n 's/^# //p' "$file" | head -n 1)"
	done
	printf '</table>\n\n# Headers\n\n<table>\n'
	for file in "${headers[@]}"; do
		printf '<tr><td><a href="%s.html">%s</a></td><td>%s</td></tr>\n' "$file" "$file" \
			"$(header_summary "include/$file" | sed 's/&/\&amp;/g; s/</\&lt;/g')"
	done
	printf '</table>\n\n# Functions and macros\n\n<ul class="columns">\n'
	sort -u -k 1,1 "$names" | awk '$1 != $2 || $3 == 3 {
		printf "<li><a href=\"%s.%s.html\">%s</a></li>\n", $2, $3, $1 }'
	echo '</ul>'
}

export -f html page pages_of
printf '%s\0' "${pages[@]}" "${documents[@]}" "${headers[@]/#/include/}" |
	xargs -0 -n 1 -P "$(nproc)" bash -euc 'page "$0"'
index | html index index.html 'Reference'
rm "$names"
