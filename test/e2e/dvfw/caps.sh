#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw caps: text, JSON, a group, a word; a dump is a device again; what differs is said.
#
#	caps.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2

# on DEVICE ARG...: dvfw under the emulator.
on() {
	emulated --device "$1" -- "$dvfw" "${@:2}"
}

expect_output 0 '^GENERAL  0x00  cmd_hca_cap$' on cx5 caps
expect_output 0 '^not on this device: .*TLS' on cx5 caps
expect_output 0 '^  log_max_qp +15  \[log2\]$' on cx5 caps general
expect_output 0 '^  port_type +1 \(ETH\)$' on cx5 caps 0x00
expect_output 0 '^  roce_address_table_size +255  \[entries\]$' on cx5 caps ROCE --max
expect_output 0 '^  r_roce_dest_udp_port +4791$' on cx5 caps --grep UDP_PORT
lacks 'log_max_qp '
expect_output 2 "there is no capability group 'ROCEE'; did you mean 'ROCE'\?" on cx5 caps ROCEE
expect_output 1 'QUERY_HCA_CAP: firmware: BAD_PARAM' on cx5 caps TLS
expect_output 1 'QUERY_HCA_CAP: firmware: BAD_PARAM' on cx5 caps 0x0e

on cx5 caps --json >"$work/cx5.json" || fail "caps --json of cx5"
on cx7 caps --json >"$work/cx7.json" || fail "caps --json of cx7"
python3 - "$work/cx7.json" <<'PYTHON' || fail "the dump is not what it should be"
import json, sys
dump = json.load(open(sys.argv[1]))
device, general = dump["device"], dump["caps"]["GENERAL"]
assert device["name"] == "mlx5_0" and device["fw_ver"].count(".") == 2, device
assert device["vendor_part_id"] > 4000 and device["board_id"], device
assert general["current"]["log_max_qp"] == 15, general["current"]["log_max_qp"]
assert isinstance(general["current"]["general_obj_types"], str)
assert general["current"].keys() == general["max"].keys()
assert len(general["current"]) > 300, len(general["current"])
assert "transport_page_fault_scheme_cap.rc_odp_caps.send" in dump["caps"]["ODP"]["current"]
assert len(dump["caps"]["DEV_EVENT"]["current"]["user_affiliated_events"]) == 4
PYTHON

# The dump is a device, and the same one.
expect_status 0 on "$work/cx7.json" caps --diff "$work/cx7.json"
lacks ''

# Two dumps, no device: fields, groups, exit status.
expect_output 1 '^GENERAL\.device_frequency_mhz +156 +1000$' "$dvfw" caps --diff "$work/cx5.json" "$work/cx7.json"
has '^TLS +- +there$'
expect_output 1 '^GENERAL\.device_frequency_mhz \(max\) +156 +1000$' on cx7 caps --diff "$work/cx5.json" GENERAL
lacks '^TLS'
"$dvfw" caps --diff "$work/cx5.json" "$work/cx7.json" --json >"$work/diff.json"
python3 - "$work/diff.json" <<'PYTHON' || fail "--diff --json is not what it should be"
import json, sys
diff = json.load(open(sys.argv[1]))
rows = {(r["group"], r["field"], r["mode"]): (r["a"], r["b"]) for r in diff["differs"]}
assert rows["GENERAL", "device_frequency_mhz", "current"] == (156, 1000), rows
assert rows["TLS", None, "current"] == (None, "there"), rows
assert diff["a"]["fw_ver"] != diff["b"]["fw_ver"]
PYTHON
"$dvfw" caps --diff "$work/cx5.json" "$work/cx5.json" || fail "a dump differs from itself"

echo '{}' >"$work/empty.json"
echo 'caps' >"$work/text"
expect_output 2 'empty.json has no "caps"' "$dvfw" caps --diff "$work/empty.json" "$work/cx5.json"
expect_output 2 'this is not JSON|text:' "$dvfw" caps --diff "$work/text" "$work/cx5.json"
expect_output 2 'No such file' "$dvfw" caps --diff "$work/nosuch" "$work/cx5.json"
