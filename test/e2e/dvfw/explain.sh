#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw explain of lines and dumps that people pasted in public threads: explain/*.txt. Each begins with
#
#	# ADDRESS		of the thread
#	# kind KIND		what one of its items has to be
#	# expect REGEX		what has to be in the output; several
#
#	explain.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2
data=$(dirname "$0")/explain
files=0

for file in "$data"/*.txt; do
	name=$(basename "$file" .txt)
	files=$((files + 1))
	sed '/^# /d' "$file" >"$work/text"
	expect_status 0 timeout 20 "$dvfw" explain "$work/text"
	grep -q '^# https://' "$file" || fail "$name: no address"
	kind=$(sed -n 's/^# kind //p' "$file")
	grep -q "^lines\? .* ($kind)" "$work/out" || fail "$name: no item is $kind"
	sed -n 's/^# expect //p' "$file" >"$work/expect"
	[ -s "$work/expect" ] || fail "$name: expects nothing"
	while IFS= read -r regex; do
		has "$regex"
	done <"$work/expect"
	# The same as JSON: as many items, and it is JSON.
	timeout 20 "$dvfw" --json explain - <"$work/text" >"$work/json" || fail "$name --json: status $?"
	[ "$(grep -c '^      "kind": ' "$work/json")" = "$(grep -Ec '^lines? ' "$work/out")" ] ||
		fail "$name --json: another number of items"
done
[ $files -ge 120 ] || fail "only $files files"

# status STATUS ARGUMENT...: what is not known has exit status 1, and a wrong option 2.
status() {
	expect_status "$1" timeout 20 "$dvfw" explain "${@:2}" </dev/null
}
status 1 'nothing that is known'
has '^1 line was not understood:$'
status 1 "$work/none"
has "there is no file '$work/none', so it was read as a line"
status 2 "$work/text" "$work/out"
has 'one FILE at a time; of several: cat FILE'
status 2 --kind=wqee 00
status 2
head -c 160 /dev/zero | tr '\0' '\377' | od -A x -t x1 -v >"$work/text"
status 1 "$work/text"
has '^11 lines were not understood'
status 0 0x317175
has 'known from +CREATE_MKEY'
status 0 12345 IBV_WC_RNR_RETRY_EXC_ERR
printf '\033[2J mlx5: \033]0;x\007: got completion with error: IBV_WC_GENERAL_ERR\n' >"$work/text"
status 0 "$work/text"
lacks $'\033'

# A WQE, a ring, an EQE, a CQE as bytes, with and without --kind; two WQEs make a ring.
wqe=00000708000043030000000800000000000000007f000000000012340000000000000010000056780000000000001000
status 0 "$wqe"
has 'read as: wqe \(a guess'
has 'RDMA_WRITE'
status 0 --kind=wqe "$wqe"
status 0 --kind=ring "$wqe$(printf '%032d' 0)$wqe"
has_lines 2 '# block'
for i in $(seq 300); do
	printf '%s%032d' "$wqe" 0
done >"$work/text" # in one line
status 0 --kind=ring "$work/text"
has_lines 300 '# block'
status 0 "$(printf '00040000%056d00000042%014d01%040d' 0 0 0)" # cqn 0x42, syndrome 1
has 'CQ_ERROR'
head -c 64 /dev/zero >"$work/raw"
status 0 --kind=cqe "$work/raw"

# The same CQE in the form of each program that prints bytes.
cqe=$(printf '%072d000000b3%024d930052040a0019a1c0921cd2' 0 0)
printf '%b' "$(echo "$cqe" | sed 's/../\\x&/g')" >"$work/raw"
[ "$(wc -c <"$work/raw")" = 64 ] || fail "$cqe"
form() {
	command -v "$1" >/dev/null || return 0
	"$@" "$work/raw" >"$work/text"
	status 0 "$work/text"
	grep -q '0x52 (82)' "$work/out" || fail "$*: $(cat "$work/text")"
	lacks 'not understood'
}
form xxd
form xxd -g1
form xxd -p
form od -t x1
form od -A x -t x1z
form od -v -A n -t x1
form hexdump
form hexdump -C
form cat

# "decode auto" guesses, and "decode inbox" finds the command.
expect_output 0 LOC_PROT_ERR timeout 20 "$dvfw" decode auto "$cqe"
expect_output 0 '"kind": "wqe"' timeout 20 "$dvfw" decode --json auto "$wqe"
expect_output 0 '^create_cq_in' timeout 20 "$dvfw" decode inbox 04000000000000000000000000000000
expect_status 1 timeout 20 "$dvfw" decode inbox ffff
expect_status 1 timeout 20 "$dvfw" decode auto ffff

# Without the script, and without its interpreter.
mkdir -p "$work/bin" "$work/libexec/dvkit/explain"
cp "$dvfw" "$work/bin/dvfw"
[ "$("$work/bin/dvfw" explain x 2>&1)" = \
	"dvfw: dvfw-explain is not installed ($work/bin/../libexec/dvkit/explain/dvfw-explain); it is a part of dvkit-tools" ] || fail 'no script'
echo '#!/nonexistent/python3' >"$work/libexec/dvkit/explain/dvfw-explain"
chmod +x "$work/libexec/dvkit/explain/dvfw-explain"
expect_output 1 '^dvfw: this subcommand is a script: it needs /usr/bin/python3$' "$work/bin/dvfw" explain x

# A syndrome of the emulator has the opcode in it.
status 0 0xe005000e
has 'the limit in the capabilities is reached'
# Output of Debian's rping when no program listens. One of its threads ends the process while the other prints two more lines.
if command -v rping >/dev/null; then
	"$emu" --fabric "$fabric" -- ibv_asyncwatch >"$work/watch" 2>&1 &
	until_true grep -q 'async event FD' "$work/watch"
	limit=50 emulated --ip 192.168.0.2 -- rping -c -a 192.168.0.1 >"$work/text" 2>&1
	kill $!
	expect_output 0 '^lines? 1(-[23])?: .*REJECTED: invalid service ID \(rdma_cm\)' timeout 20 "$dvfw" explain "$work/text"
	has 'no program listens'
fi
