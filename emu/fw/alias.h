/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the firmware: aliases, which are created, queried and destroyed as general objects. */
#ifndef EMU_FW_ALIAS_H
#define EMU_FW_ALIAS_H

#include "fw/command.h"

enum fw_status fw_alias_create(struct fw_cmd *c);
enum fw_status fw_alias_query(struct fw_cmd *c);
enum fw_status fw_alias_destroy(struct fw_cmd *c);

#endif
