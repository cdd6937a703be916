#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Completions of bash after "dvperf …" and "dvkit-emu …" and a tabulator.
#
#	completion.sh BIN	the folder of the programs
set -u
. "$(dirname "$0")/../../lib/frame.sh"
PATH=$1:$PATH
root=$(dirname "$0")/../../..
# shellcheck source=/dev/null
. "$root/tools/dvperf/dvperf.bash-completion"
# shellcheck source=/dev/null
. "$root/emu/launcher/dvkit-emu.bash-completion"
# shellcheck disable=SC2317 # the completions call it
compopt() { :; }

# line WORD...: completes the last word of a line.
line() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	case $1 in
	dvperf) _dvperf ;;
	dvkit-emu) _dvkit_emu ;;
	esac
}

# offers WORD WORD...: for a line of which the last word is being typed, WORD is offered.
offers() {
	line "${@:2}"
	case " ${COMPREPLY[*]} " in
	*" $1 "*) ;;
	*) fail "'${*:2}' offers '${COMPREPLY[*]}', not '$1'" ;;
	esac
}

# only WORDS WORD...: nothing else is.
only() {
	line "${@:2}"
	expect_equal "what '${*:2}' offers" "${COMPREPLY[*]}" "$1"
}

only sweep dvperf sw
offers --plot= dvperf sweep --pl
offers --events dvperf bw --ev
only RC dvperf bw --connection = R
only 'direct wr verbs many' dvperf post --api =
only wr dvperf post --api = w
offers --loopback dvperf lat -n 5 --loo
offers perftest dvperf sweep --preset = perf
offers batch= dvperf sweep ba
offers api= dvperf sweep ap
only direct,verbs dvperf sweep api = direct,v
only lat dvperf sweep mode = la
only '' dvperf bw --size = 1
# devices: those of the emulator
export work # a failure in it counts here
dvkit-emu --fabric "$fabric" -- bash -c "$(declare -f)
	only mlx5_0 dvperf bw --ib-dev =
	only mlx5_0 dvperf bw -d mlx
	only '' dvperf bw --ib-dev = nosuch" || fail 'devices: status'
offers --device= dvkit-emu --dev
offers --check dvkit-emu --device = cx7 --ch
only cx7 dvkit-emu --device = cx7
only cx7 dvkit-emu --device cx7
only '512' dvkit-emu --mtu = 5
only wire dvkit-emu --trace = wi
only fw,wqe dvkit-emu --trace = fw,wq
offers dvperf dvkit-emu -- dvpe
offers dvperf dvkit-emu --fabric x dvpe
offers dvperf dvkit-emu --device = cx7 dvpe
