#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/assumptions.sh on made-up trees: it finds tags of one line and of several, ties tests
# to them, and refuses a slug used twice, a malformed tag and a test without its tag.
set -eu
. "$(dirname "$0")/../lib/frame.sh"
tree=$work/tree
mkdir "$tree"
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

fresh_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/emu/fw" "$tree/emu/engine" "$tree/test/e2e" "$tree/docs"
	cat >"$tree/emu/fw/qp.c" <<'EOF'
int a; /* assumed(reset_keeps_number): a QP keeps its number over RESET. */
EOF
	cat >"$tree/emu/engine/rc.c" <<'EOF'
	/* assumed(late_ack_is_ignored): an ACK for a PSN before
	 * the oldest one is ignored. */
EOF
	echo 'Test(assumed, late_ack_is_ignored)' >"$tree/test/e2e/acks.c"
}

# refused FILE LINE: with LINE added to FILE, FILE is reported.
refused() {
	fresh_tree
	echo "$2" >>"$tree/$1"
	expect_output 1 "$1:" "$root/docs/assumptions.sh" --root "$tree"
}

fresh_tree
expected='late_ack_is_ignored|engine|emu/engine/rc.c|test/e2e/acks.c|an ACK for a PSN before the oldest one is ignored.
reset_keeps_number|fw|emu/fw/qp.c|-|a QP keeps its number over RESET.'
expect_equal 'the list' "$("$root/docs/assumptions.sh" --list --root "$tree" | tr '\t' '|')" "$expected"
refused emu/fw/qp.c '/* assumed(late_ack_is_ignored): another sentence. */'
refused emu/fw/qp.c '/* assumed(NotSnake): a sentence. */'
refused emu/fw/qp.c '/* assumed(no_sentence) */'
refused emu/fw/qp.c '/* assumed(never_ends): a sentence.'
refused test/e2e/acks.c 'Test(assumed, nobody_said_so)'

# noted LINE...: the notes file has these lines; the page has to be refused.
noted() {
	fresh_tree
	printf '%s\n' "$@" >"$tree/docs/assumptions-looked-up.tsv"
	expect_status 1 "$root/docs/assumptions.sh" --root "$tree"
}
tab=$(printf '\t')
noted "late_ack_is_ignored${tab}kernel: nothing"
noted "late_ack_is_ignored${tab}a" "reset_keeps_number${tab}b" "no_such_slug${tab}c"
noted "late_ack_is_ignored${tab}a" "reset_keeps_number without a tab"
fresh_tree
printf '%s\n' "late_ack_is_ignored${tab}kernel, qp.c: nothing" "reset_keeps_number${tab}b" \
	>"$tree/docs/assumptions-looked-up.tsv"
expect_output 0 'Looked up.*: kernel, qp.c: nothing' "$root/docs/assumptions.sh" --root "$tree"
