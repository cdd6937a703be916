# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by what boots a kernel of Debian.

# kernel_modules KERNEL FOLDER MODULE...: out of KERNEL, an unpacked package linux-image-*, the modules and what they
# depend on; FOLDER/order has their names in the order in which they are loaded.
kernel_modules() {
	local kernel=$1 folder=$2 release module
	shift 2
	release=$(basename "$kernel"/lib/modules/*)
	mkdir -p "$folder"
	[ -f "$kernel/lib/modules/$release/modules.dep" ] || depmod -b "$kernel" "$release"
	for module; do
		modprobe -d "$kernel" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r module; do
		case $module in # Debian 13 compresses them
		*.xz) xz -dc "$module" >"$folder/$(basename "$module" .xz)" ;;
		*) cp "$module" "$folder/" ;;
		esac
		basename "$module" .xz
	done >"$folder/order"
}
