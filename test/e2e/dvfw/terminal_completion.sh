#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The tabulator in dvfw shell on a terminal: what a line becomes, and all words that are offered for it. Which
# words there are is asked of "dvfw list".
#
#	terminal_completion.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2

# All candidates at once, one a line, without questions and colours.
cat >"$work/inputrc" <<'INPUTRC'
set show-all-if-ambiguous on
set completion-display-width 0
set completion-query-items -1
set page-completions off
set bell-style none
set enable-bracketed-paste off
INPUTRC

cat >"$work/completion.py" <<'PYTHON'
import json, subprocess, sys
sys.path.insert(0, sys.argv[1])
from terminal import Terminal

dvfw, command = sys.argv[2], sys.argv[3:]
failed = False

def listed(*words):
    """The names in the output of "dvfw list …"."""
    out = subprocess.run([dvfw, "list", *words, "--json"], capture_output=True, text=True, check=True).stdout
    rows = json.loads(out)
    return [r if isinstance(r, str) else r["name"] for r in rows]

def values(kind):
    out = subprocess.run([dvfw, "list", "values", kind, "--json"], capture_output=True, text=True, check=True).stdout
    return [v["name"] for v in json.loads(out)[0]["values"]]

t = Terminal(command)
t.until("dvfw> ")
for line in (
        "pd = ALLOC_PD", "eqn = eqn 0", "counter = ALLOC_Q_COUNTER", "mem = umem 65536 access=local_write",
        "doorbells = uar nc",
        "cq = CREATE_CQ cq_context.log_cq_size=4 cq_context.uar_page=$doorbells"
        " cq_context.c_eqn_or_apu_element=$eqn cq_umem_valid=1 cq_umem_id=$mem cq_context.dbr_umem_valid=1"
        " cq_context.dbr_umem_id=$mem cq_context.dbr_addr=0x8000"):
    t.type(line + "\recho made\r")
    t.until("^made\ndvfw> ")
    if "dvfw: " in t.before:
        sys.exit(t.before)
    if line.startswith("pd"):
        pd = t.before.split(", id ")[1].split()[0]

def tab(typed):
    """The line after a tabulator, and the candidates that were listed."""
    # The resulting line is printed by the shell itself: echo is put before it.
    t.type(typed + "\t" + "\x01echo [\x05]\r")
    line = t.until(r"^\[(.*)\]\ndvfw> ").group(1)
    rows = t.before.split("\n")
    # the typed line, the candidates, the line again
    return line, [r.strip() for r in rows[1:-1] if r.strip() and not r.startswith("dvfw> ")]

def becomes(typed, wanted):
    global failed
    line, words = tab(typed)
    if line != wanted:
        print(f"FAIL: '{typed}' becomes '{line}', not '{wanted}'; listed: {words}")
        failed = True

def offers(typed, wanted):
    global failed
    line, words = tab(typed)
    if sorted(words) != sorted(wanted):
        print(f"FAIL: '{typed}' offers {words}, not {wanted}; the line is '{line}'")
        failed = True

def with_prefix(names, prefix, before=""):
    return [before + n for n in names if n.startswith(prefix)]

registers = listed("registers")

# verbs, commands, makers
becomes("wat", "watch ")
becomes("mod", "modify ")
offers("de", ["decode", "destroy"])
becomes("QUERY_ISS", "QUERY_ISSI ")
becomes("x = um", "x = umem ")
offers("q = CREATE_F", with_prefix(listed("commands"), "CREATE_F"))

# objects: only what is queried or modified
becomes("modify c", "modify cq ")
becomes("modify p", "modify p")
becomes("modify pd ", "modify pd ")
becomes("modify cq ", "modify cq MODIFY_CQ ")
becomes("query cou", "query counter ")
becomes("query counter ", "query counter QUERY_Q_COUNTER ")
becomes("query p", "query p")
becomes("destroy p", "destroy pd ")
becomes("pd = ALLOC_PD; destroy", "pd = ALLOC_PD; destroy")

# fields, nested ones level by level
becomes("CREATE_CQ cq_con", "CREATE_CQ cq_context.")
becomes("CREATE_CQ cq_context.log_cq_s", "CREATE_CQ cq_context.log_cq_size=")
becomes("x = CREATE_QP qpc.primary_address_path.vhca_", "x = CREATE_QP qpc.primary_address_path.vhca_port_num=")
becomes("modify cq MODIFY_CQ cq_context.cq_ma", "modify cq MODIFY_CQ cq_context.cq_max_count=")

# values
offers("x = CREATE_CQ cq_context.cqe_sz=", with_prefix(values("CQC_CQE_SZ"), "", "cq_context.cqe_sz=")
       + ["cq_context.cqe_sz=$" + v for v in ("pd", "eqn", "counter", "mem", "doorbells", "cq")])
becomes("x = CREATE_QP qpc.st=RC", "x = CREATE_QP qpc.st=RC ")
offers("x = CREATE_QP qpc.st=R", with_prefix(values("QPC_ST"), "R", "qpc.st="))
becomes("x = CREATE_QP qpc.pd=$p", f"x = CREATE_QP qpc.pd={pd} ")  # echo has replaced $pd
becomes("ACCESS_REGISTER_USER register_id=PT", "ACCESS_REGISTER_USER register_id=PTYS ")
offers("ACCESS_REGISTER_USER register_id=PM", with_prefix(registers, "PM", "register_id="))
offers("QUERY_HCA_CAP op_mod=GENERAL", with_prefix(listed("groups"), "GENERAL", "op_mod="))

# the words of subcommands
becomes("list va", "list values ")
offers("list s", ["structs", "syndromes"])
becomes("list values CQE_O", "list values CQE_OPCODE ")
kinds = listed("values")
offers("list values ", kinds)
offers("list values CQC_ST", with_prefix(kinds, "CQC_ST"))
becomes("layout wqe_ct", "layout wqe_ctrl_seg ")
becomes("caps GENERAL_", "caps GENERAL_2 ")
becomes("decode cqe6", "decode cqe64 ")
becomes("decode CREATE_CQ o", "decode CREATE_CQ out ")
offers("reg PM", with_prefix(registers, "PM"))
becomes("reg PTYS proto_m", "reg PTYS proto_mask=")
offers("reg PTYS proto_mask=", with_prefix(values("PTYS_PROTO"), "", "proto_mask=")
       + ["proto_mask=$" + v for v in ("pd", "eqn", "counter", "mem", "doorbells", "cq")])
becomes("watch PAO", "watch PAOS ")
becomes("watch cou", "watch counter ")
becomes("watch -i 0.5 -n 3 PAOS local_po", "watch -i 0.5 -n 3 PAOS local_port=")
becomes("watch QUERY_VPORT_C", "watch QUERY_VPORT_COUNTER ")
becomes("help MKC_ACC", "help MKC_ACCESS_MODE ")
becomes("flow crea", "flow create ")

t.type("quit\r")
assert t.status() == 0
# the history stays: the last line of this session is the previous one of the next
t = Terminal(command)
t.until("dvfw> ")
t.type("\x10\x01echo [\x05]\r")
t.until(r"^\[quit\]\ndvfw> ")
t.type("quit\r")
assert t.status() == 0
sys.exit(failed)
PYTHON

TERM=dumb INPUTRC=$work/inputrc XDG_STATE_HOME=$work python3 "$work/completion.py" "$(dirname "$0")/../../lib" \
	"$dvfw" "$emu" --fabric "$fabric" -- "$dvfw" shell
