#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw without a device: what it prints, and that bad input of every kind is one clear line and
# exit status 2.
#
#	command_line.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
dvfw=$2

# says STATUS REGEX ARGUMENT...: the exit status, and a line of either output.
says() {
	expect_output "$1" "$2" timeout 20 "$dvfw" "${@:3}" </dev/null
}

# bad REGEX ARGUMENT...: one line on standard error, nothing else, status 2.
bad() {
	expect_refusal "$1" timeout 20 "$dvfw" "${@:2}" </dev/null
}

says 0 '^Explores the firmware commands ' --help
says 0 '^  decode ' --help
says 0 '^dvfw [0-9]' --version
says 0 '^0x500  CREATE_QP +create +272 +16$' list commands
says 0 '^0x301  CREATE_EQ +kernel only' list commands
says 0 '^0x100  QUERY_HCA_CAP +general' list commands
says 0 '^qpc +232$' list structs
says 0 '^  "create_qp_in",$' list structs --json
says 0 '^0xff01  MKEY ' list objects
says 0 '^0x0020  GENERAL_2 ' list groups
says 0 '^0x9055  MTUTC ' list registers
says 0 '^0x00317175  CREATE_MKEY' list syndromes
says 0 '^0x004  dw1\[23:0\] +24  pd$|^0x005  dw1\[23:0\] +24  pd$' layout --brief qpc
says 0 '^    "bit_offset": 40,$' layout qpc --json
says 0 ' qpc\.primary_address_path\.rlid$' layout -bx create_qp_in
says 0 '^0000: 05000000 ' encode CREATE_QP
says 0 '^qpc.pd = 0x12$' decode CREATE_QP in '0000: 0500 001c: 00000012'
says 0 '^0x01d dw7\[23:0\] +qpc.pd = 0x12$' decode -v CREATE_QP in '0000: 0500 001c: 00000012'
says 0 '^qpc.state = 0x0 RST$' decode --all CREATE_QP in "$(printf '05%0542d' 0)"
says 0 '^unknown: dw2\[0\]=1$' decode ALLOC_PD in 080000000000000000000001
says 0 '^status = 0x3 BAD_PARAM$' decode CREATE_QP out '03000000 12345678'
says 0 '^page offset of the umem and of start_addr differ' decode CREATE_MKEY out 0300000000317175
says 0 '^capability.cmd_hca_cap.vhca_id = 0x7$' \
	decode QUERY_HCA_CAP out '0010: 00 0012: 0000 0014: 0000 0017: 07' op_mod=GENERAL.current
says 0 '^nothing is known to be wrong with it$' cmd --dry-run QUERY_ISSI
says 1 'the kernel will refuse this: ACCESS_REG is not on the DevX list' cmd --dry-run ACCESS_REG
says 1 'the inbox has 16 bytes, CREATE_CQ wants 272' \
	cmd --dry-run CREATE_CQ --inbox 04000000000000000000000000000000
says 1 'unknown: dw3\[0\]=1' cmd --dry-run ALLOC_PD --inbox 08000000000000000000000000000001

# what queues are made of: by the tables, and by the printers of the library
cqe=00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000930052040a0019a1c0921cd2
wqe=00000708000043030000000800000000000000007f000000000012340000000000000010000056780000000000001000
says 0 '^0x037  dw13\[7:0\] +8  syndrome$|^0x034  dw13\[7:0\] +8  syndrome$' layout --brief err_cqe
says 0 '^qpn = 0x19a1$' decode cqe64 "$cqe"
says 0 '^vendor_err_synd = 0x52$' decode err_cqe "$cqe"
says 0 '^syndrome = 0x4 LOCAL_PROT_ERR$' decode err_cqe "$cqe"
says 0 ' s_wqe_opcode  if opcode=0x0\|0xd( |$)' layout cqe64
says 0 '^s_wqe_opcode = 0xa SEND$' decode err_cqe "$cqe"
says 0 '^opcode = 0xd REQ_ERR$' decode err_cqe "$cqe"
says 0 '^opcode = 0xd REQ_ERR$' decode cqe64 "$cqe"
says 0 '^      "word": "REQ_ERR"$' decode --json cqe64 "$cqe"
says 0 '^opcode = 0x2 RESP_SEND$' decode cqe64 "$(printf '%0112d' 0)000000190000002f"
lacks s_wqe_opcode
says 0 '^l4_hdr_type = 0x2 UDP$' decode cqe64 "$(printf '%056d' 0)00280000$(printf '%056d' 0)0000002f"
says 0 '^opcode = 0x8 RDMA_WRITE$' decode wqe_ctrl_seg "${wqe:0:32}"
says 0 '^ce = 0x2 ALWAYS$' decode wqe_ctrl_seg "${wqe:0:32}"
says 0 '^fm = 0x0 NONE$' decode wqe_ctrl_seg "${wqe:0:32}"
says 0 '^mkey_mask = 0x800020000001 LEN\|FREE\|RELAXED_ORDERING_READ$' \
	decode wqe_umr_ctrl_seg "a00000000000000000008000200000010$(printf '%063d' 0)"
says 0 '^0000: 00000009 00000000 00000088 00000000$' \
	encode wqe_ctrl_seg opcode=RDMA_WRITE_IMM fm=SMALL_AND_FENCE ce=ALWAYS
says 0 '^0030: 00000000 00009313 08000000 000000d0$' encode err_cqe opcode=REQ_ERR \
	syndrome=REMOTE_ACCESS_ERR s_wqe_opcode=RDMA_WRITE vendor_err_synd=ODP_PFAULT
says 0 '^  0x22 +REMOTE_ABORTED_ERR +remote aborted \(REM_ABORT_ERR\)$' list values CQE_SYNDROME
says 0 '^  0x2f +MMO ' list values WQE_OPCODE
says 0 '^ +55 +syndrome +0x04 local protection' decode cqe "$cqe"
says 0 '^ +3 +opcode +0x08 RDMA_WRITE$' decode wqe "$wqe"
says 0 '^ +36 +lkey +0x5678$' decode wqe "$wqe"
says 0 '^# block 1$' decode ring "$wqe$(printf '%032d' 0)$wqe"
says 0 '"kind": "wqe",' --json decode wqe "$wqe"
says 0 '^0000: 00000008 00004303 00000000 00000000$' encode wqe_ctrl_seg opcode=8 qpn=0x43 ds=3
bad "did you mean 'LOCAL_PROT_ERR'" encode err_cqe syndrome=LOCAL_PROT
bad 'bytes are too few for CQEs of 64 bytes' decode cqe 0102

says 0 '"refusals":' --json cmd --dry-run QUERY_ISSI
echo '{"caps":{"GENERAL":{"current":{"log_max_cq_sz":22}}}}' >"$work/caps.json"
says 1 'CREATE_DCT needs GENERAL.dct' cmd --dry-run CREATE_DCT --caps "$work/caps.json"
says 1 'log_cq_size=0x17 is more than' cmd --dry-run CREATE_CQ log_cq_size=23 --caps "$work/caps.json"
# A device is opened for capabilities only: not with a file, nor for a command that needs none.
says 1 'log_cq_size=0x17 is more than' -d mlx5_77 cmd --dry-run CREATE_CQ log_cq_size=23 --caps "$work/caps.json"
says 0 '^nothing is known to be wrong with it$' -d mlx5_77 cmd --dry-run QUERY_ISSI
lacks capabilities "$work/out"
says 0 '"capabilities_checked": true' --json cmd --dry-run QUERY_ISSI
says 0 '^capabilities were not checked: give --caps FILE, or a device with -d$' cmd --dry-run CREATE_CQ
says 0 '"capabilities_checked": false' --json cmd --dry-run CREATE_CQ
says 1 'CREATE_CQ needs only the capabilities: give them with --caps FILE, or leave out -d' \
	-d mlx5_77 cmd --dry-run CREATE_CQ
[ ! -s "$work/out" ] || fail 'a dry run that could not check says something'
says 1 'through fwctl it passes queries and registers; ALLOC_PD needs DevX' --via=fwctl cmd --dry-run ALLOC_PD
says 0 '^nothing is known to be wrong with it$' --via=fwctl cmd --dry-run QUERY_EQ eq_number=1
says 0 '^nothing is known to be wrong with it$' -d fwctl0 cmd --dry-run ACCESS_REG register_id=PAOS op_mod=READ

bad "no subcommand 'lst'; did you mean 'list'" lst
bad "no structure 'create_qp_im'; did you mean 'create_qp_in'" layout create_qp_im
bad 'CREATE_QP is a command; its structures are create_qp_in and create_qp_out' layout CREATE_QP
bad "no command or structure 'CRAETE_QP'; did you mean 'CREATE_QP'" encode CRAETE_QP
bad "has no field 'qpc.pdd'; did you mean 'qpc.pd'" encode CREATE_QP qpc.pdd=1
bad 'needs 25 bits, the field has 24' encode CREATE_QP pd=0x1000000
bad "'pd' is not field=value" encode CREATE_QP pd
bad 'none of RC, UC' encode CREATE_QP st=RR
bad "'st=RC' and 'qpc.st=UC' set the same field" encode CREATE_QP st=RC pd=1 qpc.st=UC
bad "'st=RC' and 'st=UC' set the same field" cmd --dry-run CREATE_QP st=RC st=UC
bad "no field 'key'$" encode CREATE_MKEY key=1
bad 'the bytes are missing' decode CREATE_QP in
bad 'line 1, character 6: half a byte' decode CREATE_QP in 0x123
bad 'neither hex digits nor a file' decode CREATE_QP in no-such-file
bad 'standard input is empty' decode CREATE_QP in -
bad "no command 'NOOP'; did you mean 'NOP'" cmd NOOP
bad 'qpc is a structure, not a command' cmd qpc
bad 'caps without --dry-run' cmd NOP --caps x
bad 'cannot be read as JSON' cmd --dry-run NOP --caps /dev/null
bad 'no such bit|no-such-script' run no-such-script

# unknown options: argp reports them, and where help is
says 2 'auto, always or never' --color=sometimes list structs
says 2 'unrecognized option' list --bananas

# colour where it is asked for, and nowhere else
says 0 $'\033' --color=always layout qpc
says 0 . layout qpc
lacks $''

# encode and decode are inverse
"$dvfw" encode CREATE_QP st=UD qpc.pd=0x12 pas=1,2 >"$work/hex"
says 0 '^pas\[2\] = \{0x1, 0x2\}$' decode CREATE_QP in "$work/hex"
"$dvfw" encode CREATE_QP st=UD qpc.pd=0x12 pas=1,2 --binary "$work/raw"
[ "$(wc -c <"$work/raw")" = 288 ] || fail 'encode --binary: not 288 bytes'
says 0 '^qpc.st = 0x2 UD$' decode CREATE_QP in "$work/raw"

# random bytes, as every box there is
for name in $("$dvfw" list commands --json | sed -n 's/^    "name": "\(.*\)",$/\1/p'); do
	head -c 700 /dev/urandom >"$work/raw"
	for box in in out; do
		"$dvfw" decode "$name" $box "$work/raw" >"$work/out" 2>"$work/err" ||
			fail "decode $name $box of random bytes"
	done
done
