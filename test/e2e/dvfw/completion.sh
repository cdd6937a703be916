#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Completions of bash after "dvfw …" and a tabulator.
#
#	completion.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
PATH=$(dirname "$2"):$PATH
# shellcheck source=/dev/null
. "$(dirname "$0")/../../../tools/dvfw/dvfw.bash-completion"
# shellcheck disable=SC2317 # the completion calls it
compopt() { :; }

# offers WORD WORD...: for a line of which the last word is being typed, WORD is offered.
offers() {
	local wanted=$1
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_dvfw
	case " ${COMPREPLY[*]} " in
	*" $wanted "*) ;;
	*) fail "'$*' offers '${COMPREPLY[*]}', not '$wanted'" ;;
	esac
}

offers layout dvfw la
offers doctor dvfw -d mlx5_0 doc
offers CREATE_QP dvfw encode create_q
offers qpc dvfw decode qp
offers qpc.st= dvfw cmd CREATE_QP qpc.st
offers klms[0].mkey= dvfw encode CREATE_MKEY klms
offers cmd_hca_cap_2 dvfw layout cmd_hca
offers GENERAL_2 dvfw caps GEN
offers syndromes dvfw list s
offers never dvfw --color = n
offers cross-vhca dvfw check cr
offers --importer= dvfw check cross-vhca --imp
offers peer dvfw check cross-vhca --importer = p
offers create dvfw flow cr
offers pattern dvfw flow create ingress pa
offers fwctl dvfw --via = f
offers xrc_srq dvfw objects x
offers PTYS dvfw reg pt
offers proto_mask= dvfw reg PTYS proto
offers QUERY_VNIC_ENV dvfw watch query_vn
offers counter_set_id= dvfw watch QUERY_Q_COUNTER counter_set_id
offers devx dvfw flow create --backend = d
offers QPC_STATE dvfw list values qpc_s
offers CQE_OPCODE dvfw list values CQE
offers RC dvfw encode CREATE_QP st = r
offers RTS dvfw encode CREATE_QP qpc.state = R
offers LOCAL_PROT_ERR dvfw encode err_cqe syndrome = LOCAL_P
offers PTYS dvfw cmd ACCESS_REGISTER_USER register_id = PT
offers EN dvfw reg PTYS proto_mask = E
offers --dry-run dvfw cmd CREATE_CQ --dr
