#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each option of dvkit-emu: the key of DVKIT_EMU that the command's processes get, or the line and the status 125
# that refuse its value. An option without a line here fails the test.
#
#	options.sh LAUNCHER
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$(realpath "$1")
cd "$work" || exit
tested=' --help --usage --version --list-devices --devices --wire --trust-device ' # elsewhere

note() {
	for word; do
		[[ $word != --* ]] || tested+="${word%%=*} "
	done
}

# gives KEYS OPTION...: DVKIT_EMU, or what comes in it after the keys that are always there.
gives() {
	local want=$1
	[[ $want == mtu=* ]] || want=mtu=1024,ip=192.168.0.1,device=cx5,fabric=0${want:+,$want}
	shift
	note "$@"
	expect_status 0 timeout 30 "$emu" "$@" -- printenv DVKIT_EMU
	expect_equal "$*" "$(cat "$work/out")" "$want"
}

# refuses LINE OPTION...: the rest of the line
refuses() {
	local want=$1
	shift
	note "$@"
	expect_status 125 timeout 30 "$emu" "$@" -- true
	expect_equal "$*" "$(cat "$work/out" "$work/err" | sed 's|^[^:]*: ||')" "$want"
}

gives ''
gives 'mtu=4096,ip=10.1.2.3,device=bf2,fabric=a.b-c_9' --mtu=4096 --ip=10.1.2.3 --device=bf2 --fabric=a.b-c_9
gives '' --kernel=6.1
gives 'kernel=6.12' --kernel 6.12
gives 'mtu=1024,ip=192.168.0.1,device=bf3,fabric=0,as=dpu' --device=bf3 --as=dpu
gives 'memlock=0,doorbells=poll,stats=1,check=1' --no-memlock --poll-doorbells --stats --check
gives 'trace=0x3' --trace=fw --trace=doorbell
gives "trace=0x2,trace_file=$PWD/a%2cb%25%3d" --trace=doorbell '--trace-file=a,b%='
gives "pcap=$PWD/p,timeline=/dev/null" --pcap=p --timeline=/dev/null
gives 'faults=drop%3d5%25:7;dup%3d1;reorder%3d0;delay%3d0.5:2ms;corrupt%3d1:rx;ecn%3d1:queue' \
	--drop=5%:7 --dup=1 --reorder=0 --delay=0.5:2ms --corrupt=1:rx --ecn=1:queue
[[ -e p && -e 'a,b%=' ]] || fail 'files are not made before the command runs'

refuses "--mtu is 256, 512, 1024, 2048 or 4096, not '1500'" --mtu=1500
refuses "--ip: '224.0.0.1' is not a unicast IPv4 address" --ip=224.0.0.1
refuses "--fabric: 1 to 32 of letters, digits and . _ -, not 'a/b'" --fabric=a/b
refuses "--kernel is 6.1 or 6.12, not '6.13'" --kernel=6.13
refuses "--as is host or dpu, not 'arm'" --as=arm
refuses "--tap: 'a:b' is not a name of an interface" --tap=a:b
refuses "--netdev: 'a:b' is not one name of an interface, or two" --netdev=a:b
refuses "--trace: unknown word at 'nix'" --trace=fw,nix
refuses '/nix/p: No such file or directory' --pcap=/nix/p
refuses '--trace-file without --trace, --check or --stats' --trace-file=t
long=$(printf 'x%.0s' {1..1100})
refuses "$long: File name too long" "--pcap=$long"
words=':SEED, :tx, :rx, %s:send, :write, :read, :read_response, :atomic, :atomic_response, :ack, :cnp, :ethernet'
# shellcheck disable=SC2059 # a format
refuses "--drop is a probability, 0.05 or 5%, with $(printf "$words" ''); not '2'" --drop=2
# shellcheck disable=SC2059
refuses "--delay is a probability, 0.05 or 5%, with $(printf "$words" ':TIME as 2ms, '); not '1:3m'" --delay=1:3m
refuses "--inject: /nix: /nix: No such file or directory" --inject=/nix

# A PCI function: neither a command nor what is for processes.
note --vfio-user
expect_status 125 timeout 30 "$emu" --vfio-user=/nix/socket -- true
expect_equal 'with a command' "$(cat "$work/err")" 'dvkit-emu: --vfio-user has no command'
for option in --kernel=6.1 --as=host --wire=lo --netdev=a --inject=/nix --no-memlock --stats --poll-doorbells; do
	expect_status 125 timeout 30 "$emu" --device=bf2 $option --vfio-user=/nix/socket
	expect_equal "$option" "$(cat "$work/err")" "dvkit-emu: --vfio-user and ${option%%=*} exclude each other"
done
expect_status 125 timeout 30 "$emu" --vfio-user=/nix/socket
expect_equal 'socket' "$(cat "$work/err")" 'dvkit-emu: --vfio-user: /nix/socket: No such file or directory'

# Its faults on request; a line that is no request does not end it.
note --control
refuses '--control without --vfio-user' --control="$work/faults"
expect_status 125 timeout 30 "$emu" --vfio-user="$work/socket" --control=/nix/faults
expect_equal 'FIFO' "$(cat "$work/err")" 'dvkit-emu: --control: /nix/faults: No such file or directory'
"$emu" --vfio-user="$work/socket" --control="$work/faults" 2>"$work/err" &
function=$!
until [ -S "$work/socket" ]; do sleep 0.05; done
printf 'health 0x1\nfail-command NONE\nlink sideways\n' >"$work/faults"
until [ "$(wc -l <"$work/err")" = 2 ]; do sleep 0.05; done
kill $function
wait $function || fail 'the function did not end well'
expect_equal 'requests' "$(cat "$work/err")" 'dvkit-emu: --control: fail-command: No such file or directory
dvkit-emu: --control: link: Invalid argument'
[ ! -e "$work/faults" ] || fail 'the FIFO is left'

"$emu" --help >"$work/out"
while read -r option; do
	[[ $tested == *" $option "* ]] || fail "no line for $option"
done < <(grep -oE -- '--[a-z-]+' "$work/out" | sort -u)
