#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw needs no PRM beside it: what fields, structures, commands and values are, from layout, list
# values, cmd --help and the shell's help; numbers are printed with their names, also 0.
#
#	descriptions.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
run() {
	timeout 60 "$dvfw" "$@"
}

# A structure: its text, then the fields with text, unit and kind; --brief is the bare table.
says 0 '^Queue pair context' layout qpc
says 0 '  log_sq_size  +Size of the send queue \(log2 of 64 bytes\)$' layout qpc
says 0 '  state  +State of the QP.*; values: QPC_STATE$' layout qpc
says 0 '  rw  +RDMA writes of the peer are allowed$' layout mkc
says 0 '  selected_fields  .*; numbers of bits: RX_HASH_' layout rx_hash_field_select
says 0 '  memory_key_mkey_entry\.lr  +Local read' layout -x create_mkey_in
says 0 '^0x000  dw0\[31:28\] +4  state$' layout --brief qpc
lacks 'State of'

# One field, in both ways to name it.
for words in 'qpc.state' 'qpc state' 'QPC.state'; do
	# shellcheck disable=SC2086 # one or two words
	says 0 '^  0x3 +RTS +ready to send$' layout $words
	has '^qpc.state, 4 bits at 0x000, dw0\[31:28\]$'
done
says 0 '^Unit: 4.096 us' layout qpc.primary_address_path.ack_timeout
says 0 '^qpc.wq_signature, 1 bit at 0x004, dw1\[31\]$' layout qpc wq_signature
says 2 "^dvfw: 'rlid' may be 'primary_address_path.rlid' or " layout qpc rlid
says 2 '^dvfw: QPC_STATE is a kind of values: dvfw list values QPC_STATE$' layout qpc_state

# JSON has text, unit, kind and values.
"$dvfw" layout --json qpc >"$work/json" || fail 'layout --json'
python3 - "$work/json" >"$work/out" 2>&1 <<'PY' || fail 'layout --json qpc'
import json, sys
rows = {r["name"]: r for r in json.load(open(sys.argv[1]))}
assert rows["state"]["kind"] == "QPC_STATE"
assert {"name": "RTS", "value": 3, "text": "ready to send"} in rows["state"]["values"]
assert rows["log_sq_size"]["unit"] == "log2 of 64 bytes"
assert all(r["text"] for r in rows.values())
PY

# Kinds of values.
says 0 '^QPC_STATE +9 +qpc.state$' list values
says 0 '^  0x0 +RST +reset$' list values qpc_state
says 2 "no kind of values 'QPC_STAT'; did you mean 'QPC_STATE'" list values QPC_STAT
says 2 'one list at a time' list structs objects
says 0 '^      "name": "MTU",$|"name": "MTU"' list values --json
says 0 'Type and speed|Speeds and protocols of a port' list registers

# A command.
says 0 '^CREATE_QP, opcode 0x500$' cmd CREATE_QP --help
says 0 '^Destroyed by: DESTROY_QP$' cmd create_qp --help
says 0 '^Outbox: create_qp_out, 16 bytes' cmd CREATE_QP --help
says 0 'dry-run' cmd --help

# Words for numbers: 0 has a name, too; masks; the op_mod of QUERY_HCA_CAP.
"$dvfw" encode query_qp_out >"$work/hex"
says 0 '^qpc.state = 0x0 RST$' decode QUERY_QP out - <"$work/hex"
says 0 '^qpc.st = 0x0 RC$' decode QUERY_QP out - <"$work/hex"
lacks '^status'
says 0 '^op_mod = 0x0 GENERAL.max$' decode QUERY_HCA_CAP in 0100000000000000
says 0 '^op_mod = 0x1 GENERAL.current$' decode QUERY_HCA_CAP in 0100000000000001
says 0 '^op_mod = 0x1ff$' decode QUERY_HCA_CAP in 01000000000001ff
"$dvfw" encode rx_hash_field_select selected_fields='SRC_IP|DST_IP' l3_prot_type=IPV6 >"$work/hex"
says 0 '80000003' decode --json rx_hash_field_select - <"$work/hex"
says 0 '^selected_fields = 0x3 SRC_IP\|DST_IP$' decode rx_hash_field_select 80000003
says 0 '^selected_fields = 0x21 SRC_IP\|0x20$' decode rx_hash_field_select 00000021
says 0 '^eth_proto_oper = 0x100000 100GBASE_CR4$' decode ptys_reg \
	00010004$(printf '%064d' 0)00100000$(printf '%048d' 0)

# The shell: on a device, as a user asks.
ask() {
	printf '%s
' "${@:2}" | emulated -- "$dvfw" shell >"$work/out" 2>"$work/err"
	has "$1"
}
ask '^CREATE_MKEY, opcode 0x200$' 'help CREATE_MKEY'
ask '^Memory key context' 'help mkc'
ask '^mkc.umr_en, 1 bit' 'help mkc.umr_en'
ask '^  0x9 +ARMED ' 'help CQC_ST'
ask '^query NAME' 'help query'
ask "'nothing_such' is no command, no structure" 'help nothing_such'
