# SPDX-License-Identifier: BSD-2-Clause
"""Why the two sides of compare.py may differ; and which fields hold numbers of objects, and which addresses."""
import re

# Commands of the driver's own work, whenever it likes.
IN_THE_BACKGROUND = {"MANAGE_PAGES", "QUERY_PAGES"}

# Where things are in memory.
ADDRESSES = (r"\b(pas|mtts|pa_[hl]|ptag_.*|dbr_addr.*|db_record_addr.*|dbr_umem_id|log_page_size|log_wq_pg_sz|"
             r"page_offset|start_addr|icm_address_\w+|syndrome|num_of_mtt|translations_octword.*)\b")

# field -> kind of the object whose number it holds
NUMBERS = {
    "pd": "pd", "cqn": "cq", "cqn_snd": "cq", "cqn_rcv": "cq", "qpn": "qp", "remote_qpn": "qp", "srqn": "srq",
    "xrc_srqn": "srq", "srqn_rmpn_xrqn": "srq", "srqn_xrqn": "srq", "uar_page": "uar", "uar": "uar", "uid": "uid",
    "xrcd": "xrcd", "transport_domain": "td", "mkey_index": "mkey", "c_eqn_or_apu_element": "eq", "eqn": "eq",
    "tirn": "tir", "tisn": "tis", "rqn": "rq", "sqn": "sq", "rqtn": "rqt", "counter_set_id": "counters",
    "table_id": "table", "rq_num": "rq", "inline_rqn": "rq", "tis_num_0": "tis", "indirect_table": "rqt",
    "group_id": "group", "flow_counter_id": "counter", "dctn": "dct", "rmpn": "rmp", "umem_id": "umem",
}
# type in a destination of a flow entry -> field of its number
DESTINATIONS = {1: "table_id", 2: "tirn"}

CPUS = "the virtual machine has one processor"
COMBINING = "the processor of the virtual machine combines no writes"
OWN = "mlx5_ib names its private SRQs, CQs and XRC domains where a QP has none"
NETDEV = "mlx5e has tables in the same chain"

# (call, emulator's answer, guest's answer), regular expressions -> reason
CALLS = [
    ("num_comp_vectors|mlx5dv_devx_query_eqn|ibv_create_cq vector", ".*", ".*", CPUS),
    ("ibv_alloc_td|mlx5dv_devx_alloc_uar flags=0", "ok", "EOPNOTSUPP", COMBINING),
    ("ibv_create_ah ipv4-broadcast", "ETIMEDOUT", "ok", "the addresses of the emulator's fabric have no netmask"),
    ("ibv_reg_mr no-access", "EFAULT", "ok", "Linux 6.1 reads with FOLL_FORCE, the emulator as the program does"),
    ("ibv_create_qp_ex type=9 (max_send_wr|nothing)=0", "EINVAL", "ok", "the XRC QP without queues: " + OWN),
    ("ibv_open_qp", "EOPNOTSUPP", "EINVAL", "the emulator has no OPEN_QP"),
]

# (command, call) -> reason; these commands are not compared, and none of a call whose answers differ
COMMANDS = [
    ("MODIFY_FLOW_TABLE|SET_FLOW_TABLE_ROOT", ".*", NETDEV),
    ("ALLOC_UAR|DEALLOC_UAR", ".*", "UAR pages are allocated at another call"),
    ("QUERY_HCA_CAP", "ibv_create_flow|ibv_create_qp_ex type=8", "capabilities of flow tables are read at their first use, not at the start"),
    ("QUERY_QP", "ibv_(at|de)tach_mcast", "mlx5_ib asks for the state of the QP"),
    ("MODIFY_NIC_VPORT_CONTEXT", "ibv_close_device", "processes of the emulator share the loopback of the port, without a command"),
    ("(CREATE|DESTROY)_MKEY", "ibv_rereg_mr", "mlx5_ib changes keys in place by a WQE, the emulator copies a second one"),
]

# (command, field) -> reason
FIELDS = [
    (".*QP", r"qpc\.(xrcd|srqn_rmpn_xrqn|cqn_snd|cqn_rcv)", OWN),
    (".*", r".*uar_page", "as ALLOC_UAR"),
    ("CREATE_MKEY", r".*mkey_7_0", "a counter of the driver"),
    ("CREATE_MKEY", r".*relaxed_ordering_write", "the virtual machine's bus"),
    (".*CQ", r".*c_eqn_or_apu_element", CPUS),
    ("CREATE_FLOW_TABLE", r".*miss.*", NETDEV),
    (".*QP|.*DCT", r".*counter_set_id", "mlx5_ib gives its QPs a set of counters"),
    ("QUERY_HCA_CAP", "capability.*", "the function of a virtual machine"),
]

# The table of the netdev, which under dvkit-emu is there only while a flow leads to it.
NETDEV_LEVEL = "0x28"


def of_call(call, emulated, guest):
    for words, a, b, reason in CALLS:
        if re.match(words, call) and re.match(a, emulated) and re.match(b, guest):
            return reason
    return None


def of_command(command, call, excused):
    for name, words, reason in COMMANDS:
        if re.fullmatch(name, command.name) and re.match(words, call):
            excused[reason] += 1
            return reason
    return None


def of_field(name, field, has):
    """has: the emulator's command has the field, too"""
    return any(re.fullmatch(n, name) and re.fullmatch(f, field) and not (has and reason == OWN)
               for n, f, reason in FIELDS)
