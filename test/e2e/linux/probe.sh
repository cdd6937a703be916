#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Linux' own driver on the emulator: a virtual machine without KVM, whose PCI function dvkit-emu is (--vfio-user).
# mlx5_core, mlx5e and mlx5_ib have to bind, to send between two programs, and to unbind, twice, and the kernel's log
# must have nothing above "info". With CALLS, verbs_calls, it executes that before it unbinds the last time, and
# CALLS runs once more under dvkit-emu: the calls and the firmware commands of both are compared, see compare.py.
#
#	probe.sh KERNEL BIN ROOT [CALLS]
#		KERNEL: an unpacked package linux-image-*; ROOT: a Debian with qemu-system-x86_64 that has
#		vfio-user-pci (QEMU 10.1), see scripts/linux.sh
#
# Exit status 77: something is missing here.
set -eu
here=$(dirname "$(readlink -f "$0")")
kernel=$1 bin=$2 root=$3 calls=${4-}
limit=${GUEST_BOOT_LIMIT:-900} # seconds; on an idle machine it takes 15 without verbs_calls
turns=${TURNS:-2}
sequences=${calls:+${SEQUENCES:-1000}} # of random calls

# shellcheck source=../../../scripts/root.sh
. "$here/../../../scripts/root.sh"
for program in busybox depmod modprobe cpio python3 ibv_rc_pingpong; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'a Debian root needs root: for chroot and mount'; exit 77; }

work=$(mktemp -d "$root/tmp/linux.XXXXXX")
inside=${work#"$root"}
emulator=
# KEEP=FOLDER: for a reader of what was compared.
trap '[ -z "$emulator" ] || kill $emulator
	[ -z "${KEEP-}" ] || cp "$work"/{console,qemu.log,trace,calls,emulated,emulated.trace} "$KEEP" 2>/dev/null || true
	rm -rf "$work"' EXIT

# programs TREE: of ibverbs-utils, with their libraries.
programs() {
	local folder provider kind file
	provider=$(find /usr/lib -name 'libmlx5-rdmav*.so' | head -n 1)
	folder=$(dirname "$provider")
	mkdir -p "$1$folder" "$1/etc/libibverbs.d"
	cp -L "$provider" "$1$folder/"
	cp /etc/libibverbs.d/mlx5.driver "$1/etc/libibverbs.d/"
	for kind in rc uc ud srq; do
		cp "$(command -v ibv_${kind}_pingpong)" "$1/bin/"
	done
	[ -z "$calls" ] || cp "$calls" "$1/bin/verbs_calls"
	ldd "$1"/bin/{ibv,verbs}_* "$provider" 2>/dev/null | grep -o '/[^ ]*\.so[^ )]*' | sort -u | while read -r file; do
		[ -f "$file" ] || continue
		mkdir -p "$1$(dirname "$file")"
		cp -L "$file" "$1$file"
	done
}

# initramfs: busybox, the drivers and what they depend on, the programs.
initramfs() {
	local release module tree=$work/initramfs
	release=$(basename "$kernel"/lib/modules/*)
	mkdir -p "$tree/bin" "$tree/modules"
	cp "$(command -v busybox)" "$tree/bin/busybox"
	install -m 755 "$here/init.sh" "$tree/init"
	[ -f "$kernel/lib/modules/$release/modules.dep" ] || depmod -b "$kernel" "$release"
	for module in mlx5_core mlx5_ib ib_uverbs; do
		modprobe -d "$kernel" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r module; do
		case $module in # Debian 13 compresses them
		*.xz) xz -dc "$module" >"$tree/modules/$(basename "$module" .xz)" ;;
		*) cp "$module" "$tree/modules/" ;;
		esac
		basename "$module" .xz
	done >"$tree/modules/order"
	programs "$tree"
	(cd "$tree" && find . | cpio --quiet -o -H newc) >"$work/initramfs.cpio"
}

fail() {
	echo "probe: $*"
	tail -n 40 "$work/console" "$work/qemu.log" "$work/trace" 2>/dev/null
	exit 1
}

initramfs
cp "$kernel"/boot/vmlinuz-* "$work/vmlinuz"
"$bin/dvkit-emu" --vfio-user "$work/function" --trace "${TRACE:-fw}" --trace-file "$work/trace" &
emulator=$!
until [ -S "$work/function" ]; do
	kill -0 $emulator 2>/dev/null || { emulator=; fail 'dvkit-emu ended'; }
	sleep 0.1
done
timeout "$limit" "$BASH" -c '. "$0"; root=$1; shift; root_inside "$@"' "$here/../../../scripts/root.sh" "$root" \
	qemu-system-x86_64 -accel tcg -cpu max -smp 1 -m 1024 -nodefaults -no-user-config -display none -no-reboot \
	-object memory-backend-memfd,id=m,size=1024M,share=on -machine q35,memory-backend=m \
	-serial "file:$inside/console" -serial "file:$inside/calls" -kernel "$inside/vmlinuz" -initrd "$inside/initramfs.cpio" \
	-append "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on TURNS=$turns SEQUENCES=$sequences" \
	-device '{"driver":"vfio-user-pci","socket":{"type":"unix","path":"'"$inside"'/function"}}' \
	>"$work/qemu.log" 2>&1 </dev/null || fail 'the guest did not end'

tr -d '\r' <"$work/console" >"$work/said"
for ((turn = 1; turn <= turns; turn++)); do
	grep -q "^guest: turn $turn bound 0x15b3 0x1017" "$work/said" || fail "turn $turn: mlx5_core did not bind"
	grep -q "^guest: turn $turn netdev 02:c5:c0:a8:00:01" "$work/said" || fail "turn $turn: there is no network device"
	grep -q "^guest: turn $turn port 4: ACTIVE" "$work/said" || fail "turn $turn: the port did not become active"
	for kind in rc uc ud srq; do
		grep -q "^guest: turn $turn $kind" "$work/said" || fail "turn $turn: ibv_${kind}_pingpong"
	done
	grep -q "^guest: turn $turn unbound" "$work/said" || fail "turn $turn: mlx5_core did not unbind"
done
sed -n '/^guest: log/,/^guest: end/p' "$work/said" | grep '^<' && fail 'the kernel has logged this above "info"'
grep -q '^guest: end' "$work/said" || fail 'the guest did not finish'
[ -z "$calls" ] || grep -q '^guest: calls' "$work/said" || fail 'verbs_calls did not end well'
commands=$(grep -c ' fw .* in ' "$work/trace")
refused=$(grep -E -c ' fw .* out  (BAD|LIM|NO_RES|INT)' "$work/trace" || true)
kill $emulator
wait $emulator || fail 'dvkit-emu did not end well'
emulator=
echo "Linux $(basename "$kernel"/lib/modules/*): mlx5_core and mlx5_ib bound, sent and unbound $turns times, $commands commands, $refused refused"
[ -n "$calls" ] || exit 0

# The same program under dvkit-emu.
"$bin/dvkit-emu" --fabric "${work##*/}" --trace fw --trace-file "$work/emulated.trace" -- \
	"$calls" "$sequences" >"$work/emulated" || fail 'verbs_calls did not end well on the emulator'
status=0
python3 "$here/compare.py" calls "$work/emulated" "$work/calls" || status=1
python3 "$here/compare.py" commands "$work/emulated.trace" "$work/trace" "$work/emulated" "$work/calls" || status=1
exit $status
