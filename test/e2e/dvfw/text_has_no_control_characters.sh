#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Text of scripts and dumps reaches the terminal without its escape sequences.
#
#	text_has_no_control_characters.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2
esc=$'\033'

# quotes WORDS COMMAND...: it says WORDS, and no byte that a terminal obeys.
quotes() {
	timeout 30 "${@:2}" >"$work/out" 2>&1
	grep -qF -- "$1" "$work/out" || fail "${*:2}: no '$1'"
	LC_ALL=C lacks $'[--]' "$work/out"
}

printf 'QUERY_%s]0;title\007 x=1\n' "$esc" >"$work/script"
quotes 'QUERY_\x1b]0;title\x07' "$emu" --fabric "$fabric" -- "$dvfw" run "$work/script"
printf 'a = ALLOC_PD "%s[2J"\n' "$esc" >"$work/script"
quotes '\x1b[2J' "$emu" --fabric "$fabric" -- "$dvfw" run "$work/script"

# dump NAME FW GROUP FIELD VALUE: of an adapter, as JSON writes ESC.
dump() {
	printf '{ "device": { "name": "%s", "fw_ver": "%s", "board_id": "b", "vendor_part_id": 4119 },
		"caps": { "%s": { "current": { "%s": "%s" } } } }' "$@"
}
dump mlx5_0 16.35.2000 GENERAL log_max_qp 1 >"$work/a"
dump 'm\u001b[31m' '1\u001b[0m' GENERAL 'f\u001b[5m' 'v\u009b' >"$work/b"
dump mlx5_0 16.35.2000 'g\u001b[5m' log_max_qp 1 >"$work/c"
dump mlx5_0 16.35.2000 GENERAL log_max_qp 'v\u001b[5m' >"$work/d"
dump mlx5_0 16.35.2000 GENERAL 'f\u001b[5m' 1 >"$work/e"
quotes 'm\x1b[31m' "$dvfw" caps --diff "$work/a" "$work/b"
quotes 'f\x1b[5m' "$dvfw" caps --diff "$work/a" "$work/b"
quotes 'v\xc2\x9b' "$dvfw" caps --diff "$work/a" "$work/b"
quotes "there is no capability group 'g\\x1b[5m'" "$emu" --device "$work/c" -- true
quotes 'v\u001b[5m' "$emu" --device "$work/d" -- true
quotes "'f\\x1b[5m'" "$emu" --device "$work/e" -- true
