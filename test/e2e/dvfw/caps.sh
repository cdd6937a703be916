#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw caps: text, JSON, a group, a word; a dump is a device again; what differs is said.
#
#	caps.sh LAUNCHER DVFW
set -u
emu=$1 dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# on DEVICE ARG...: dvfw under the emulator.
on() {
	local device=$1
	shift
	timeout 30 "$emu" --fabric "dvfw-caps-$$" --device "$device" -- "$dvfw" "$@"
}

fail() {
	echo "FAIL: $*"
	failed=1
}

# shows STATUS REGEX COMMAND...: the exit status, and a line of the output.
shows() {
	local want=$1 regex=$2 status
	shift 2
	"$@" >"$dir/out" 2>&1
	status=$?
	[ $status = "$want" ] || fail "$*: status $status, not $want"
	grep -Eq -- "$regex" "$dir/out" || { fail "$*: no line '$regex' in"; cat "$dir/out"; }
}

shows 0 '^GENERAL  0x00  cmd_hca_cap$' on cx5 caps
shows 0 '^not on this device: .*TLS' on cx5 caps
shows 0 '^  log_max_qp +15  \[log2\]$' on cx5 caps general
shows 0 '^  port_type +1 \(ETH\)$' on cx5 caps 0x00
shows 0 '^  roce_address_table_size +255  \[entries\]$' on cx5 caps ROCE --max
shows 0 '^  r_roce_dest_udp_port +4791$' on cx5 caps --grep UDP_PORT
grep -Eq 'log_max_qp ' "$dir/out" && fail "--grep UDP_PORT shows log_max_qp"
shows 2 "there is no capability group 'ROCEE'; did you mean 'ROCE'\?" on cx5 caps ROCEE
shows 1 'QUERY_HCA_CAP: firmware: BAD_PARAM' on cx5 caps TLS
shows 1 'QUERY_HCA_CAP: firmware: BAD_PARAM' on cx5 caps 0x0e

on cx5 caps --json >"$dir/cx5.json" || fail "caps --json of cx5"
on cx7 caps --json >"$dir/cx7.json" || fail "caps --json of cx7"
python3 - "$dir/cx7.json" <<'PYTHON' || fail "the dump is not what it should be"
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
on "$dir/cx7.json" caps --diff "$dir/cx7.json" >"$dir/out" 2>&1 ||
	{ fail "a device from a dump differs from the dump"; cat "$dir/out"; }
[ -s "$dir/out" ] && { fail "no difference, but:"; cat "$dir/out"; }

# Two dumps, no device: fields, groups, exit status.
shows 1 '^GENERAL\.device_frequency_mhz +156 +1000$' "$dvfw" caps --diff "$dir/cx5.json" "$dir/cx7.json"
grep -Eq '^TLS +- +there$' "$dir/out" || fail "--diff does not say that TLS is only there once"
shows 1 '^GENERAL\.device_frequency_mhz \(max\) +156 +1000$' on cx7 caps --diff "$dir/cx5.json" GENERAL
grep -q '^TLS' "$dir/out" && fail "--diff of GENERAL shows TLS"
"$dvfw" caps --diff "$dir/cx5.json" "$dir/cx7.json" --json >"$dir/diff.json"
python3 - "$dir/diff.json" <<'PYTHON' || fail "--diff --json is not what it should be"
import json, sys
diff = json.load(open(sys.argv[1]))
rows = {(r["group"], r["field"], r["mode"]): (r["a"], r["b"]) for r in diff["differs"]}
assert rows["GENERAL", "device_frequency_mhz", "current"] == (156, 1000), rows
assert rows["TLS", None, "current"] == (None, "there"), rows
assert diff["a"]["fw_ver"] != diff["b"]["fw_ver"]
PYTHON
"$dvfw" caps --diff "$dir/cx5.json" "$dir/cx5.json" || fail "a dump differs from itself"

echo '{}' >"$dir/empty.json"
echo 'caps' >"$dir/text"
shows 2 'empty.json has no "caps"' "$dvfw" caps --diff "$dir/empty.json" "$dir/cx5.json"
shows 2 'this is not JSON|text:' "$dvfw" caps --diff "$dir/text" "$dir/cx5.json"
shows 2 'No such file' "$dvfw" caps --diff "$dir/nosuch" "$dir/cx5.json"
exit $failed
