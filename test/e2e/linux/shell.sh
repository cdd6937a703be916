#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A virtual machine with mlx5_0, see guest.sh, for ./run guest: a shell on its console, or a command, with the files of
# this machine. The exit status is that of the command.
#
#	shell.sh KERNEL BIN ROOT [OPTION...] [COMMAND...]
#
#	--cpus=N	processors of the machine
#	--append=TEXT	more parameters of its kernel
#	--gdb[=PORT]	QEMU waits for gdb, at first before the first instruction
#	--qemu=TEXT	more options of QEMU
#	others are those of dvkit-emu
#
# COMMAND: words for the shell there, as those of ssh.
set -eu
kernel=$(readlink -f "$1") bin=$2 root=$3 cpus=1 append='' ip=192.168.0.1 port='' options=() qemu=()
shift 3
while [ $# != 0 ] && [[ $1 == --* ]]; do
	case $1 in
	--cpus=*) cpus=${1#*=} ;;
	--append=*) append+=" ${1#*=}" ;;
	--gdb | --gdb=*)
		port=${1#--gdb} port=${port#=}
		port=${port:-1234}
		qemu+=(-gdb "tcp:127.0.0.1:$port" -S)
		append+=' nokaslr'
		;;
	--qemu=*)
		read -ra words <<<"${1#*=}"
		qemu+=("${words[@]}")
		;;
	--ip=*) ip=${1#*=} options+=("$1") ;;
	--trace=*) append+=' loglevel=7' options+=("$1") ;;
	--) shift && break ;;
	*) options+=("$1") ;;
	esac
	shift
done

# shellcheck source=guest.sh
. "$(dirname "$(readlink -f "$0")")/guest.sh"
guest_modules+=(virtio_pci 9p 9pnet_virtio overlay rdma_ucm ib_umad)
settings() {
	printf '%s=%q\n' IP "$ip" FOLDER "$PWD" MODULES "$kernel/lib/modules" TERM "${TERM:-dumb}" \
		SIZE "$(stty size 2>/dev/null | sed '/^0 /d; s/\(.*\) \(.*\)/rows \1 columns \2/')"
}
guest_start
mkdir "$work/more"
settings >"$work/more/settings"
[ $# = 0 ] || echo "$*" >"$work/more/command"
(cd "$work/more" && find . | cpio --quiet -o -H newc) >>"$work/initramfs.cpio"
guest_function guest "${options[@]}"
[[ $append == *loglevel* ]] || append+=' quiet'
guest_qemu guest "TEST=shell$append" "$cpus" -serial mon:stdio -serial "file:$work/status" "${qemu[@]}" \
	-fsdev local,id=machine,path=/,security_model=none,readonly=on,multidevs=remap \
	-device virtio-9p-pci,fsdev=machine,mount_tag=machine
[ -z "$port" ] || echo "gdb -ex 'target remote :$port'" >&2
[ -t 0 ] || exec </dev/null
"${guest_command[@]}" || fail "QEMU has ended with status $?"
guest_end
status=$(cat "$work/status")
exit "${status:-125}"
