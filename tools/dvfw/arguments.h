/* SPDX-License-Identifier: BSD-2-Clause */
/* For explain*.c. */
#include "base/base.h"
