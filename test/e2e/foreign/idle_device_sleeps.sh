#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A process that holds the device open and does nothing uses less than 2 % of a core.
# HOLD_OPEN names the program that does so.
. "$(dirname "$0")/pair.sh"

alone "${HOLD_OPEN:?}"
cat "$work/alone.log"
