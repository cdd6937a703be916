/* SPDX-License-Identifier: BSD-2-Clause */
/* For explain*.c. */
#include "box/box.h"
