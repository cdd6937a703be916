#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# devices: every adapter is seen by unmodified ibverbs-utils, and --device FILE makes one of a dump.
#
#	devices.sh BUILD/bin/dvkit-emu SAMPLE [DVFW]
#
# SAMPLE (rc_send) runs on each; DVFW dumps one. Needs ibv_devinfo.
set -eu
. "$(dirname "$0")/../../lib/frame.sh"

emu=$(realpath "$1")
sample=$(realpath "$2")
dvfw=${3:+$(realpath "$3")}

# status N OPTION... -- COMMAND...: dvkit-emu ends with N.
status() {
	expect_status "$1" emulated "${@:2}"
}

# silent: it prints no error.
silent() {
	lacks '' "$work/err"
}

# shows VENDOR_PART_ID FW_VER BOARD_ID LOG_MAX_QP CLOCK: in what ibv_devinfo -v has just printed.
shows() {
	has "vendor_part_id:[[:space:]]+$1\$" "$work/out"
	has "fw_ver:[[:space:]]+$2\$" "$work/out"
	has "board_id:[[:space:]]+$3\$" "$work/out"
	has "max_qp:[[:space:]]+$((1 << $4))\$" "$work/out"
	has "hca_core_clock:[[:space:]]+$5kHZ\$" "$work/out"
}

device() {
	local name=$1
	shift
	status 0 --device "$name" -- ibv_devinfo -v
	shows "$@"
	silent
	status 0 --device "$name" -- cat /sys/class/infiniband/mlx5_0/device/device \
		/sys/class/infiniband/mlx5_0/hca_type /sys/class/infiniband/mlx5_0/fw_ver
	has "^0x$(printf %04x "$1")\$" "$work/out"
	has "^MT$1\$" "$work/out"
	has "^$2\$" "$work/out"
	status 0 --device "$name" -- "$sample"
}

device cx5 4119 16.35.2000 MT_0000000008 15 156250
device cx6dx 4125 22.36.1010 MT_0000000359 15 1000000
device cx7 4129 28.43.3608 MT_0000000838 15 1000000
device cx8 4131 40.45.1200 MT_0000001222 15 1000000
device bf2 41686 24.41.1000 MT_0000000375 15 1000000
device bf3 41692 32.43.1014 MT_0000000884 15 1000000

# --as: of one adapter, two functions
for name in bf2 bf3; do
	for as in host:00c5 dpu:00d5; do
		status 0 --device $name --as ${as%:*} -- ibv_devinfo -v
		has "node_guid:[[:space:]]+${as#*:}:c0ff:fea8:0001\$" "$work/out"
		has 'sys_image_guid:[[:space:]]+00c5:c0ff:fea8:0001$' "$work/out"
		has "GID\\[  0\\]:[[:space:]]+fe80:0000:0000:0000:${as#*:}:c0ff:fea8:0001," "$work/out"
		silent
		status 0 --device $name --as ${as%:*} -- "$sample"
	done
done
status 0 --device bf3 -- ibv_devices
has '^[[:space:]]+mlx5_0[[:space:]]+00c5c0fffea80001$' "$work/out"
has '^[[:space:]]+mlx5_1[[:space:]]+00d5c0fffea80001$' "$work/out"
status 0 --device bf2 -- stat -c %t:%T /dev/infiniband/uverbs1
has '^e7:c1$' "$work/out"
status 0 --device bf2 -- ibv_devinfo -d mlx5_1
has 'hca_id:[[:space:]]+mlx5_1$' "$work/out"
status 1 --device cx7 -- stat /dev/infiniband/uverbs1
status 125 --device cx7 --as dpu -- true
has '^dvkit-emu: --as: cx7 has one function only; bf2 and bf3 have two$' "$work/err"
status 125 --device bf3 --as arm -- true
has "^dvkit-emu: --as is host or dpu, not 'arm'\$" "$work/err"

# --device FILE: what fits is taken, what the model does not execute is named and left out
cat >"$work/dump.json" <<'EOF'
{ "device": { "name": "mlx5_7", "vendor_part_id": "0x101b", "fw_ver": "20.43.3608",
              "board_id": "ABC0000000001" },
  "caps": {
    "GENERAL": {
      "current": { "port_type": 1, "num_ports": 1, "native_port_num": 1, "roce": 1, "atomic": true,
        "rc": 1, "ud": 1, "cqe_version": 1, "log_max_qp": 12, "log_max_qp_sz": 15,
        "max_wqe_sz_sq": "0x400", "max_wqe_sz_rq": 512, "log_max_ra_req_qp": 4,
        "log_max_ra_res_qp": 4, "log_max_msg": 30, "log_max_cq": 24, "log_max_cq_sz": 22,
        "log_max_eq": 6, "log_max_eq_sz": 22, "max_num_eqs": 64, "log_max_pd": 23,
        "log_max_transport_domain": 23, "log_max_uctx": 15, "log_max_mkey": 30, "log_max_mrw_sz": 64,
        "log_pg_sz": 12, "uar_4k": 1, "num_of_uars_per_page": 1, "bf": 1, "log_bf_reg_size": 9,
        "device_frequency_khz": 500000, "flex_parser_id_icmp_dw1": 1,
        "flex_parser_id_outer_first_mpls_over_gre": 4, "flex_parser_id_outer_first_mpls_over_udp_label": 5,
        "flex_parser_id_icmpv6_dw0": 2, "flex_parser_id_icmpv6_dw1": 3, "eswitch_manager": 1 },
      "max": { "log_max_qp": 14 } },
    "atomic": { "current": { "atomic_operations": "0x1f", "atomic_size_qp": 8,
        "atomic_req_8B_endianness_mode": 1 } },
    "ROCE": { "current": { "roce_version": 5, "l3_type": 6, "r_roce_dest_udp_port": 4791,
        "r_roce_min_src_udp_port": 49152, "r_roce_max_src_udp_port": 65535,
        "roce_address_table_size": 255 } } } }
EOF
status 0 --device "$work/dump.json" -- ibv_devinfo -v
shows 4123 20.43.3608 ABC0000000001 12 500000
has '^dvkit-emu: .*/dump.json: GENERAL, values of the model: log_max_mkey 24, not 30$' "$work/err"
has '^dvkit-emu: .*/dump.json: GENERAL, not executed and left out: eswitch_manager$' "$work/err"
has '^dvkit-emu: .*/dump.json: ATOMIC, values of the model: atomic_operations 15, not 31$' "$work/err"
has_lines 3 '' "$work/err"
status 0 --device "$work/dump.json" -- "$sample"
status 0 --device "$work/dump.json" -- sh -c "cd / && exec $sample"
status 0 --trust-device --device "$work/dump.json" -- ibv_devinfo -v
silent
has "max_mr:[[:space:]]+$((1 << 30))\$" "$work/out"
status 0 --device "$work/dump.json" --device cx7 -- ibv_devinfo -v
shows 4129 28.43.3608 MT_0000000838 15 1000000

# a dump of a device here says all of it
if [ -n "$dvfw" ]; then
	status 0 --device bf3 -- "$dvfw" caps --json
	mv "$work/out" "$work/bf3.json"
	status 0 --device "$work/bf3.json" -- "$dvfw" caps --json
	silent
	expect_same "$work/out" "$work/bf3.json"
fi

# bad WHY SED: the dump after that edit is refused with one line
bad() {
	sed -E "$2" "$work/dump.json" >"$work/bad.json"
	cmp -s "$work/dump.json" "$work/bad.json" && fail "no change: $2"
	status 2 --device "$work/bad.json" -- true
	has "^dvkit-emu: .*/bad.json: $1\$" "$work/err"
	has_lines 1 '' "$work/err"
}

# good SED: the dump after that edit is taken
good() {
	sed -E "$1" "$work/dump.json" >"$work/good.json"
	status 0 --device "$work/good.json" -- true
	lacks bad.json "$work/err"
}

status 2 --device /dev/zero -- true
has '^dvkit-emu: /dev/zero: larger than 16 MiB$' "$work/err"
cp "$work/dump.json" "$work/large.json"
head -c $(((16 << 20) - $(stat -c %s "$work/large.json"))) /dev/zero | tr '\0' ' ' >>"$work/large.json"
status 0 --device "$work/large.json" -- true
echo >>"$work/large.json"
status 2 --device "$work/large.json" -- true
has 'larger than 16 MiB$' "$work/err"

status 125 --device "$work/dump.json" --as dpu -- true
has '^dvkit-emu: --as: .*/dump.json has one function only; bf2 and bf3 have two$' "$work/err"
bad 'not JSON' '$d'
bad 'there is no object "device"' 's/"device"/"devise"/'
bad 'there is no object "caps"' 's/"caps"/"capes"/'
bad 'device.name is missing' 's/"name"/"nick"/'
bad 'device.name: 1 to 31 characters, not .*' 's/mlx5_7/a name of more than thirty-one letters/'
for text in '\\n' '\\u007f' é; do
	bad 'device.board_id is not plain text' "s/ABC0/ABC$text/"
done
good 's/ABC0/A ~!/'
bad 'device.name: 1 to 31 characters, not .*' 's/mlx5_7//'
bad 'device.name: 1 to 31 characters, not .*' 's/mlx5_7/abcdefghijklmnopqrstuvwxyz-01234/'
good 's/mlx5_7/abcdefghijklmnopqrstuvwxyz-0123/'
bad 'device.board_id: 1 to 16 characters, not .*' 's/ABC0/ABC01234/'
good 's/ABC0/ABC0123/'
bad 'device.name is missing' 's/"mlx5_7"/7/'
for text in .43 .43. .43.3608x .x.3; do
	bad 'device.fw_ver is like 28.43.3608, not .*' "s/20.43.3608/20$text/"
done
for id in 0x10000 0 '' -1 x1 0x101bz 0x10000000000001234; do
	bad 'device.vendor_part_id, a PCI device id, is missing' "s/0x101b/$id/"
done
good 's/"0x101b"/65535/'
bad "there is no capability group 'ROCK'" 's/"ROCE"/"ROCK"/'
bad 'the group ROCE is missing' 's/"ROCE"/"DEBUG"/; s/"roce_version.*/},/; s/"r_roce_min.*//; s/"roce_address.*/"max": {} } } }/; s/"current": \{ \},/"current": {},/'
bad 'ROCE has no object "current"' 's/"ROCE": \{ "current"/"ROCE": { "curant"/'
bad 'there is no object "device"' 's/"device".*/"device": 1,/; s/ *"board_id": .*//'
bad 'there is no object "caps"' 's/"caps"/"caps": 1, "capes"/'
bad 'ROCE has no object "current"' 's/"ROCE": \{ "current"/"ROCE": { "current": 1, "curant"/'
bad "GENERAL: \"max\" is not an object" 's/"max": \{ .* \} \},/"max": 1 },/'
bad "GENERAL has no field 'log_max_pq'" 's/log_max_qp"/log_max_pq"/'
bad "GENERAL.log_max_qp has 5 bits: 0x20 does not fit" 's/"log_max_qp": 12/"log_max_qp": 32/'
for n in '"many"' -1 1.5 null '"12 "' '""' '"-1"' '"0x1ffffffffffffffff"'; do
	bad "GENERAL.log_max_qp: $n is no number" "s/\"log_max_qp\": 12/\"log_max_qp\": $n/"
done
for n in '"0xc"' 31; do
	good "s/\"log_max_qp\": 12/\"log_max_qp\": $n/"
done
# of arrays each element, of bytes each byte
periods='"caps": { "ETHERNET_OFFLOADS": { "current": { "lro_timer_supported_periods"' path='ETHERNET_OFFLOADS.lro_timer_supported_periods'
bad "$path\\[0\\]: \"x\" is no number" "s/\"caps\": \{/$periods: [\"x\", 1, 2, 3] } },/"
bad "ETHERNET_OFFLOADS has no field 'lro_timer_supported_periods\\[4\\]'" "s/\"caps\": \{/$periods: [0, 1, 2, 3, 4] } },/"
types='"caps": { "WQE_BASED_FLOW_TABLE": { "current": { "stc_action_type"' path='WQE_BASED_FLOW_TABLE.stc_action_type'
bad "$path is 16 bytes, not 30 digits" "s/\"caps\": \{/$types: \"$(printf '0%.0s' {1..30})\" } },/"
bad "$path: '.*' is not hexadecimal" "s/\"caps\": \{/$types: \"$(printf '0%.0s' {1..31})x\" } },/"
status 2 --device "$work/none.json" -- true
has 'none.json: No such file or directory$' "$work/err"
status 2 --device "$work" -- true
status 125 --device cx99 -- true
