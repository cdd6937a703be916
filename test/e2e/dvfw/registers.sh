#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw reg and watch: the fields of registers as the emulated port has them, and refusals that say which fields
# are missing. And what the shell has of them.
#
#	registers.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
# Standard input is the shell's, if there is one.
run() {
	emulated -- "$dvfw" "$@" <"${input:-/dev/null}"
}

# shell STATUS REGEX LINE...
shell() {
	local status=$1 regex=$2
	shift 2
	printf '%s\n' "$@" >"$work/in"
	input=$work/in says "$status" "$regex" shell
}

says 0 '^eth_proto_oper = 0x100000 100GBASE_CR4$' reg PTYS local_port=1 proto_mask=EN
says 0 '^eth_proto_oper = 0x100000 100GBASE_CR4$' --via=fwctl reg ptys local_port=1 proto_mask=4
says 1 'these fields choose which PTYS is meant: local_port proto_mask' reg PTYS local_port=1
says 2 "no register 'PTYSS'; did you mean 'PTYS'" reg PTYSS
says 2 "is not a number and no register; did you mean 'PTYS'" cmd ACCESS_REGISTER_USER register_id=PTYSS
says 2 "pmtu_reg has no field 'local_prt'; did you mean 'local_port'" reg PMTU local_prt=1
says 2 "'x' is not a number of 32 bits" reg PMTU argument=x
says 0 '^a_octets_received_ok = 0$' reg --all PPCNT local_port=1 grp=0
says 0 '^[0-9]+ more fields are zero: --all shows them$' reg PPCNT local_port=1 grp=0
says 0 '"max_mtu": 10000' --json reg PMTU local_port=1
says 0 '^0000: 00010101 ' reg --hex 0x5006 local_port=1
says 0 '^0x5004 +PTYS +ptys_reg +local_port proto_mask$' reg
says 1 '^max_mtu = 0x2710' reg --write PMTU local_port=1 admin_mtu=1500
has '^before:' # a write begins with what was there
# Bits and names of the newest adapters.
says 0 '^pci_sync_for_fw_update_start = 0x2 TOOL$' decode mfrl_reg 0000000040000000
says 0 '^reset_state = 0x8 WAITING_FOR_TRIGGER$' decode mfrl_reg 0000000000080000
says 0 '^ipg = 0xf0$' decode pipg_reg 00010000000003c0
says 0 '^lb_cap = 0x800$' decode pplr_reg 0001000008000001
says 0 '^tclass = 0x8$' decode qtct_reg 0001000000000008
says 0 '^oper_status = 0x4 DOWN_BY_PORT_FAILURE$' decode paos_reg 00010604
says 0 'nothing has changed' watch PAOS local_port=1 -n 3 -i 0.05
says 0 'nothing has changed' watch QUERY_VNIC_ENV -n 2 -i 0.05
says 1 'these fields choose which PAOS is meant: local_port' watch PAOS

says 1 "no capability has 'zzzz' in its name" caps --grep=zzzz
says 0 'roce_apm +0' caps --all --grep=roce_apm ROCE
says 1 'no capability of ROCE has .roce_apm. in its name and is not zero' caps --grep=roce_apm ROCE

shell 0 '^admin_status = 0x1 UP' 'reg PAOS local_port=1'
shell 0 '^0x500 +qpc|^qpc, ' 'layout qpc'
shell 0 '^ROCE +0x04' 'caps ROCE'
shell 0 '^opcode = 0x80d NOP' 'decode NOP in 080d0000000000000000000000000000'
shell 1 'options are for the command line: dvfw caps --max' 'caps --max'
shell 1 "decode: see 'help decode'" 'decode NOP'
shell 0 "^pd is 0x[0-9a-f]+: use it as .pd; .* no command queries it" 'pd = ALLOC_PD' 'pd'
shell 0 '^query NAME .COMMAND.' 'help query'
has_lines 1 ''
shell 0 '^decode NAME .in.out. HEX +bytes to fields' help
columns=$(sed -nE '1,22s/^(.*[^ ])  +[^ ].*/\1/p' "$work/out" | wc -l)
[ "$columns" -gt 15 ] || fail 'help is no table'
