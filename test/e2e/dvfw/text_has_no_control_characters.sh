#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Text of scripts and dumps reaches the terminal without its escape sequences.
#
#	printed_text_has_no_control_characters.sh LAUNCHER DVFW
set -u
emu=$1 dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
esc=$'\033'

# quotes WORDS COMMAND...: it says WORDS, and no byte that a terminal obeys.
quotes() {
	local words=$1
	shift
	timeout 30 "$@" >"$dir/out" 2>&1
	grep -qF -- "$words" "$dir/out" || { echo "FAIL: $*: no '$words' in"; cat -v "$dir/out"; failed=1; }
	if LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$dir/out"; then
		echo "FAIL: $*: control characters:"
		cat -v "$dir/out"
		failed=1
	fi
}

printf 'QUERY_%s]0;title\007 x=1\n' "$esc" >"$dir/script"
quotes 'QUERY_\x1b]0;title\x07' "$emu" --fabric "esc-$$" -- "$dvfw" run "$dir/script"
printf 'a = ALLOC_PD "%s[2J"\n' "$esc" >"$dir/script"
quotes '\x1b[2J' "$emu" --fabric "esc-$$" -- "$dvfw" run "$dir/script"

# dump NAME FW GROUP FIELD VALUE: of an adapter, as JSON writes ESC.
dump() {
	printf '{ "device": { "name": "%s", "fw_ver": "%s", "board_id": "b", "vendor_part_id": 4119 },
		"caps": { "%s": { "current": { "%s": "%s" } } } }' "$@"
}
dump mlx5_0 16.35.2000 GENERAL log_max_qp 1 >"$dir/a"
dump 'm\u001b[31m' '1\u001b[0m' GENERAL 'f\u001b[5m' 'v\u009b' >"$dir/b"
dump mlx5_0 16.35.2000 'g\u001b[5m' log_max_qp 1 >"$dir/c"
dump mlx5_0 16.35.2000 GENERAL log_max_qp 'v\u001b[5m' >"$dir/d"
dump mlx5_0 16.35.2000 GENERAL 'f\u001b[5m' 1 >"$dir/e"
quotes 'm\x1b[31m' "$dvfw" caps --diff "$dir/a" "$dir/b"
quotes 'f\x1b[5m' "$dvfw" caps --diff "$dir/a" "$dir/b"
quotes 'v\xc2\x9b' "$dvfw" caps --diff "$dir/a" "$dir/b"
quotes "there is no capability group 'g\\x1b[5m'" "$emu" --device "$dir/c" -- true
quotes 'v\u001b[5m' "$emu" --device "$dir/d" -- true
quotes "'f\\x1b[5m'" "$emu" --device "$dir/e" -- true
exit $failed
