#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/devx-mistakes.md says what the tests of test/e2e/mistakes say, and each of them says it.
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
page=$(mktemp)
trap 'rm -f "$page"' EXIT

"$root/test/e2e/mistakes/table.sh" >"$page"
if ! diff -u "$root/docs/devx-mistakes.md" "$page"; then
	echo 'docs/devx-mistakes.md is out of date: run test/e2e/mistakes/table.sh --write'
	exit 1
fi
