#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/explain.md: the reports of public threads that dvfw explain is tested with, by kind.
#
#	docs/explain.sh [--write]	prints the page, or writes it
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "${1:-}" = --write ]; then
	"$0" >"$root/docs/explain.md.new"
	mv "$root/docs/explain.md.new" "$root/docs/explain.md"
	exit 0
fi
cd "$root/test/e2e/dvfw/explain"
total=$(find . -name '*.txt' | wc -l)

cat <<END
# Reports that \`dvfw explain\` is tested with

Made by \`docs/explain.sh\` of [test/e2e/dvfw/explain](../test/e2e/dvfw/explain): $total reports of public threads, with what is expected of
the output. A report that is not explained well is welcome: add a file with the address of the thread.

| kind | reports | what is explained |
|---|---|---|
END
# The kinds, the most frequent one first; a report counts once, for the kind that its file names.
awk '/^# kind / { print $3 }' *.txt | LC_ALL=C sort | uniq -c | LC_ALL=C sort -k1,1nr -k2,2 |
	while read -r n kind; do
		title=$(awk -F'"' -v kind="$kind" '$1 ~ /^EXPLAIN_LINE/ && $2 == kind {
			sub(/^.*NULL, /, "", $3)
			print $3 == ", 0, " || $3 == ", 1, " ? $6 : $4
			exit
		}' "$root/tools/dvfw/explain_line.def")
		echo "| $kind | $n | ${title:-a line with the text of ibv_wc_status_str(3)} |"
	done

cat <<END

| report | kind | thread |
|---|---|---|
END
for file in *.txt; do
	address=$(sed -n '1s/^# //p' "$file")
	[ -n "$address" ] || { echo "$file has no address" >&2; exit 1; }
	echo "| [${file%.txt}](../test/e2e/dvfw/explain/$file) | $(sed -n 's/^# kind //p' "$file") | <$address> |"
done
