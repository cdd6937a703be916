#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# races.sh knows the race of a program by its outcome and its trace, on either side, and nothing else.
. "$(dirname "$0")/../../lib/pair.sh"

begin() {
	echo 'rdma_get_cm_event: Bad file descriptor' >"$work/$1.log"
	cat >"$work/$1.trace" <<'TRACE'
[1:1] fw       CREATE_QP                in   pd=0x1
[1:1] fw       CREATE_QP                out  OK qpn=0x10001
[1:2] fw       CREATE_CQ                in
[1:2] fw       CREATE_CQ                out  OK cqn=0x10001
[1:3] fw       CREATE_MKEY              in   pg_access=0x1
[1:3] fw       CREATE_MKEY              out  OK mkey_index=0x10001
[1:4] wqe      RDMA_READ qpn 0x10001 idx 7 ds 2 signalled | len 16 lkey 0x1000201 addr 0x55a8635db950
[1:5] cqe      cq 0x10001 ci 11  REQ of RDMA_READ qpn 0x10001 wqe_counter 7
[1:6] cqe      cq 0x10001 ci 12  RESP_ERR qpn 0x10001 wqe_counter 4 vendor 0xf9 syndrome 0x05 flushed (WR_FLUSH_ERR) solicited
[1:7] fw       DESTROY_MKEY             in   mkey_index=0x10001
[1:7] fw       DESTROY_MKEY             out  OK
[1:8] fw       DESTROY_QP               in   qpn=0x10001
[1:8] fw       DESTROY_QP               out  OK
[1:9] fw       DESTROY_CQ               in   cqn=0x10001
[1:9] fw       DESTROY_CQ               out  OK
TRACE
}

# fails WHY STATUS PROGRAM: must_end does not let it pass.
fails() {
	! (must_end client "$2" "$3") >/dev/null 2>&1 || fail "$1: passes"
}

for side in client server; do
	begin $side
	(must_end $side 255 rping) || fail "the race of the $side is not known"
done
for edit in '/RDMA_READ qpn.* wqe_counter/d' 's/wqe_counter 7/wqe_counter 6/' 's/REQ of RDMA_READ qpn 0x10001/REQ of RDMA_READ qpn 0x10002/' \
	'/DESTROY_QP/d' '/DESTROY_CQ/d' '/DESTROY_MKEY/d' '/ fw /d' 's/out  OK$/out  BAD_PARAM/' 's/WR_FLUSH_ERR/REM_ACCESS_ERR/' \
	's/RESP_ERR/REQ_ERR/' '/READ/d' '1,$d'; do
	begin client
	sed -i "$edit" "$work/client.trace"
	fails "$edit" 255 rping
done
begin client
fails 'another status' 1 rping
fails 'another program' 255 ucmatose
echo 'data mismatch!' >>"$work/client.log"
fails 'another last line' 255 rping
rm "$work/client.trace"
fails 'no trace' 255 rping
