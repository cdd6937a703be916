#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compiles posts.c for GPUs and reads the order of the stores: what was written to the ring, a
# fence that reaches the reader, the record, a fence, one store of 64 bits to the register. Then
# it takes each of these fences out of the text in turn, and wants to see a complaint.
#
#	fences.sh CLANG SOURCE_DIR
set -eu
. "$(dirname "$0")/../lib/frame.sh"
clang=$1 root=$2
"$clang" --print-targets 2>/dev/null | grep -q nvptx64 || skip "no clang for GPUs"

# The stores (w), fences (F), the record (R) and the register (G) of each function, in a word.
nvptx='
	/\.func|\.entry/	{ match($0, /[a-z_0-9]+\(/); name = substr($0, RSTART, RLENGTH - 1) }
	/fence\.acq_rel\./	{ s = s "F"; if ($0 !~ SCOPE) s = s "?" }
	/st\.volatile\.u32/	{ s = s "R" }
	/st\.volatile\.u64/	{ s = s "G" }
	/st\.v?[0-9.]*u(16|32|64)|st\.v[24]/	{ s = s "w" }
	/^}/			{ print name, s; s = "" }'
# A release is a write-back and a wait; dword and dwordx2 after one are the record and the register.
amdgcn='
	/^[a-z_]+:/		{ name = $1; s = "" }
	/buffer_wbl2/		{ s = s "F" }
	/flat_store_dword /	{ s = s (s ~ /F$/ ? "R" : "w") }
	/flat_store_dwordx2/	{ s = s (s ~ /F$/ ? "G" : "w") }
	/flat_store_(short|byte|dwordx[34])/	{ s = s "w" }
	/s_endpgm|s_setpc_b64/	{ print name, s; s = "" }'

# held NAME PATTERN: the word of function NAME.
held() {
	awk -v SCOPE="$scope" "$program" "$work/now" | grep -Eq "^$1:? $2\$" && return
	echo "$target $scope: $1: $(awk -v SCOPE="$scope" "$program" "$work/now" | grep "^$1")"
	return 1
}

all_held() {
	held write_and_ring 'w+FRFGw*F*' && held add_and_ring_without_record 'w+FGw*F' &&
		held put "$put"
}

# check OPTION...: compiles, looks, and mutates.
check() {
	"$clang" "$@" -O2 -ffreestanding -nostdlibinc -I"$root/include" -Wall -Wextra -Werror -S \
		-o "$work/all" "$root/test/device/posts.c"
	cp "$work/all" "$work/now"
	all_held || exit 1
	ends=$(grep -nE "$fence" "$work/all" | cut -d: -f1)
	noticed=0
	for line in $ends; do
		sed "${line}d" "$work/all" >"$work/now"
		all_held >/dev/null || noticed=$((noticed + 1))
	done
	echo "$target $scope: $noticed fences are needed"
	[ "$noticed" -ge 5 ] || exit 1
}

# known TARGET CPU: to this release of clang.
known() {
	"$clang" -target "$1" --print-supported-cpus 2>&1 | grep -qw "$2"
}

put='[wF]*wF*FRFG[wF]*'
for cpu in sm_70 sm_90; do
	known nvptx64 $cpu || continue
	fence='fence\.acq_rel' program=$nvptx target=$cpu scope=sys
	check -target nvptx64 -Xclang -target-cpu -Xclang $cpu
	scope=gpu
	check -target nvptx64 -Xclang -target-cpu -Xclang $cpu -DDV_SCOPE_DEVICE
done
put='[wFG]*wF+RFGFG' # the last one: the turn, released
for cpu in gfx90a gfx942; do
	known amdgcn $cpu || continue
	fence='buffer_wbl2' program=$amdgcn target=$cpu scope=system
	check -target amdgcn -mcpu=$cpu -nogpulib
done

# CUDA and HIP: one source for both passes, and no instruction of the host in that of the device.
cat >"$work/kernel.cu" <<'END'
#include <stddef.h>
// as cuda_runtime.h and hip_runtime.h declare them
extern "C" __attribute__((device)) void *memcpy(void *to, const void *from, size_t n);
extern "C" __attribute__((device)) void *memset(void *to, int byte, size_t n);
#include "gpu_kernel.h"
__attribute__((global)) void kernel(struct gpu_job job, int *err)
{
	*err = gpu_thread(&job, 0);
}
END
for layouts in DV_FREESTANDING HOSTED; do
	device="--cuda-device-only -O2 -D$layouts -I$root/include -I$root/samples -S"
	# shellcheck disable=SC2086 # a list of words
	"$clang" -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_70 $device -Wno-unknown-cuda-version \
		-o "$work/cuda" "$work/kernel.cu"
	grep -q 'fence\.acq_rel\.sys' "$work/cuda" || fail 'CUDA: no fence'
	! grep sfence "$work/cuda" || fail 'CUDA: a fence of the host'
	# shellcheck disable=SC2086
	"$clang" -x hip -nogpuinc -nogpulib --offload-arch=gfx90a $device -o "$work/hip" "$work/kernel.cu"
	grep -q buffer_wbl2 "$work/hip" || fail 'HIP: no fence'
done

printf '#include <dv/post.h>\nkernel void k(global struct dv_sq *sq) { }\n' >"$work/kernel.cl"
"$clang" -x cl -cl-std=CL3.0 -target spir64 -Xclang -finclude-default-header -DDV_FREESTANDING \
	-I"$root/include" -O2 -emit-llvm -S -o "$work/opencl" "$work/kernel.cl"
