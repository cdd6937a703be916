#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# two_hosts.sh RC_TWO_HOSTS: the sample with two ends, in two processes; each finds what the
# other put there.
. "$(dirname "$0")/../../lib/pair.sh"

pair "$1"
has '^client: received SEND operation$' "$work/client.log"
has '^client: read RDMA read operation$' "$work/client.log"
has '^server: buffer now holds RDMA write operation$' "$work/server.log"
