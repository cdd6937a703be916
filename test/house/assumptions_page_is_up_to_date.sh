#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/assumptions.md says what the tags in the sources say; the tags are well-formed, and
# their slugs unique (docs/assumptions.sh refuses otherwise).
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
page=$(mktemp)
trap 'rm -f "$page"' EXIT

"$root/docs/assumptions.sh" >"$page"
if ! diff -u "$root/docs/assumptions.md" "$page"; then
	echo 'docs/assumptions.md is out of date: run docs/assumptions.sh --write'
	exit 1
fi
