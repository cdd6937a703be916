#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# alone.sh PROGRAM ARGUMENT...: one process on the emulator; it ends with 0.
. "$(dirname "$0")/pair.sh"

alone "$@"
cat "$work/alone.log"
