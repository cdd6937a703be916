# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by probe.sh and netdev.sh: virtual machines without KVM, each with a PCI function that a dvkit-emu is
# (--vfio-user). $kernel: an unpacked package linux-image-*; $bin: where dvkit-emu is; $root: a Debian with
# qemu-system-x86_64 that has vfio-user-pci (QEMU 10.1), see scripts/linux.sh.
#
#	guest_start PROGRAM...          is all there that is needed? $work: a folder in $root, with initramfs and kernel
#	guest_function NAME OPTION...   dvkit-emu with these options
#	guest_traced NAME OPTION...     the same on a separate fabric, with its trace in $work/NAME.trace
#	guest_boot NAME PARAMETERS [PROCESSORS]
#		a machine with that function, until it ends; its console: $work/NAME.console
#	guest_qemu NAME PARAMETERS PROCESSORS OPTION...
#		the command for that, in the array guest_command; OPTION: where the serial ports are, and others of QEMU
#	guest_end                       the dvkit-emus have to end well

# shellcheck disable=SC2154 # kernel, bin and root are those of the caller

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
limit=${GUEST_BOOT_LIMIT:-900} # seconds
guest_functions=()
guest_modules=(mlx5_core mlx5_ib ib_uverbs 8021q macvlan)

# shellcheck source=../../lib/kernel_modules.sh
. "$here/../../lib/kernel_modules.sh"

fail() {
	echo "$(basename "$0" .sh): $*"
	tail -n 40 "$work"/*.console "$work"/*.qemu "$work"/*.trace 2>/dev/null
	exit 1
}

# KEEP=FOLDER: for a reader of what was said.
guest_cleanup() {
	[ ${#guest_functions[@]} = 0 ] || kill "${guest_functions[@]}" 2>/dev/null
	[ -z "${KEEP-}" ] || find "$work" -maxdepth 1 -type f ! -name vmlinuz ! -name initramfs.cpio -exec cp -t "$KEEP" {} +
	rm -rf "$work"
}

# guest_programs TREE PROGRAM...: with their libraries, and that which pthread_exit(3) loads.
guest_programs() {
	local tree=$1 provider folder program file
	shift
	provider=$(find /usr/lib -name 'libmlx5-rdmav*.so' | head -n 1)
	folder=$(dirname "$provider")
	mkdir -p "$tree$folder" "$tree/etc/libibverbs.d"
	cp -L "$provider" "$tree$folder/"
	cp /etc/libibverbs.d/mlx5.driver "$tree/etc/libibverbs.d/"
	for program; do
		program=$(command -v "$program")
		cp -L "$program" "$tree/bin/"
		ldd "$program" "$provider" 2>/dev/null
	done | cat - <(/sbin/ldconfig -p | grep libgcc_s) | grep -o '/[^ ]*\.so[^ )]*' | sort -u | while read -r file; do
		[ -f "$file" ] || continue
		mkdir -p "$tree$(dirname "$file")"
		cp -L "$file" "$tree$file"
	done
}

guest_start() {
	local program
	for program in busybox depmod modprobe cpio python3 "$@"; do
		command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
	done
	work=$(mktemp -d)
	trap guest_cleanup EXIT
	mkdir -p "$work/tree/bin"
	cp "$(command -v busybox)" "$work/tree/bin/busybox"
	install -m 755 "$here/init.sh" "$work/tree/init"
	cp "$here"/guest_*.sh "$here/../../lib/machine_files.sh" "$work/tree/"
	kernel_modules "$kernel" "$work/tree/modules" "${guest_modules[@]}"
	guest_programs "$work/tree" "$@"
	(cd "$work/tree" && find . | cpio --quiet -o -H newc) >"$work/initramfs.cpio"
	rm -rf "$work/tree"
	cp "$kernel"/boot/vmlinuz-* "$work/vmlinuz"
}

guest_function() {
	local name=$1
	shift
	"$bin/dvkit-emu" --vfio-user "$work/$name" "$@" &
	guest_functions+=($!)
	until [ -S "$work/$name" ]; do
		kill -0 $! 2>/dev/null || fail 'dvkit-emu ended'
		sleep 0.1
	done
}

# guest_traced NAME OPTION...: such a function on a separate fabric, its trace in $work/NAME.trace.
guest_traced() {
	local name=$1
	shift
	guest_function "$name" --fabric "${work##*/}" --trace "${TRACE:-fw}" --trace-file "$work/$name.trace" "$@"
}

# QEMU is that of $root, with the libraries and the firmware there.
guest_qemu() {
	local name=$1 parameters=$2 processors=$3
	shift 3
	guest_command=("$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu"
		"$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios"
		-accel tcg -cpu max -smp "$processors" -m 1024 -nodefaults -no-user-config -display none -no-reboot
		-object "memory-backend-memfd,id=m,size=1024M,share=on" -machine q35,memory-backend=m
		-kernel "$work/vmlinuz" -initrd "$work/initramfs.cpio"
		-append "console=ttyS0 panic=-1 mitigations=off no_timer_check random.trust_cpu=on $parameters"
		-device '{"driver":"vfio-user-pci","socket":{"type":"unix","path":"'"$work/$name"'"}}' "$@")
}

# The second serial port is for what is more than words: $work/NAME.out.
guest_boot() {
	local guest_command
	guest_qemu "$1" "quiet $2" "${3:-1}" -serial "file:$work/$1.console" -serial "file:$work/$1.out"
	timeout "$limit" "${guest_command[@]}" >"$work/$1.qemu" 2>&1 </dev/null || return 1
	tr -d '\r' <"$work/$1.console" >"$work/$1.said"
}

# guest_said NAME LINE WHAT: the guest has printed the line; if not, WHAT is why it fails.
guest_said() {
	grep -q "^guest: $2" "$work/$1.said" || fail "$1: $3"
}

# guest_log NAME: the guest has finished, and its kernel has logged nothing above "info".
guest_log() {
	sed -n '/^guest: log/,/^guest: end/p' "$work/$1.said" | grep '^<' && fail 'the kernel has logged this above "info"'
	guest_said "$1" end 'the guest did not finish'
}

# guest_commands NAME: "N commands, N refused"
guest_commands() {
	echo "$(grep -c ' fw .* in ' "$work/$1.trace") commands," \
		"$(grep -E -c ' fw .* out  (BAD|LIM|NO_RES|INT)' "$work/$1.trace" || true) refused"
}

guest_end() {
	local all=("${guest_functions[@]}") one
	guest_functions=()
	kill "${all[@]}" 2>/dev/null || true
	for one in "${all[@]}"; do
		wait "$one" || fail 'dvkit-emu did not end well'
	done
}
