#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw check cross-vhca: whether two functions can copy each other's memory, from the capabilities of one and
# a dump of the other; every reason against it is provoked by a device or by a dump that lacks one thing.
#
#	check_cross_vhca.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"

# on DEVICE ARG...: dvfw under the emulator; DEVICE may be followed by options.
on() {
	# shellcheck disable=SC2086 # words
	emulated --device $1 -- "$dvfw" "${@:2}"
}

# peer NAME STATEMENT: a dump of another function of the adapter, changed by a statement of Python: of
# its device d, its groups g (GENERAL) and g2 (GENERAL_2).
on bf3 caps --json >"$work/bf3.json" || fail 'caps --json'
peer() {
	python3 - "$work/bf3.json" "$work/$1.json" "$2" <<'PYTHON' || fail "peer $1"
import json, sys
dump = json.load(open(sys.argv[1]))
d, g = dump["device"], dump["caps"]["GENERAL"]["current"]
g2 = dump["caps"]["GENERAL_2"]["current"]
g["vhca_id"] += 1
g["dma_mmo_qp"] = 1
exec(sys.argv[3])
json.dump(dump, open(sys.argv[2], "w"))
PYTHON
}

# reason NAME SIDE TEXT STATEMENT: a peer so changed is no exporter, or no importer, or neither (both), and
# says why; the other way it is possible, unless it is about both.
reason() {
	local name=$1 side=$2 text=$3 here=0 there=0
	peer "$name" "$4"
	[ "$side" = importer ] || here=1
	[ "$side" = exporter ] || there=1
	answers $here on bf3 check cross-vhca -i here "$work/$name.json" ::
	[ $here = 0 ] || answers 1 on bf3 check cross-vhca -i here "$work/$name.json" :: \
		'^fail  mlx5_0 cannot copy from and to memory of .*/'"$name"'.json$' "^ +(both|exporter .*$name.json): .*$text" \
		'^cross-VHCA DMA is not possible$'
	answers $there on bf3 check cross-vhca -i peer "$work/$name.json" ::
	[ $there = 0 ] || answers 1 on bf3 check cross-vhca -i peer "$work/$name.json" :: \
		'^fail  .*/'"$name"'.json cannot copy from and to memory of mlx5_0$' "^ +(both|importer .*$name.json): .*$text" \
		'^cross-VHCA DMA is not possible$'
	on bf3 --json check cross-vhca "$work/$name.json" >"$work/out" 2>&1
	python3 - "$work/out" "$name" "$here$there" <<'PYTHON' || fail "$name as JSON"
import json, sys
answer = json.load(open(sys.argv[1]))
name, bad = sys.argv[2:]
peer, = answer["peers"]
assert peer["name"].endswith(f"/{name}.json"), peer["name"]
assert answer["here"]["name"] == "mlx5_0" and answer["possible"] == ("0" in bad)
assert [d["importer"] for d in peer["directions"]] == ["here", "peer"]
for direction, no in zip(peer["directions"], bad):
    reasons = [f["reason"] for f in direction["findings"] if f["level"] == "fail"]
    assert direction["possible"] == (no == "0"), direction
    assert reasons == ([name] if no == "1" else []), reasons
    assert all(f["text"] and f["side"] in ("both", "exporter", "importer") for f in direction["findings"])
PYTHON
}

# note NAME TEXT STATEMENT: possible, but worth a note.
note() {
	peer "$1" "$3"
	answers 0 on bf3 check cross-vhca "$work/$1.json" :: "^ +note: .*$2" '^cross-VHCA DMA is possible$'
	on bf3 --json check cross-vhca "$work/$1.json" | grep -q "\"reason\": \"$1\"" || fail "$1 as JSON"
}

# two functions of one adapter that lack nothing
peer good pass
answers 0 on bf3 check cross-vhca "$work/good.json" :: '^      mlx5_0: VHCA [0-9]+ of adapter 0x[0-9a-f]{16}, device 0xa2dc, firmware ' \
	"^      $work/good.json: VHCA [0-9]+ of adapter " "^ok    mlx5_0 can copy from and to memory of $work/good.json\$" \
	"^ok    $work/good.json can copy from and to memory of mlx5_0\$" '^cross-VHCA DMA is possible$'
lacks 'fail|note'

reason no_devx both 'no DevX \(log_max_uctx 0\).*UCTX_EN' 'g["log_max_uctx"] = 0'
reason no_general_2 both 'hca_cap_2 0.*BlueField-2 or newer' 'g["hca_cap_2"] = 0; del dump["caps"]["GENERAL_2"]'
reason no_umem exporter 'no umems \(log_max_umem 0\)' 'g["log_max_umem"] = 0'
reason not_allowed exporter 'allowed_object_for_other_vhca_access without 0x4' 'g2["allowed_object_for_other_vhca_access"] = "0x700"'
reason no_alias importer 'cross_vhca_object_to_object_supported without 0x100' 'g2["cross_vhca_object_to_object_supported"] = 0x400'
reason other_adapter both 'different adapters \(sys_image_guid\)' 'd["sys_image_guid"] = "0x0123456789abcdef"'
reason unknown_adapter both 'sys_image_guid is 0' 'd["sys_image_guid"] = "0x0000000000000000"'
reason same_vhca both 'both are one function \(vhca_id\)' 'g["vhca_id"] -= 1'
reason no_mmo_dma importer 'no DMA by work requests \(dma_mmo_qp and dma_mmo_sq 0\)' 'g["dma_mmo_qp"] = 0'
reason no_memcpy importer 'max_wr_memcpy_length 0.*rdma-core 35' 'd["max_wr_memcpy_length"] = 0'
reason port_down importer 'the port is not active' 'd["ports"][0]["state"] = "down"'
reason no_gid importer 'the port has no GID' 'd["ports"][0]["has_gid"] = False'
note no_ksm 'no KSM keys \(fixed_buffer_size 0\)' 'g["fixed_buffer_size"] = 0'
note umem_only 'BlueField-2 allows only keys over a umem' 'd["vendor_part_id"] = 0xa2d6'
note old_firmware 'older than 24.33.0100' 'd["fw_ver"] = "24.32.1000"'
note firmware_differs 'two versions of the firmware' 'd["fw_ver"] = "32.42.1000"'
note small_copies 'less than 64 KiB \(log_dma_mmo_max_size\)' 'g["log_dma_mmo_max_size"] = 12'

# InfiniBand needs no GID; an address is of port 1
peer ib 'd["ports"][0].update(link_layer="InfiniBand", has_gid=False)'
answers 0 on bf3 check cross-vhca -i peer "$work/ib.json" :: '^cross-VHCA DMA is possible$'
answers 2 on bf3 check cross-vhca -p 2 "$work/good.json" :: "^dvfw: .*/good.json has no port 2\$"

# a dump of an older dvfw, without what the ports are: only the adapter is not known
peer old 'del d["ports"]; del d["sys_image_guid"]; del d["max_wr_memcpy_length"]'
answers 1 on bf3 check cross-vhca "$work/old.json" :: 'old.json: an older dvfw wrote it.*write it again' 'sys_image_guid is 0'
has_lines 2 '^ *(both|exporter|importer)'

# real devices
answers 1 on cx5 check cross-vhca "$work/good.json" :: 'importer mlx5_0: no aliases of mkeys' 'importer mlx5_0: no DMA' \
	'exporter mlx5_0: mkeys cannot be allowed' '^cross-VHCA DMA is not possible$'
answers 1 on cx5 check cross-vhca :: '^fail  mlx5_0 cannot export memory' '^fail  mlx5_0 cannot import memory' \
	'^cross-VHCA DMA is not possible$'
answers 0 on 'bf2 --as host' check cross-vhca :: '^ok    mlx5_0 can export memory' 'note: exporter mlx5_0: a BlueField-2 allows only' \
	'the other function has to be of adapter 0x[0-9a-f]{16}, not VHCA' 'to export: .*0x4$' 'to import: .*0x100, dma_mmo_qp' \
	'there: dvfw caps --json >peer.json; here: dvfw check cross-vhca peer.json' 'if the other function can do its part$'
answers 1 on cx7 check cross-vhca --importer=here --json :: '"possible": false' '"reason": "no_mmo_dma"'
lacks exports

# two functions in a process: the pair, each from its side
for here in mlx5_0 mlx5_1; do
	there=$([ $here = mlx5_0 ] && echo mlx5_1 || echo mlx5_0)
	answers 0 on bf3 -d $here check cross-vhca :: "^      $here: VHCA [0-9]+ of adapter" "^      $there: VHCA [0-9]+ of adapter" \
		"^ok    mlx5_1 can copy from and to memory of mlx5_0\$" '^cross-VHCA DMA is possible$'
	on bf3 -d $here --json check cross-vhca >"$work/out" 2>&1
	python3 - "$work/out" $here $there <<'PYTHON' || fail "$here and $there as JSON"
import json, sys
answer = json.load(open(sys.argv[1]))
peer, = answer["peers"]
assert (answer["here"]["name"], peer["name"]) == tuple(sys.argv[2:]), answer
assert answer["here"]["sys_image_guid"] == peer["sys_image_guid"]
assert answer["here"]["vhca_id"] != peer["vhca_id"]
assert answer["possible"] and answer["exports"]["possible"]
importer = "here" if sys.argv[2] == "mlx5_1" else "peer"
assert [d["possible"] for d in peer["directions"] if d["importer"] == importer] == [True]
PYTHON
done

answers 2 on bf3 check :: 'what is to be checked\? cross-vhca'
answers 2 on bf3 check cross-pci :: "there is no check 'cross-pci': cross-vhca"
answers 2 on bf3 check cross-vhca a b :: 'one peer at a time'
answers 2 on bf3 check cross-vhca -i neither :: "here or peer, not 'neither'"
answers 2 on bf3 check cross-vhca -p 0 :: 'a number from 1 to 255'
answers 2 on bf3 check cross-vhca "$work/none.json" :: 'No such file'
echo '{ "caps": {} }' >"$work/empty.json"
answers 2 on bf3 check cross-vhca "$work/empty.json" :: 'empty.json has no group GENERAL'
on bf3 --json check cross-vhca >"$work/answer.json"
answers 2 on bf3 check cross-vhca "$work/answer.json" :: 'has no "caps": it is not what .dvfw caps --json. prints'
peer wide 'g["vhca_id"] = 70000'
answers 2 on bf3 check cross-vhca "$work/wide.json" :: 'wide.json: vhca_id is 0x11170, more than it can be'
peer words 'g["vhca_id"] = "seven"'
answers 2 on bf3 check cross-vhca "$work/words.json" :: 'words.json: vhca_id is not a number'
peer shapes 'd["ports"] = ["x", {"port": {}}, None, {"port": 1, "state": 5, "link_layer": None}]; d["fw_ver"] = {}'
answers 1 on bf3 check cross-vhca -i peer "$work/shapes.json" :: 'the port is not active'
answers 1 "$dvfw" check cross-vhca :: 'there is no'
