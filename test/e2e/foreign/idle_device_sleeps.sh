#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A process that holds the device open and does nothing sleeps; hold_open.c says what that means.
#
#	idle_device_sleeps.sh HOLD_OPEN QPS	the program that does so, with so many QPs
. "$(dirname "$0")/../../lib/pair.sh"

alone "$@"
cat "$work/alone.log"
