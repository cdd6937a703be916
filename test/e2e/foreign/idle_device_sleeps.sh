#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A process that holds the device open and does nothing uses less than 2 % of a core.
#
#	idle_device_sleeps.sh HOLD_OPEN		the program that does so
. "$(dirname "$0")/../../lib/pair.sh"

alone "$1"
cat "$work/alone.log"
