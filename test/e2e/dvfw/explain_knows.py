#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dvfw explain against the lists of libibverbs, mlx5dv.h and the PRM, and in the spellings of each form: causes and steps
are there, healthy text is no fault, what is unknown is called so.

    explain_knows.py LAUNCHER DVFW
"""
import ctypes
import os
import subprocess
import sys
import unittest

DVFW = os.path.abspath(sys.argv.pop())
del sys.argv[1:]
os.environ["DVKIT_PROGRAM"] = DVFW
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(DVFW), "..", "libexec", "dvkit", "explain"))
import adapter
import dump
import rows
import text


def items(lines, kind=None):
    return text.explain(lines.encode("utf-8", "surrogateescape"), kind)["explained"]


def facts(item):
    return dict(reversed(item.facts))


CALLS = (  # line, call, errno, a word of the causes
    ("libfabric:verbs:ep:open():12<info> ibv_create_qp: Invalid argument(22)", "ibv_create_qp", 22, "inline"),
    ("WARN Call to ibv_create_qp failed", "ibv_create_qp", None, "locked memory"),
    ("rdma.c: 77: *ERROR*: Unable to create SRQ, errno 22 (Invalid argument)", "ibv_create_srq", 22, "max_srq"),
    ("connect(): ibv_modify_qp: Invalid argument", "ibv_modify_qp", 22, "is_global"),
    ("Call to ibv_modify_qp failed with 61 No data available, on dev mlx5_2:1", "ibv_modify_qp", 61, "has no GID"),
    ("UCX WARN Failed to modify UD QP to INIT on mlx5_3: Invalid argument", "ibv_modify_qp", 22, "not allowed"),
    ("Error 22 (Invalid argument) at (ib.c:8):Failed to modify QP (libibverbs)", "ibv_modify_qp", 22, "not allowed"),
    ("Failed to post a send for the qpair 0x7fa3 with errno -12", "ibv_post_send", 12, "queue is full"),
    ("ibv_post_recv failed with error 12: Cannot allocate memory", "ibv_post_recv", 12, "queue is full"),
    ("ibv_post_send() returned 12", "ibv_post_send", None, None),
    ("could not post receive [12]: error", "ibv_post_recv", None, "queue is full"),
    ("UCX ERROR mlx5dv_devx_alloc_uar() failed: Operation not supported", "mlx5dv_devx_alloc_uar", 95, "write-combining"),
    ("x.cpp:1: NULL value Unable to create ah.", "ibv_create_ah", None, "static_rate"),
    ("x.cpp:2: NULL value cannot allocate mlx5dv_devx_uar", "mlx5dv_devx_alloc_uar", None, "rights"),
    ("Call to ibv_reg_dmabuf_mr failed with error Operation not supported", "ibv_reg_dmabuf_mr", 95, "dma-buf"),
    ("ibv_reg_mr failed: ENOMEM", "ibv_reg_mr", 12, "locked memory"),
    ("ibv_create_cq failed, ret = -12", "ibv_create_cq", 12, "locked memory"),
    ("rdma_bind_addr: Cannot assign requested address", "rdma_bind_addr", 99, "port is taken"),
    ("rdma_bind_addr failed: Address already in use", "rdma_bind_addr", 98, "same address"),
    ("Failed to create CQ, error 12", "ibv_create_cq", 12, "locked memory"),
    ("Failed to open device", "ibv_open_device", None, "uverbs"),
    ("ibv_modify_qp(RTR) failed: 113 No route to host", "ibv_modify_qp", 113, "was not found"),
    ("[FATAL] ibv_post_send err: 12", "ibv_post_send", 12, "queue is full"),
    ("QP creation failed: \u221212", "ibv_create_qp", 12, "locked memory"),
    ("could not modify qp to RTS (22)", "ibv_modify_qp", 22, "not allowed"),
    ("ibv_open_device: Permission denied", "ibv_open_device", 13, "not accessible for this user"),
    ("mlx5_net: Failed to create RQ using DevX", "mlx5dv_devx_obj_create", None, "DevX"),
)
STATUSES = (
    "Error on CQ 0x20a0, (qp state 1 ibv_state 6) request 0x1397, type DATA, status: (12): transport retry counter e",
    "got completion with status 12 wr_id 7", "wc.status = 12 vendor_err 0x81", "work completion: error 12", "CQE failed: status=12",
    "send: IBV_WC_RETRY_EXC_ERR", "x: transport retry counter exceeded", "poll cq: bad completion, status 0xc",
)
HEALTHY = (
    "link mlx5_0/1 \n    rx_write_requests 9 \n    rnr_nak_retry_err 0 ",
    "Infiniband device 'mlx5_0' port 1 status:\n\tbase lid:\t 0x2\n\tsm lid:\t\t 0x1\n\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp",
    "hca_id:\tmlx5_0\n\tfw_ver:\t16.35.2000\n\t\tport:\t1\n\t\t\tstate:\tPORT_ACTIVE (4)\n\t\t\tport_lid:\t4\n\t\t\tsm_lid: 1",
    "CA 'mlx5_0'\n\tCA type: MT4119\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tSM lid: 1",
    "pci/0000:03:00.0:\n  reporter fw\n    state healthy error 0 recover 0\n  reporter tx\n    state healthy error 0 recover 0",
    "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth2", "0: mlx5_0: pd 3 cq 27 qp 12 cm_id 0 mr 0 ctx 1 srq 0",
    "NIC statistics:\n     rx_packets: 12\n     rx_out_of_buffer: 0\n     rx_crc_errors_phy: 0",
    "Operational Info\n----------------\nState                              : Active\nPhysical state                     : LinkUp\n\n"
    "Troubleshooting Info\n--------------------\nStatus Opcode                      : 0\nRecommendation                     : No issue was observed",
    "Settings for eth2:\n\tSpeed: 100000Mb/s\n\tLink detected: yes",
    "03:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]\n"
    "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\tSpeed 8GT/s (ok), Width x16 (ok)",
)
FAULTS = (  # output, what is named
    ("link mlx5_0/1 \n    rx_write_requests 0 \n    rnr_nak_retry_err 7 ", "no receive posted"),
    ("Infiniband device 'mlx5_0' port 1 status:\n\tstate:\t\t 1: DOWN\n\tphys state:\t 3: Disabled", "link is down"),
    ("CA 'mlx5_0'\n\tPort 1:\n\t\tState: Initializing\n\t\tPhysical state: LinkUp", "no subnet manager"),
    ("pci/0000:03:00.0:\n  reporter fw\n    state healthy error 0 recover 0\n  reporter fw_fatal\n    state error error 1 recover 0",
     "reporter is in error"),
    ("link mlx5_1/1 state DOWN physical_state DISABLED netdev eth3", "link is down"),
    ("0: mlx5_0: pd 3 cq 27 qp 261935 cm_id 0 mr 0 ctx 1 srq 0", "nearly all QPs"),
    ("link mlx5_0/1 rx_write_requests 5 local_ack_timeout_err 7", "retransmissions"),
    ("NIC statistics:\n     rx_packets: 12\n     rx_crc_errors_phy: 9", "bit errors"),
    ("03:00.0 Ethernet controller: Mellanox Technologies MT27800\n\t\tLnkCap: Port #0, Speed 8GT/s, Width x16\n"
     "\t\tLnkSta: Speed 8GT/s, Width x8", "narrower"),
    ("Operational Info\n----------------\nState   : Polling\nPhysical state : ETH_AN_FSM_ENABLE", "link is down"),
)
OTHERS = (
    "bash: completion: failed with status 1", "Failed to open device /dev/sda: No such file or directory",
    "Failed to POST /api/v1: read timeout (110)", "cannot get gid: No such group", "usb 1-1: device descriptor read/64, error -71",
    "make: *** [all] Error 2", "e1000e 0000:00:1f.6 eth0: NIC Link is Down", "ibv_reg_mr took 12 us", "completion with status 0",
    "mlx4_core 0000:04:00.0: command 0x31 failed: fw status = 0x2", "ibv_create_qp: success, ret=0", "ibv_devinfo: error",
    "UCX  INFO  UCP version 1.13", " 65536      5000             0.00               11000.00   0.184106",
)
LINES = (  # line, name of a fact, how its text begins, a word of the causes
    ("nvme nvme0: RECV for CQE 0x000000006d9f5e77 failed with status WR flushed (5)", "status", "5: ", "did not fail itself"),
    ("nvme nvme0: MEMREG for CQE 0xa1 failed with status memory management operation error (6)", "status", "6: ", "window"),
    ("rpcrdma: LocalInv: WR flushed (5/0xf9)", "vendor", "0xf9 ", "did not fail itself"),
    ("LNetError: (o2iblnd_cb.c:1:kiblnd_tx_complete()) Tx -> 10.0.0.1@o2ib cookie 0x12 sending 1: failed 12", "status", "12: ", "ACK"),
    ("LNetError: (o2iblnd_cb.c:4:kiblnd_rx_complete()) Rx from 10.1.1.1@o2ib failed: 5", "peer", "10.1.1.1@o2ib", "itself"),
    ("iser: iser_err_comp: command failure: transport retry counter exceeded (12) vend_err 81", "vendor", "0x81 ", "ACK"),
    ("isert: isert_recv_done: recv failure: WR flushed (5) vend_err 0xf9", "vendor", "0xf9 ", "itself"),
    ("scsi host12: ib_srp: failed RECV status WR flushed (5) for CQE 00000000a1b2c3d4", "status", "5: ", "itself"),
    ("krping: cq completion failed with wr_id 0 status 10 opcode 0 vender_err 88", "vendor", "0x88 ", "rkey"),
    ("cq completion in ERROR state 5", "status", "5: ", "itself"),
    ("mlx5_core 0000:41:00.0: mlx5_pci_err_detected Device state = 1 health sensors: 1 pci_status: 1. Enter, pci channel state = 2",
     "channel", "2: frozen", "slot"),
    ("mlx5_core 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)",
     "type", "Transaction Layer", "link"),
    ("mlx5_core 0000:41:00.0: reclaim_pages:444:(pid 123): failed reclaiming pages: err -5", "error", "-5 ", "MANAGE_PAGES"),
    ("mlx5_core 0000:41:00.0 ens1: TX timeout on queue: 12, SQ: 0x1d4a, CQ: 0x12c, SQ Cons: 0x3e5 SQ Prod: 0x7e4, usecs since "
     "last trans: 15960000", "producer", "0x7e4", "paused"),
    ("mlx5_core 0000:41:00.0: esw_create_tbl:12:(pid 5): Failed to create FDB Table err -12", "subsystem", "e-switch", "steering"),
    ("mlx5_core 0000:41:00.0: mlx5_cmd_out_err:1:(pid 0): CREATE_MKEY(0\u00d7200) op_mod(0\u00d70) failed, status bad "
     "parameter(0\u00d73), syndrome (0\u00d738a722), err(-22)", "command", "CREATE_MKEY (0x200)", "contradicts"),
    ("nvme_rdma.c: 9: *ERROR*: Expected RDMA_CM_EVENT_ESTABLISHED but received RDMA_CM_EVENT_REJECTED (8) (status = 8)",
     "status", "8: invalid service ID", "no program listens"),
    ("port_flow_complain(): Caught PMD error type 15 (action configuration): cause: 0x7ffc, failed to obtain port id: "
     "Invalid argument", "about", "15: configuration of an action", "refused"),
    ("libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/uverbs0", "path", "/sys", "provider"),
    ("mlx5_net: port 0 Rx queue 0: Scatter offload is not configured and no enough mbuf space(2176) to contain the maximum RX "
     "packet length(9200) in it", "packet_bytes", "9200", "mbuf"),
)


class Explain(unittest.TestCase):
    def advised(self, item, line):
        self.assertTrue(item.causes and item.steps, line)

    def test_statuses_of_libibverbs(self):
        verbs = ctypes.CDLL("libibverbs.so.1")
        verbs.ibv_wc_status_str.restype = ctypes.c_char_p
        for n in range(1, 24):
            words = verbs.ibv_wc_status_str(n).decode()
            item, = items("worker 3: request 17: %s, giving up" % words)
            self.assertEqual(facts(item)["status"].partition(" ")[0], "%d:" % n, words)
        for name, n in (("IBV_WC_RNR_RETRY_EXC_ERR", 13), ("wc: WC_REM_ACCESS_ERR", 10)):
            item, = items(name)
            self.assertTrue(facts(item)["status"].startswith("%d: " % n), name)

    def test_syndromes_of_cqes(self):
        known = adapter.values("CQE_SYNDROME")
        self.assertEqual(len(known), 13)
        for n in known:
            item, = items("%0110x%02x00000042000000d0" % (0, n))
            self.assertEqual(item.kind, "cqe")
            self.assertTrue(facts(item)["syndrome"].startswith("0x%02x: " % n))
            self.advised(item, known[n])

    def test_statuses_of_commands(self):
        known = adapter.values("STATUS")
        self.assertGreater(len(known), 15)
        for n, (name, words) in known.items():
            if not n:
                continue
            said = "bad size" if name == "BAD_SIZE_OUTS_CQES" else words
            item, = items("mlx5_cmd_out_err:808:(pid 1): CREATE_CQ(0x400) op_mod(0x0) failed, "
                          "status %s(0x%x), syndrome (0x123457), err(-22)" % (said, n))
            self.assertIn(name, facts(item)["status"])
            self.assertEqual(facts(item)["command"], "CREATE_CQ (0x400)")
            self.assertTrue(item.unknown)
            self.advised(item, name)

    def test_calls(self):
        for line, call, number, word in CALLS:
            item, = items(line)
            self.assertEqual((item.kind, facts(item)["call"]), ("verbs_call", call), line)
            if number:
                self.assertTrue(facts(item)["error"].startswith("%d: " % number), line)
            if word:
                self.assertIn(word, " ".join(item.causes), line)
            self.advised(item, line)

    def test_what_follows_of_a_failure_belongs_to_it(self):
        first, second = items("Couldn't get device attribute\nUnable to create QP.\nFailed to create QP.\nCouldn't create IB resources")
        self.assertEqual((facts(first)["call"], first.lines), ("ibv_query_device", [1, 1]))
        self.assertEqual((facts(second)["call"], second.lines), ("ibv_create_qp", [2, 4]))
        self.assertEqual(items("Couldn't create IB resources\nERRNO: Bad address."), [])

    def test_statuses_in_each_spelling(self):
        for line in STATUSES:
            item, = items(line)
            self.assertTrue(facts(item).get("status", "").startswith("12: "), line)
            self.advised(item, line)

    def test_lines(self):
        for line, name, begin, word in LINES:
            item, = items(line)
            self.assertTrue(facts(item).get(name, "").startswith(begin), "%s: %s" % (line, item.facts))
            self.assertIn(word, " ".join(item.causes), line)
            self.advised(item, line)

    def test_healthy_outputs(self):
        for output in HEALTHY:
            found = items(output)
            self.assertTrue(found, output)
            for item in found:
                self.assertEqual((item.kind, item.summary, item.causes), ("output", "healthy", []), output)

    def test_faults_of_outputs(self):
        for output, word in FAULTS:
            found = items(output)
            self.assertIn(word, found[0].summary, output)
            self.advised(found[0], output)

    def test_numbers_are_syndromes_only_where_the_text_says_so(self):
        for line in ("base lid: 0x2", "rate: 0x2c4154", "offset 0x4", "port 0x1)", "mask: (0x13)"):
            self.assertEqual(items(line), [], line)
        for line in ("0x2c4154", "syndrome 0x2c4154", "syndrome = (0x2c4154)", "(0x2c4154)"):
            self.assertEqual([i.kind for i in items(line)], ["syndrome"], line)

    def test_healthy_messages_of_the_kernel(self):
        for line in ("0000:08:00.0 eth2: Link up", "0000:08:00.0: firmware version: 16.35.2000",
                     "0000:08:00.0: 63.008 Gb/s available PCIe bandwidth (8.0 GT/s PCIe x8 link)",
                     "0000:08:00.0: E-Switch: Total vports 2, per vport: max uc(128) max mc(2048)",
                     "0000:08:00.0: Port module event: module 0, Cable plugged", "0000:08:00.0: MLX5E: StrdRq(1) RqSz(8)",
                     "0000:08:00.0: mlx5_wait_for_pages:1:(pid 2): All pages received"):
            item, = items("mlx5_core " + line)
            self.assertEqual((item.causes, facts(item)["kernel module"]), ([], "mlx5_core"), line)

    def test_lines_of_other_programs(self):
        for line in OTHERS:
            self.assertEqual(items(line), [], line)

    def test_unknown_text(self):
        found = text.explain(b"the quick brown fox\nerror: it failed\nfatal error: x.h: No such file or directory\n", None)
        self.assertEqual((found["explained"], found["not_understood"]), ([], 3))

    def test_a_vendor_syndrome_of_sends_and_receives(self):
        item, = items("ib_mlx5_log.c:1 Local protection on mlx5_1:1/IB (synd 0x4 vend 0x56 hw_synd 0/0)\n"
                      "ib_mlx5_log.c:1 DCI QP 0x3e wqe[6]: SEND s-e [rqpn 0xc0 rlid 27] [va 0x7ff len 199 lkey 0x8]")
        self.assertIn("and of a send", facts(item)["vendor"])

    def test_no_escape_of_the_input_is_printed(self):
        line = "\x1b[2Jmlx5_core 0000:08:00.0: esw_x:1:(pid 2): Failed \x1b]0;x\x07 \u202e \x9b1m\nwhat \x1b[31m is this\x7f\n"
        for words in ([], ["--json"]):
            done = subprocess.run([DVFW, "explain", *words, "-"], input=line.encode("utf-8"), stdout=subprocess.PIPE, check=True)
            printed = done.stdout.decode()
            self.assertNotRegex(printed, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

    def test_rows_are_well_formed(self):
        kinds = {"cqe", "eqe", "inbox", "outbox", "wqe-eth", "ring-eth", None}
        subsystems = {r.rest for r in rows.of("subsystems", "subsystem")} | {"network interface"}
        for name in ("programs", "kernel", "facts", "subsystems", "outputs"):
            self.assertTrue(rows.rows(name), name)
        for row in rows.of("programs", "line") + rows.of("kernel", "line"):
            self.assertTrue(row.title and row.patterns and row.dump in kinds, row.rest)
        for row in rows.of("kernel", "cause"):
            self.assertTrue(row.causes and row.patterns and set(row.rest.split(", ")) <= subsystems, row.rest)
        for row in rows.of("programs", "field"):
            self.assertTrue(all(p.compiled.groups == 1 for p in row.patterns), row.rest)
        tools = {r.words[0] for r in rows.of("outputs", "tool")}
        for row in rows.of("outputs", "fault"):
            self.assertTrue(set(row.words) <= tools and row.causes and row.steps, row.rest)

    def test_a_number_that_is_no_errno(self):
        item, = items("mlx5_core 0000:01:00.0: mlx5_load_one failed with error code -99999999999999999999")
        self.assertEqual(facts(item)["error"], "-99999999999999999999 (no errno)")

    def test_prefixes_of_logs(self):
        row = "00000000: 00 00 00 00 a9 00 56 04"
        for prefix in ("", "[  408.368677] ", "kernel: [   17.9] ", "Mar 30 21:04:53 host kernel: [1.2] ", "<3>[1.2][ T36] ",
                       "mlx5_core 0000:08:00.0: ", "19:34:56 "):
            self.assertIsNotNone(dump.row(prefix + row), prefix)


if __name__ == "__main__":
    unittest.main()
