#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# README.md of this folder: the reports of public threads that dvfw explain is tested with, by kind.
#
#	list.sh [--write]	prints the page, or writes it
set -eu
cd "$(dirname "$0")"
if [ "${1:-}" = --write ]; then
	./list.sh >README.md.new
	mv README.md.new README.md
	exit 0
fi

cat <<END
# Reports that \`dvfw explain\` is tested with

Made by \`list.sh\`: $(find . -name '*.txt' | wc -l) reports of public threads, with what is expected of the output. A report that is not explained
well is welcome: add a file with the address of the thread. [docs/explain.md](../../../../docs/explain.md) describes the tool.

| kind | reports |
|---|---|
END
# The kinds, the most frequent one first; a report counts once, for the kind that its file names.
awk '/^# kind / { print $3 }' *.txt | LC_ALL=C sort | uniq -c | LC_ALL=C sort -k1,1nr -k2,2 |
	while read -r n kind; do
		echo "| $kind | $n |"
	done

cat <<END

| report | kind | thread |
|---|---|---|
END
for file in *.txt; do
	address=$(sed -n '1s/^# //p' "$file")
	[ -n "$address" ] || { echo "$file has no address" >&2; exit 1; }
	echo "| [${file%.txt}]($file) | $(sed -n 's/^# kind //p' "$file") | <$address> |"
done
