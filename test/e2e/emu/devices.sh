#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# devices: every adapter is seen by unmodified ibverbs-utils, and --device FILE makes one of a dump.
#
#	devices.sh BUILD/bin/dvkit-emu SAMPLE [DVFW]
#
# SAMPLE (rc_send) runs on each; DVFW dumps one. Exit status 0 when every promise holds. Needs ibv_devinfo.
set -eu

emu=$(realpath "$1")
sample=$(realpath "$2")
dvfw=${3:+$(realpath "$3")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
emu_args=(--fabric "devices-$$")
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# status WANT NAME OPTION... -- COMMAND...: dvkit-emu ends with that status.
status() {
	local want=$1 name=$2 got=0
	shift 2
	"$emu" "${emu_args[@]}" "$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$want" ] || fail "$name: status $got, not $want: $(head -3 "$work/err")"
}

# says FILE REGEX: what the last command wrote has such a line.
says() {
	grep -Eq -- "$2" "$work/$1" || fail "no line '$2' in: $(head -40 "$work/$1")"
}

# shows VENDOR_PART_ID FW_VER BOARD_ID LOG_MAX_QP CLOCK: in what ibv_devinfo -v has just printed.
shows() {
	says out "vendor_part_id:[[:space:]]+$1\$"
	says out "fw_ver:[[:space:]]+$2\$"
	says out "board_id:[[:space:]]+$3\$"
	says out "max_qp:[[:space:]]+$((1 << $4))\$"
	says out "hca_core_clock:[[:space:]]+$5kHZ\$"
}

device() {
	local name=$1
	shift
	status 0 "$name: ibv_devinfo" --device "$name" -- ibv_devinfo -v
	shows "$@"
	[ ! -s "$work/err" ] || fail "$name: ibv_devinfo complains: $(head -3 "$work/err")"
	status 0 "$name: sysfs" --device "$name" -- cat /sys/class/infiniband/mlx5_0/device/device \
		/sys/class/infiniband/mlx5_0/hca_type /sys/class/infiniband/mlx5_0/fw_ver
	says out "^0x$(printf %04x "$1")\$"
	says out "^MT$1\$"
	says out "^$2\$"
	status 0 "$name: $(basename "$sample")" --device "$name" -- "$sample"
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
		status 0 "$name, $as" --device $name --as ${as%:*} -- ibv_devinfo -v
		says out "node_guid:[[:space:]]+${as#*:}:c0ff:fea8:0001\$"
		says out 'sys_image_guid:[[:space:]]+00c5:c0ff:fea8:0001$'
		says out "GID\\[  0\\]:[[:space:]]+fe80:0000:0000:0000:${as#*:}:c0ff:fea8:0001,"
		[ ! -s "$work/err" ] || fail "$name as $as: ibv_devinfo complains: $(head -3 "$work/err")"
		status 0 "$name, $as: $(basename "$sample")" --device $name --as ${as%:*} -- "$sample"
	done
done
status 0 'both functions' --device bf3 -- ibv_devices
says out '^[[:space:]]+mlx5_0[[:space:]]+00c5c0fffea80001$'
says out '^[[:space:]]+mlx5_1[[:space:]]+00d5c0fffea80001$'
status 0 'the second one' --device bf2 -- stat -c %t:%T /dev/infiniband/uverbs1
says out '^e7:c1$'
status 0 'both, with their numbers' --device bf2 -- ibv_devinfo -d mlx5_1
says out 'hca_id:[[:space:]]+mlx5_1$'
status 1 'a second function that it does not have' --device cx7 -- stat /dev/infiniband/uverbs1
status 125 'a function that it does not have' --device cx7 --as dpu -- true
says err '^dvkit-emu: --as: cx7 has one function only; bf2 and bf3 have two$'
status 125 'another function' --device bf3 --as arm -- true
says err "^dvkit-emu: --as is host or dpu, not 'arm'\$"
status 255 'as in the environment' -- env 'DVKIT_EMU=device=cx7,as=dpu' ibv_devinfo
says err "^dvkit-emu: cx7 has one function, 'as' is for a DPU\$"

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
        "device_frequency_khz": 500000, "eswitch_manager": 1 },
      "max": { "log_max_qp": 14 } },
    "atomic": { "current": { "atomic_operations": "0x1f", "atomic_size_qp": 8,
        "atomic_req_8B_endianness_mode": 1 } },
    "ROCE": { "current": { "roce_version": 5, "l3_type": 6, "r_roce_dest_udp_port": 4791,
        "r_roce_min_src_udp_port": 49152, "r_roce_max_src_udp_port": 65535,
        "roce_address_table_size": 255 } } } }
EOF
status 0 'dump: ibv_devinfo' --device "$work/dump.json" -- ibv_devinfo -v
shows 4123 20.43.3608 ABC0000000001 12 500000
says err '^dvkit-emu: .*/dump.json: GENERAL, values of the model: log_max_mkey 24, not 30$'
says err '^dvkit-emu: .*/dump.json: GENERAL, not executed and left out: eswitch_manager$'
says err '^dvkit-emu: .*/dump.json: ATOMIC, values of the model: atomic_operations 15, not 31$'
[ "$(wc -l <"$work/err")" = 3 ] || fail "more lines than 3: $(cat "$work/err")"
status 0 'dump: sample' --device "$work/dump.json" -- "$sample"
status 0 'dump: in another folder' --device "$work/dump.json" -- sh -c "cd / && exec $sample"
status 0 'dump: taken at its word' --trust-device --device "$work/dump.json" -- ibv_devinfo -v
[ ! -s "$work/err" ] || fail "--trust-device complains: $(head -3 "$work/err")"
says out "max_mr:[[:space:]]+$((1 << 30))\$"
status 0 'the last one counts' --device "$work/dump.json" --device cx7 -- ibv_devinfo -v
shows 4129 28.43.3608 MT_0000000838 15 1000000

# a dump of a device here says all of it
if [ -n "$dvfw" ]; then
	status 0 'dump of bf3' --device bf3 -- "$dvfw" caps --json
	mv "$work/out" "$work/bf3.json"
	status 0 'dump of the dump' --device "$work/bf3.json" -- "$dvfw" caps --json
	[ ! -s "$work/err" ] || fail "not all of bf3 is taken: $(head -3 "$work/err")"
	cmp "$work/out" "$work/bf3.json" || fail 'bf3 and its dump differ'
fi

# bad WHY SED: the dump after that edit is refused with one line
bad() {
	sed -E "$2" "$work/dump.json" >"$work/bad.json"
	cmp -s "$work/dump.json" "$work/bad.json" && fail "no change: $2"
	status 2 "bad dump ($2)" --device "$work/bad.json" -- true
	says err "^dvkit-emu: .*/bad.json: $1\$"
	[ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $(cat "$work/err")"
}

status 2 'a file without an end' --device /dev/zero -- true
says err '^dvkit-emu: /dev/zero: larger than 16 MiB$'

status 125 'one function of a file' --device "$work/dump.json" --as dpu -- true
says err '^dvkit-emu: --as: .*/dump.json has one function only; bf2 and bf3 have two$'
bad 'not JSON' '$d'
bad 'there is no object "device"' 's/"device"/"devise"/'
bad 'there is no object "caps"' 's/"caps"/"capes"/'
bad 'device.name is missing' 's/"name"/"nick"/'
bad 'device.name: 1 to 31 characters, not .*' 's/mlx5_7/a name of more than thirty-one letters/'
bad 'device.board_id is not plain text' 's/ABC0/ABC\\n/'
bad 'device.fw_ver is like 28.43.3608, not .*' 's/20.43.3608/20.43/'
bad 'device.vendor_part_id, a PCI device id, is missing' 's/0x101b/0x1101b/'
bad "there is no capability group 'ROCK'" 's/"ROCE"/"ROCK"/'
bad 'the group ROCE is missing' 's/"ROCE"/"DEBUG"/; s/"roce_version.*/},/; s/"r_roce_min.*//; s/"roce_address.*/"max": {} } } }/; s/"current": \{ \},/"current": {},/'
bad 'ROCE has no object "current"' 's/"ROCE": \{ "current"/"ROCE": { "curant"/'
bad "GENERAL: \"max\" is not an object" 's/"max": \{ .* \} \},/"max": 1 },/'
bad "GENERAL has no field 'log_max_pq'" 's/log_max_qp"/log_max_pq"/'
bad "GENERAL.log_max_qp has 5 bits: 0x20 does not fit" 's/"log_max_qp": 12/"log_max_qp": 32/'
bad 'GENERAL.log_max_qp: "many" is no number' 's/"log_max_qp": 12/"log_max_qp": "many"/'
bad 'GENERAL.log_max_qp: -1 is no number' 's/"log_max_qp": 12/"log_max_qp": -1/'
status 2 'no such file' --device "$work/none.json" -- true
says err 'none.json: No such file or directory$'
status 2 'a folder' --device "$work" -- true
status 125 'neither a name nor a file' --device cx99 -- true

# what is not the launcher's own file is no device
for file in /etc/passwd "$work/none"; do
	status 255 "image $file" -- env "DVKIT_EMU=image=$file" ibv_devinfo
	says err "^dvkit-emu: $file: not a device image of this dvkit-emu\$"
done

[ $failed = 0 ] && echo 'devices: all promises hold'
exit $failed
