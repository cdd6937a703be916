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
dvfw=$2
data=$(dirname "$0")/explain
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0 files=0

fail() {
	echo "FAIL: $1"
	cat "$dir/out"
	failed=1
}

for file in "$data"/*.txt; do
	name=$(basename "$file" .txt)
	files=$((files + 1))
	sed '/^# /d' "$file" >"$dir/text"
	timeout 20 "$dvfw" explain "$dir/text" >"$dir/out" 2>&1 || fail "$name: status $?"
	grep -q '^# https://' "$file" || fail "$name: no address"
	kind=$(sed -n 's/^# kind //p' "$file")
	grep -q "^lines\? .* ($kind)" "$dir/out" || fail "$name: no item is $kind"
	sed -n 's/^# expect //p' "$file" >"$dir/expect"
	[ -s "$dir/expect" ] || fail "$name: expects nothing"
	while IFS= read -r regex; do
		grep -Eq -- "$regex" "$dir/out" || fail "$name: no line '$regex'"
	done <"$dir/expect"
	# The same as JSON: as many items, and it is JSON.
	timeout 20 "$dvfw" --json explain - <"$dir/text" >"$dir/json" || fail "$name --json: status $?"
	[ "$(grep -c '^      "kind": ' "$dir/json")" = "$(grep -Ec '^lines? ' "$dir/out")" ] ||
		fail "$name --json: another number of items"
done
[ $files -ge 120 ] || fail "only $files files"

# nothing <STATUS> ARGUMENT...: what is not known has exit status 1, and a wrong option 2.
status() {
	local want=$1 got
	shift
	timeout 20 "$dvfw" explain "$@" >"$dir/out" 2>&1 </dev/null
	got=$?
	[ $got = "$want" ] || fail "dvfw explain $*: status $got, not $want"
}
status 1 'nothing that is known'
grep -q '^1 line was not understood:$' "$dir/out" || fail 'the line is not shown'
status 1 "$dir/none"
grep -q "there is no file '$dir/none', so it was read as a line" "$dir/out" || fail 'a file that is not there'
status 2 "$dir/text" "$dir/out"
grep -q 'one FILE at a time; of several: cat FILE' "$dir/out" || fail 'two files'
status 2 --kind=wqee 00
status 2
head -c 160 /dev/zero | tr '\0' '\377' | od -A x -t x1 -v >"$dir/text"
status 1 "$dir/text"
grep -q '^11 lines were not understood' "$dir/out" || fail 'a dump of something else'
status 0 0x317175
grep -q 'known from  *CREATE_MKEY' "$dir/out" || fail 'a bare syndrome'
status 0 12345 IBV_WC_RNR_RETRY_EXC_ERR
printf '\033[2J mlx5: \033]0;x\007: got completion with error: IBV_WC_GENERAL_ERR\n' >"$dir/text"
status 0 "$dir/text"
! grep -q $'\033' "$dir/out" || fail 'control characters in the output'

# A WQE, a ring, an EQE, a CQE as bytes, with and without --kind; two WQEs make a ring.
wqe=00000708000043030000000800000000000000007f000000000012340000000000000010000056780000000000001000
status 0 "$wqe"
grep -q 'read as: wqe (a guess' "$dir/out" || fail 'a WQE is not recognized'
grep -q 'RDMA_WRITE' "$dir/out" || fail 'no RDMA_WRITE'
status 0 --kind=wqe "$wqe"
status 0 --kind=ring "$wqe$(printf '%032d' 0)$wqe"
[ "$(grep -c '# block' "$dir/out")" = 2 ] || fail 'a ring of two WQEs'
for i in $(seq 300); do
	printf '%s%032d' "$wqe" 0
done >"$dir/text" # in one line
status 0 --kind=ring "$dir/text"
[ "$(grep -c '# block' "$dir/out")" = 300 ] || fail 'a ring of 300 WQEs'
status 0 "$(printf '00040000%056d00000042%014d01%040d' 0 0 0)" # cqn 0x42, syndrome 1
grep -q 'CQ_ERROR' "$dir/out" || fail 'an EQE is not recognized'
head -c 64 /dev/zero >"$dir/raw"
status 0 --kind=cqe "$dir/raw"

# The same CQE in the form of each program that prints bytes.
cqe=$(printf '%072d000000b3%024d930052040a0019a1c0921cd2' 0 0)
printf '%b' "$(echo "$cqe" | sed 's/../\\x&/g')" >"$dir/raw"
[ "$(wc -c <"$dir/raw")" = 64 ] || fail "$cqe"
form() {
	command -v "$1" >/dev/null || return 0
	"$@" "$dir/raw" >"$dir/text"
	status 0 "$dir/text"
	grep -q '0x52 (82)' "$dir/out" || fail "$*: $(cat "$dir/text")"
	! grep -q 'not understood' "$dir/out" || fail "$*: not understood: $(cat "$dir/text")"
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
timeout 20 "$dvfw" decode auto "$cqe" >"$dir/out" && grep -q 'LOC_PROT_ERR' "$dir/out" || fail 'decode auto: a CQE'
timeout 20 "$dvfw" decode --json auto "$wqe" >"$dir/out" && grep -q '"kind": "wqe"' "$dir/out" || fail 'decode auto: a WQE'
timeout 20 "$dvfw" decode inbox 04000000000000000000000000000000 >"$dir/out" && grep -q '^create_cq_in' "$dir/out" ||
	fail 'decode inbox'
timeout 20 "$dvfw" decode inbox ffff >"$dir/out" 2>&1
[ $? = 1 ] || fail 'decode inbox of no command'
timeout 20 "$dvfw" decode auto ffff >"$dir/out" 2>&1
[ $? = 1 ] || fail 'decode auto of nothing that is known'

# Without the script, and without its interpreter.
mkdir -p "$dir/bin" "$dir/libexec/dvkit/explain"
cp "$dvfw" "$dir/bin/dvfw"
[ "$("$dir/bin/dvfw" explain x 2>&1)" = \
	"dvfw: $dir/bin/../libexec/dvkit/explain/dvfw-explain: No such file or directory" ] || fail 'no script'
echo '#!/nonexistent/python3' >"$dir/libexec/dvkit/explain/dvfw-explain"
chmod +x "$dir/libexec/dvkit/explain/dvfw-explain"
"$dir/bin/dvfw" explain x >"$dir/out" 2>&1
[ $? = 1 ] && grep -q '^dvfw: this subcommand is a script: it needs /usr/bin/python3$' "$dir/out" || fail 'no interpreter'

# A syndrome of the emulator has the opcode in it.
status 0 0xe005000e
grep -q 'the limit in the capabilities is reached' "$dir/out" || fail "a syndrome of the emulator"
# What Debian's rping prints when no program listens. One of its threads ends the process while the other prints two more lines.
if command -v rping >/dev/null; then
	timeout 60 "$1" --fabric "explain-$$" -- ibv_asyncwatch >"$dir/watch" 2>&1 &
	for _ in $(seq 100); do
		grep -q 'async event FD' "$dir/watch" && break
		sleep 0.1
	done
	timeout 50 "$1" --fabric "explain-$$" --ip 192.168.0.2 -- rping -c -a 192.168.0.1 >"$dir/text" 2>&1
	kill $!
	timeout 20 "$dvfw" explain "$dir/text" >"$dir/out" 2>&1 || fail 'rping: status'
	grep -Eq '^lines? 1(-[23])?: .*REJECTED: invalid service ID \(rdma_cm\)' "$dir/out" || fail 'rping'
	grep -q 'no program listens' "$dir/out" || fail 'rping: no cause'
fi
exit $failed
