/* SPDX-License-Identifier: BSD-2-Clause */
/* For explain*.c. */
#include "base/base.h"
int explain_run(struct dvfw *d, int argc, char **argv);
