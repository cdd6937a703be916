#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# iproute2's rdma(8) shows the device, its link and what a process has made: the same as verbs say in
# that process. objects.so makes the objects in the tool's own.
#
#	rdma_tool.sh OBJECTS_SO
objects=$1
. "$(dirname "$0")/../../lib/pair.sh"

needs rdma ibv_devinfo /usr/bin/python3

# shows REGEX COMMAND...: alone; a line of the output.
shows() {
	local regex=$1
	shift
	alone "$@"
	# newer releases print a counter a line
	sed -z 's/ *\n    / /g' "$work/alone.log" | grep -Eq -- "$regex" || fail "no line '$regex'"
}

alone ibv_devinfo
guid=$(sed -n 's/.*node_guid:[[:space:]]*//p' "$work/alone.log")
fw=$(sed -n 's/.*fw_ver:[[:space:]]*//p' "$work/alone.log")
shows "^0: mlx5_0: node_type ca (protocol roce )?fw $fw node_guid $guid sys_image_guid $guid" rdma dev
shows 'caps: <.*RC_RNR_NAK_GEN.*>' rdma dev show -d
shows 'caps: <.*RAW_SCATTER_FCS.*>' rdma dev show -d
shows 'adaptive-moderation on' rdma dev show -d
shows '^link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev lo' rdma link
shows '^netns shared.* copy-on-fork on' rdma system
shows '^0: mlx5_0: pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0' rdma res

shows '^link mlx5_0/1 rx_write_requests 0 rx_read_requests 0 .* rp_cnp_ignored 0 rp_cnp_handled 0 .* np_cnp_sent 0' \
	rdma statistic show
shows '^link mlx5_0/1 rx_write_requests 0 ' rdma statistic show link mlx5_0/1
alone rdma statistic qp show

# what pyverbs reads
alone rdma link show -j
/usr/bin/python3 - "$work/alone.log" <<'PY' || fail 'rdma link show -j'
import json, os, sys
(row,) = json.load(open(sys.argv[1]))
assert row['ifname'] == 'mlx5_0' and row['port'] == 1, row
assert os.path.isdir('/sys/class/net/' + row['netdev']), row
PY
alone ls /sys/class/infiniband/mlx5_0/device/net
[ "$(cat "$work/alone.log")" = lo ] || fail 'sysfs has another net device'

# what only the kernel can do
for words in 'dev set mlx5_0 name other' 'system set netns exclusive' \
	'statistic qp set link mlx5_0/1 auto type on'; do
	# shellcheck disable=SC2086 # words
	emulated -- rdma $words >"$work/alone.log" 2>&1 && fail "rdma $words ends well"
	has 'Operation not supported'
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin timeout 60 "$emu" --fabric "$fabric" -- \
		rdma dev set mlx5_0 name other >"$work/alone.log" 2>&1 && fail 'renamed without a right'
	grep -q 'Operation not permitted' "$work/alone.log" || fail 'without CAP_NET_ADMIN'
fi

# with objects: one JSON document a kind
for kind in '' qp cq mr pd cm_id ctx srq; do
	# shellcheck disable=SC2016 # for the inner shell
	OBJECTS=$work/said.${kind:-sum} emulated -- \
		sh -c 'LD_PRELOAD="$LD_PRELOAD:$0" exec rdma -j -d res show $1' "$objects" "$kind" \
		>"$work/${kind:-sum}.json" 2>"$work/$kind.log" || fail "rdma res show $kind"
done
/usr/bin/python3 - "$work" <<'PY' || fail 'the tool and verbs disagree'
import json, sys
work = sys.argv[1]
def load(kind):
    return json.load(open(f'{work}/{kind}.json')), json.load(open(f'{work}/said.{kind}'))
def only(rows, **keys):
    found = [r for r in rows if all(r.get(k) == v for k, v in keys.items())]
    assert len(found) == 1, (keys, found)
    return found[0]
(sum_,), said = load('sum')
many = said['many']
assert {k: sum_[k] for k in ('pd', 'cq', 'qp', 'mr', 'ctx', 'srq')} == \
    {'pd': 2, 'cq': 1, 'qp': 3 + many, 'mr': 1, 'ctx': 1, 'srq': 1}, sum_
assert sum_['cm_id'] == 1, sum_

qps, said = load('qp')
assert len(qps) == 3 + many, len(qps)
assert len({q['lqpn'] for q in qps}) == len(qps)
a = only(qps, lqpn=said['a'])
assert (a['rqpn'], a['type'], a['state']) == (said['b'], 'RC', 'RTS'), a
assert (a['rq-psn'], a['sq-psn'], a['port'], a['pid']) == (0x1234, 0x5678, 1, said['pid']), a
assert a['comm'] == 'rdma', a
b = only(qps, lqpn=said['b'])
assert (b['type'], b['state']) == ('RC', 'RESET'), b
assert only(qps, lqpn=said['ud'])['type'] == 'UD'

(cq,), said = load('cq')
assert cq['cqe'] == said['cqe'] and cq['users'] == 2 * (3 + many), cq

(mr,), said = load('mr')
assert mr['mrlen'] == said['mrlen'] and mr['pid'] == said['pid'], mr
if 'lkey' in mr: # with CAP_NET_ADMIN
    assert (int(mr['lkey'], 16), int(mr['rkey'], 16)) == (said['lkey'], said['rkey']), (mr, said)

pds, said = load('pd')
assert len(pds) == 2 and pds[0]['users'] == 3 + many + 2 and pds[1]['users'] == 0, pds
assert a['pdn'] == mr['pdn'] == pds[0]['pdn'], (a, mr, pds)

(cm,), said = load('cm_id')
assert cm['state'] == 'LISTEN' and cm['ps'] == 'TCP', cm
assert cm['src-addr'] == '0.0.0.0:7471', cm

(ctx,), said = load('ctx')
assert ctx['ctxn'] == cq['ctxn'] and ctx['pid'] == said['pid'], (ctx, cq)

(srq,), said = load('srq')
assert srq['type'] == 'BASIC' and srq['pdn'] == pds[0]['pdn'], srq
assert str(said['b']) in json.dumps(srq), (srq, said)
PY
