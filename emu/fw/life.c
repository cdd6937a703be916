/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a function (hca/life.h), and the pages that its driver gives it.
 *
 *	command \ state   OFF      ENABLED  RUNNING
 *	ENABLE_HCA        ENABLED
 *	INIT_HCA                   RUNNING
 *	TEARDOWN_HCA                        ENABLED
 *	DISABLE_HCA                OFF
 *	...               a row: in these states; no row: RUNNING only
 *
 * A command in another state is BAD_SYS_STATE. Those that move come from the owner only
 * (command.def: OWNER). A function without one executes all others.
 */
#include <stdlib.h>

#include "fw/command.h"

#define IN(state) (1u << HCA_##state)

/* Our choice: how many pages the function wants before it boots, and before it is
 * initialised. It wants no more while it runs, so there are no PAGE_REQUEST events. */
#define BOOT_PAGES 16
#define INIT_PAGES 48

static const struct row {
	uint16_t opcode;
	uint8_t in; /* states */
	enum hca_life next;
	bool moves; /* to next */
} rows[] = {
	{ PRM_OP_ENABLE_HCA, IN(OFF), HCA_ENABLED, true },
	{ PRM_OP_DISABLE_HCA, IN(ENABLED), HCA_OFF, true },
	{ PRM_OP_INIT_HCA, IN(ENABLED), HCA_RUNNING, true },
	{ PRM_OP_TEARDOWN_HCA, IN(RUNNING), HCA_ENABLED, true },
	{ PRM_OP_SET_HCA_CAP, IN(ENABLED), 0, false },
	{ PRM_OP_QUERY_ISSI, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_SET_ISSI, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_QUERY_PAGES, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_MANAGE_PAGES, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_QUERY_HCA_CAP, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_QUERY_ADAPTER, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_ACCESS_REG, IN(ENABLED) | IN(RUNNING), 0, false },
	{ PRM_OP_NOP, IN(ENABLED) | IN(RUNNING), 0, false },
};

static const struct row *row_of(uint16_t opcode)
{
	static const struct row any = { .in = IN(RUNNING) };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return &any;
}

bool fw_life_has(const struct hca *hca, uint16_t opcode)
{
	return hca->life == HCA_UNOWNED || row_of(opcode)->in >> hca->life & 1;
}

void fw_life_moves(struct hca *hca, uint16_t opcode)
{
	const struct row *row = row_of(opcode);

	if (row->moves)
		hca->life = row->next;
}

/* The objects end; the numbers begin again. */
static void end_objects(struct hca *hca)
{
	hca_objects_fini(hca);
	hca_objects_init(hca);
	memset(hca->roots, 0, sizeof(hca->roots));
	memset(hca->rates, 0, sizeof(hca->rates));
	for (uint32_t i = 0; i < HCA_GIDS; i++)
		hca->port.gid[i] = (struct hca_gid){ 0 };
}

void fw_reset(struct hca *hca)
{
	end_objects(hca);
	free(hca->given.pages);
	hca->given = (struct hca_given){ 0 };
	hca->issi = 0;
	hca_loopback_need(hca, 0, -hca->vport.loops);
	hca->vport = (struct hca_vport){ .roce_off = true };
	hca->port.promisc = false;
	hca_port_publish(hca);
	hca->life = HCA_OFF;
}

/* A function manages itself only. */
static bool is_own(uint32_t function_id, uint32_t embedded)
{
	return !function_id && !embedded;
}

enum fw_status fw_enable_hca(struct fw_cmd *c)
{
	if (!is_own(PRM_GET(enable_hca_in, c->in, function_id),
		    PRM_GET(enable_hca_in, c->in, embedded_cpu_function)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	return FW_OK;
}

enum fw_status fw_disable_hca(struct fw_cmd *c)
{
	if (!is_own(PRM_GET(disable_hca_in, c->in, function_id),
		    PRM_GET(disable_hca_in, c->in, embedded_cpu_function)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	return FW_OK;
}

/* The names of software (sw_owner_id, sw_vhca_id) are for devices that are bonded: kept by the
 * driver itself. Our choice: without the pages of both stages, INIT_HCA is BAD_SYS_STATE. */
enum fw_status fw_init_hca(struct fw_cmd *c)
{
	if (c->hca->given.n < BOOT_PAGES + INIT_PAGES)
		return fw_refuse(c, FW_BAD_SYS_STATE, FW_WHY_STATE);
	return FW_OK;
}

/* Our choice: profile GRACEFUL_CLOSE ends the objects that the driver has left. The other
 * profiles need capabilities that no device here has. */
enum fw_status fw_teardown_hca(struct fw_cmd *c)
{
	if (PRM_GET(teardown_hca_in, c->in, profile) !=
	    PRM_TEARDOWN_HCA_IN_PROFILE_GRACEFUL_CLOSE)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	end_objects(c->hca);
	return FW_OK;
}

/* ---- pages ---- */

enum fw_status fw_query_pages(struct fw_cmd *c)
{
	uint32_t wanted, given = c->hca->given.n;

	if (!is_own(PRM_GET(query_pages_in, c->in, function_id),
		    PRM_GET(query_pages_in, c->in, embedded_cpu_function)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	switch (PRM_GET(query_pages_in, c->in, op_mod)) {
	case PRM_QUERY_PAGES_IN_OP_MOD_BOOT_PAGES:
		wanted = BOOT_PAGES;
		break;
	case PRM_QUERY_PAGES_IN_OP_MOD_INIT_PAGES:
	case PRM_QUERY_PAGES_IN_OP_MOD_REGULAR_PAGES:
		wanted = BOOT_PAGES + INIT_PAGES;
		break;
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	}
	PRM_SET(query_pages_out, c->out, num_pages, wanted > given ? wanted - given : 0);
	return FW_OK;
}

static bool has_page(const struct hca_given *g, uint64_t page)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->pages[i] == page)
			return true;
	return false;
}

/* No more than are wanted; none twice. */
static enum fw_status give(struct fw_cmd *c, uint32_t n)
{
	struct hca_given *g = &c->hca->given;
	enum fw_status status;
	uint64_t *pas, *all;

	if (n > BOOT_PAGES + INIT_PAGES - g->n)
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	pas = fw_pas(c, PRM_OFF(manage_pages_in, pas) / 8, n, HCA_PAGE_SHIFT, &status);
	if (!pas)
		return status;
	all = realloc(g->pages, (g->n + n + 1) * sizeof(*all));
	if (!all) {
		free(pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	g->pages = all;
	for (uint32_t i = 0, had = g->n; i < n; i++) {
		if (has_page(g, pas[i])) {
			g->n = had;
			free(pas);
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAS);
		}
		g->pages[g->n++] = pas[i];
	}
	free(pas);
	return FW_OK;
}

/* As many as fit into the outbox. The pages that a running function needs stay. */
static enum fw_status take_back(struct fw_cmd *c, uint32_t n)
{
	struct hca_given *g = &c->hca->given;
	size_t list = PRM_OFF(manage_pages_out, pas) / 8, room = (c->out_len - list) / 8;

	if (c->hca->life == HCA_RUNNING)
		n = 0;
	if (n > room)
		n = (uint32_t)room;
	if (n > g->n)
		n = g->n;
	for (uint32_t i = 0; i < n; i++)
		core_put_be64(c->out + list + i * 8, g->pages[--g->n]);
	PRM_SET(manage_pages_out, c->out, output_num_entries, n);
	return FW_OK;
}

enum fw_status fw_manage_pages(struct fw_cmd *c)
{
	uint32_t n = PRM_GET(manage_pages_in, c->in, input_num_entries);

	if (!is_own(PRM_GET(manage_pages_in, c->in, function_id),
		    PRM_GET(manage_pages_in, c->in, embedded_cpu_function)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	switch (PRM_GET(manage_pages_in, c->in, op_mod)) {
	case PRM_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_FAIL:
		return FW_OK;
	case PRM_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS:
		return give(c, n);
	case PRM_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES:
		return take_back(c, n);
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	}
}
