#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every command of docs/host-dpu-dma.md runs as it is written there: those for an adapter, too, on the emulator. A command
# that is neither run nor named below as one that cannot run fails the test.
#
#	page_runs.sh BUILD
. "$(dirname "$0")/../../lib/pair.sh"
# shellcheck source=../install/pages.sh
. "$(dirname "$0")/../install/pages.sh"
needs ibv_devices
page=$(cd "$(dirname "$0")/../../../docs" && pwd)/host-dpu-dma.md
ln -s "$1" "$work/build"
cd "$work"
port=$(free_port)
ran=0

# here COMMAND: on a fabric and TCP port of this test; without an adapter the function of the host
# exports, and that of the DPU imports.
here() {
	local command=$1
	case $command in
	*'host_dpu_dma import'* | 'dvfw check'*) role=dpu ;;
	*) role=host ;;
	esac
	case $command in
	dvfw* | host_dpu_dma*) command="build/bin/dvkit-emu --device bf3 --as $role -- build/bin/$command" ;;
	esac
	command=${command//192.168.100.1/127.0.0.1}
	command=${command//-s 1G/-s 8M}
	command=${command//dvkit-emu /dvkit-emu --fabric $fabric }
	command=${command/host_dpu_dma export/host_dpu_dma export -p $port}
	echo "${command/host_dpu_dma import/host_dpu_dma import -p $port}"
}

while read -r command <&3; do
	case $command in
	mlxconfig\ * | mlxprivhost\ *) continue ;; # of a real adapter
	build/bin/dvkit-emu\ * | dvfw\ * | host_dpu_dma\ *) ;;
	*) fail "neither run nor known as one that cannot: $command" ;;
	esac
	ran=$((ran + 1))
	run=$(here "$command")
	echo "\$ $run"
	if [[ $command == *'host_dpu_dma export'* ]]; then
		bash -c "exec ${run%&}" >"$work/server.log" 2>&1 </dev/null &
		server_pid=$!
		await_server "$port"
		continue
	fi
	wanted=0
	[[ $command != *cx7* ]] || wanted=1
	expect_status $wanted timeout -k 5 "$limit" bash -c "$run" </dev/null
	case $command in
	*host_dpu_dma*) has 'all sums equal$' ;;
	esac
	case $command in
	*--check*) has 'check: 0 findings' ;;
	*'host_dpu_dma import'*)
		wait "$server_pid" || fail "the exporter ended with $?"
		server_pid=
		;;
	esac
done 3< <(commands "$page")
[ $ran -ge 15 ] || fail "only $ran commands"
echo "$ran commands"
