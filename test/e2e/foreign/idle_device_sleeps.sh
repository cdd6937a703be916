#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A process that holds the device open and does nothing sleeps; hold_open.c says what that means.
#
#	idle_device_sleeps.sh HOLD_OPEN		the program that does so
. "$(dirname "$0")/../../lib/pair.sh"

alone "$1"
cat "$work/alone.log"
