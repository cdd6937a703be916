/* SPDX-License-Identifier: BSD-2-Clause */
/* Which commands mlx5_fwctl passes to the firmware, by scope. */
#ifndef EMU_FWCTL_SCOPE_H
#define EMU_FWCTL_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

/* <fwctl/fwctl.h> of Linux 6.15, enum fwctl_rpc_scope: each includes those before it. */
enum fwctl_scope {
	FWCTL_CONFIGURATION,
	FWCTL_DEBUG_READ_ONLY,
	FWCTL_DEBUG_WRITE,
	FWCTL_DEBUG_WRITE_FULL, /* needs CAP_SYS_RAWIO */
};

bool fwctl_scope_allows(uint32_t scope, uint16_t opcode, uint16_t op_mod);

#endif
