#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/wrong-programs.md says what the tests of test/e2e/wrong say, and each of them says it.
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
page=$(mktemp)
trap 'rm -f "$page"' EXIT

"$root/test/e2e/wrong/table.sh" >"$page"
if ! diff -u "$root/docs/wrong-programs.md" "$page"; then
	echo 'docs/wrong-programs.md is out of date: run test/e2e/wrong/table.sh --write'
	exit 1
fi
