#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The generated pages of docs/, and one beside its data, are what their generators make of the sources:
#
#	assumptions.md		the assumed(...) tags, and the tests named after them
#	wrong-programs.md	the tests of test/e2e/wrong/verbs
#	devx-mistakes.md	the tests of test/e2e/wrong/firmware
#	api.md			the functions of the public headers
#	test/e2e/dvfw/explain	README.md: the reports in that folder
#
# The generators fail on a tag or a comment that is malformed.
set -eu
. "$(dirname "$0")/../lib/frame.sh"
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

# page NAME GENERATOR ARGUMENT...: from the root of the tree; with --write it replaces the page.
page() {
	local name=$1 generator=$2
	shift 2
	"$root/$generator" "$@" >"$work/made" || fail "$generator $* ends with $?"
	diff -u "$root/docs/$name" "$work/made" || fail "docs/$name is out of date: run $generator --write"
}

page assumptions.md docs/assumptions.sh
page wrong-programs.md test/e2e/wrong/pages.sh verbs
page devx-mistakes.md test/e2e/wrong/pages.sh firmware
page api.md docs/api.sh
page ../test/e2e/dvfw/explain/README.md test/e2e/dvfw/explain/list.sh
