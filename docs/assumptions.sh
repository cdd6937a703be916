#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Collects what the emulator assumes about the hardware: every comment of the form
#
#	assumed(SLUG): a sentence that a person with a NIC could check.
#
# below the folders named here, with the e2e test that checks it: the Criterion test
# Test(assumed, SLUG) below test/e2e.
#
#	assumptions.sh [--root DIR]		the page docs/assumptions.md, to stdout
#	assumptions.sh --write [--root DIR]	… into docs/assumptions.md
#	assumptions.sh --list [--root DIR]	one line each: slug, module, file, test, sentence; by tabs
#
# Where an answer was looked for, and why there is none, is a line of docs/assumptions-looked-up.tsv:
# slug, tab, text. The page shows it.
#
# A malformed tag, a slug used twice, a test without its tag, and for the page an assumption without
# that line or a line without an assumption are errors: exit status 1.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
form=page
while [ $# -gt 0 ]; do
	case $1 in
	--write) form='write' ;;
	--list) form=list ;;
	--root) root=$2; shift ;;
	*) sed -n '/^#\tassumptions/s/^#\t//p' "$0" >&2; exit 2 ;;
	esac
	shift
done
cd "$root"

# Sources whose tags count, then the tests that may check them.
sources() {
	for dir in emu include dv prm; do
		[ ! -d $dir ] || find $dir -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \)
	done | sort
	[ ! -d test/e2e ] || find test/e2e -type f -name '*.c' | sort
}

# One line per assumption: slug, module, file, test (or -), sentence; tabs between.
collect() {
	sources | awk '
	function fail(what)
	{
		printf "%s:%d: %s\n", file, nr, what | "cat 1>&2"
		bad = 1
	}

	# @text: what follows "assumed(" up to the end of the comment.
	function tag(text,    slug)
	{
		slug = text
		sub(/\).*/, "", slug)
		if (slug !~ /^[a-z][a-z0-9_]*$/ || text !~ /^[a-z0-9_]+\): [^ ]/) {
			fail("malformed tag: assumed(" text)
			return
		}
		if (slug in where) {
			fail("slug " slug " is used in " where[slug] " too")
			return
		}
		sub(/^[^)]*\): /, "", text)
		where[slug] = file
		sentence[slug] = text
	}

	function source(    line, text, open)
	{
		while ((getline line < file) > 0) {
			nr++
			if (!open && (at = index(line, "assumed("))) {
				text = substr(line, at + 8)
				open = 1
			} else if (open) {
				sub(/^[ \t]*(\*[ \t]+)?/, "", line)
				text = text " " line
			}
			if (open && (end = index(text, "*/"))) {
				text = substr(text, 1, end - 1)
				sub(/[ \t]+$/, "", text)
				tag(text)
				open = 0
			}
		}
		if (open)
			fail("a tag that never ends")
	}

	function test(    line, slug)
	{
		while ((getline line < file) > 0) {
			nr++
			if (line !~ /^(Parameterized)?Test\(assumed,/)
				continue
			slug = line
			sub(/^[^,]*,[ \t]*/, "", slug)
			sub(/[^a-z0-9_].*/, "", slug)
			if (!(slug in where))
				fail("a test of the assumption " slug ", which does not exist")
			else
				checks[slug] = file
		}
	}

	{
		file = $0
		nr = 0
		if (file ~ /^test\//)
			test()
		else
			source()
		close(file)
	}

	END {
		for (slug in where) {
			split(where[slug], part, "/")
			module = part[1] == "emu" && where[slug] ~ /\/.*\// ? part[2] : part[1]
			printf "%s\t%s\t%s\t%s\t%s\n", slug, module, where[slug],
				slug in checks ? checks[slug] : "-", sentence[slug]
		}
		close("cat 1>&2")
		exit bad
	}' >"$work/rows"
	sort -t'	' -k2,2 -k3,3 -k1,1 "$work/rows"
}

# looked_up LIST: the lines of LIST with a sixth column, where the answer was looked for.
looked_up() {
	if [ ! -f "$notes" ]; then
		cat "$1"
		return
	fi
	awk -F '\t' -v notes="$notes" '
	function fail(what)
	{
		print notes ": " what | "cat 1>&2"
		bad = 1
	}
	BEGIN {
		while ((getline line < notes) > 0) {
			if (split(line, column, "\t") != 2)
				fail("not a slug, a tab and a text: " line)
			where[column[1]] = column[2]
		}
	}
	!($1 in where) { fail("no line for " $1) }
	{
		print $0 "\t" where[$1]
		delete where[$1]
	}
	END {
		for (slug in where)
			fail(slug " is not an assumption")
		close("cat 1>&2")
		exit bad
	}' "$1"
}

# The page, of the lines in file $1.
page() {
	cat <<'EOF'
# Assumptions of the emulator

Most of what the software ConnectX does has a source, named beside the code: the PRM, the kernel, rdma-core,
the InfiniBand specification, a public report. The assumptions below have no such source: they are how we believe an adapter behaves.
On a machine with an adapter, `./run test --device mlx5_0` runs the tests named here and prints each sentence as
held or refuted.

The answer to each was looked for in the mlx5 drivers of Linux 6.1 and the header mlx5_ifc.h of 6.12, in rdma-core 64
(libmlx5 and its tests), UCX 1.22, DPDK 26.07, SPDK, libxlio, nvshmem, snap-rdma, perftest, mstflint and
rdma-unit-test, in the issues of these projects, and in the mailing lists' logs of firmware commands that failed. *Looked up*
names what comes nearest, and why it does not decide.

This page is generated from the `assumed(…)` tags in the sources and from assumptions-looked-up.tsv;
`docs/assumptions.sh --write` regenerates it.
EOF
	awk -F '\t' '
	$2 != module { module = $2; printf "\n## %s\n\n", module }
	{
		printf "- **%s**: %s\n  `%s`; %s\n", $1, $5, $3,
			$4 == "-" ? "no test yet" : "test: `" $4 "`"
		if ($6 != "")
			printf "  *Looked up*: %s\n", $6
		n++
		tested += $4 != "-"
	}
	END { printf "\n%d assumptions, %d with a test.\n", n, tested }' "$1"
}

notes=docs/assumptions-looked-up.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
collect >"$work/list"
if [ $form = list ]; then
	cat "$work/list"
	exit
fi
looked_up "$work/list" >"$work/noted"
page "$work/noted" >"$work/page"
case $form in
page) cat "$work/page" ;;
write) cp "$work/page" docs/assumptions.md ;;
esac
