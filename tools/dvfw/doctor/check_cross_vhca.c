/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw check cross-vhca: can this function and another one copy each other's memory, and if
 * not, why?
 *
 *	ok    mlx5_0 can copy from and to memory of host.json
 *	fail  host.json cannot copy from and to memory of mlx5_0
 *	                    importer, host.json: no DMA by work requests …
 *
 * The side that copies imports the memory, the other one exports it; a copy has either
 * direction. The other function is that of a dump, or each other mlx5 device here. The findings
 * are those of devx/cross_vhca.h; nothing is created on a device.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "base/base.h"
#include "caps/caps.h"

struct request {
	struct dvfw *dvfw;
	const char *importer; /* "here", "peer"; NULL: either */
	uint8_t port;
	struct cross_vhca_function here;
	struct json_object *json; /* the answer so far */
	bool pair;		  /* one can copy from and to memory of the other */
	bool alone;		  /* this function could be one of two */
};

static const char what[] = "cross-vhca";

/* ---- findings ---- */

static bool is_note(const struct devx_cross_vhca_finding *f)
{
	return f->reason >= DEVX_CROSS_VHCA_NOTES;
}

/* Is the finding about @side alone, not about both sides? */
static bool is_about(const struct devx_cross_vhca_finding *f, enum devx_cross_vhca_side side)
{
	return side == DEVX_BOTH_SIDES || f->side == side;
}

static bool nothing_against(const struct devx_cross_vhca *a, enum devx_cross_vhca_side side)
{
	for (unsigned int i = 0; i < a->n; i++)
		if (is_about(&a->finding[i], side) && !is_note(&a->finding[i]))
			return false;
	return true;
}

static struct json_object *findings_json(const struct devx_cross_vhca *a,
					 enum devx_cross_vhca_side side)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < a->n; i++) {
		const struct devx_cross_vhca_finding *f = &a->finding[i];
		struct json_object *j;

		if (!is_about(f, side))
			continue;
		j = json_object_new_object();
		json_set(j, "reason", devx_cross_vhca_reason_str(f->reason));
		json_set(j, "side", devx_cross_vhca_side_str(f->side));
		json_set(j, "level", is_note(f) ? "note" : "fail");
		json_set(j, "text", f->text);
		json_object_array_add(list, j);
	}
	return list;
}

/* ---- text ---- */

static void print_verdict(const struct request *r, bool good, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void print_verdict(const struct request *r, bool good, const char *fmt, ...)
{
	const struct dvfw *d = r->dvfw;
	va_list ap;

	printf("%s%-4s%s  ", dvfw_paint(d, good ? DVFW_GOOD : DVFW_BAD), good ? "ok" : "fail",
	       dvfw_paint(d, DVFW_PLAIN));
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* @exporter, @importer: how the two sides are called. */
static void print_findings(const struct request *r, const struct devx_cross_vhca *a,
			   enum devx_cross_vhca_side side, const char *exporter,
			   const char *importer)
{
	for (unsigned int i = 0; i < a->n; i++) {
		const struct devx_cross_vhca_finding *f = &a->finding[i];
		const char *who = f->side == DEVX_EXPORTER   ? exporter
				  : f->side == DEVX_IMPORTER ? importer
							     : NULL;

		if (!is_about(f, side))
			continue;
		printf("        %s%s", dvfw_paint(r->dvfw, is_note(f) ? DVFW_WARN : DVFW_BAD),
		       is_note(f) ? "note: " : "");
		printf("%s%s%s", devx_cross_vhca_side_str(f->side), who ? " " : "",
		       who ? who : "");
		printf(":%s %s\n", dvfw_paint(r->dvfw, DVFW_PLAIN), f->text);
	}
}

static void print_function(const struct cross_vhca_function *f)
{
	const struct devx_vhca_caps *c = &f->caps;

	printf("      %s: VHCA %u of adapter 0x%016llx, device 0x%x, firmware %s\n", f->name,
	       c->vhca_id, (unsigned long long)c->sys_image_guid, c->vendor_part_id, c->fw_ver);
	if (f->is_old)
		printf("      %s: an older dvfw wrote it, without sys_image_guid and ports; write "
		       "it again by 'dvfw caps --json'\n",
		       f->name);
}

/* ---- a pair ---- */

static bool check_direction(struct request *r, const struct cross_vhca_function *exporter,
			    const struct cross_vhca_function *importer,
			    struct json_object *directions)
{
	struct devx_cross_vhca a;
	bool good = !devx_cross_vhca_check(&a, &exporter->caps, &importer->caps);
	struct json_object *j = json_object_new_object();

	json_set(j, "importer", importer == &r->here ? "here" : "peer");
	json_set(j, "possible", good);
	json_set(j, "findings", findings_json(&a, DEVX_BOTH_SIDES));
	json_object_array_add(directions, j);
	if (!r->dvfw->json) {
		print_verdict(r, good, "%s %s copy from and to memory of %s", importer->name,
			      good ? "can" : "cannot", exporter->name);
		print_findings(r, &a, DEVX_BOTH_SIDES, exporter->name, importer->name);
	}
	return good;
}

static void check_pair(struct request *r, const struct cross_vhca_function *peer)
{
	struct json_object *directions = json_object_new_array(), *j = cross_vhca_json(peer);

	json_set(j, "directions", directions);
	json_object_array_add(json_get(r->json, "peers"), j);
	if (!r->dvfw->json)
		print_function(peer);
	if (!r->importer || !strcmp(r->importer, "here"))
		r->pair |= check_direction(r, peer, &r->here, directions);
	if (!r->importer || !strcmp(r->importer, "peer"))
		r->pair |= check_direction(r, &r->here, peer, directions);
}

/* ---- this function alone ---- */

static void check_role(struct request *r, const struct devx_cross_vhca *a,
		       enum devx_cross_vhca_side side)
{
	bool good = nothing_against(a, side), exports = side == DEVX_EXPORTER;
	struct json_object *j = json_object_new_object();

	r->alone |= good;
	json_set(j, "possible", good);
	json_set(j, "findings", findings_json(a, side));
	json_set(r->json, exports ? "exports" : "imports", j);
	if (r->dvfw->json)
		return;
	print_verdict(r, good, "%s %s %s", r->here.name, good ? "can" : "cannot",
		      exports ? "export memory, for another function to copy from and to"
			      : "import memory of another function, and copy from and to it");
	print_findings(r, a, side, r->here.name, r->here.name);
}

static void print_needs(const struct request *r)
{
	printf("      the other function has to be of adapter 0x%016llx, not VHCA %u, with DevX, "
	       "and\n"
	       "        to export: log_max_umem, allowed_object_for_other_vhca_access 0x4\n"
	       "        to import: cross_vhca_object_to_object_supported 0x100, dma_mmo_qp or "
	       "dma_mmo_sq, an active port with a GID\n"
	       "      there: dvfw caps --json >peer.json; here: dvfw check %s peer.json\n",
	       (unsigned long long)r->here.caps.sys_image_guid, r->here.caps.vhca_id, what);
}

static void check_alone(struct request *r)
{
	struct devx_cross_vhca a;

	devx_cross_vhca_check(&a, &r->here.caps, &r->here.caps);
	if (!r->importer || !strcmp(r->importer, "peer"))
		check_role(r, &a, DEVX_EXPORTER);
	if (!r->importer || !strcmp(r->importer, "here"))
		check_role(r, &a, DEVX_IMPORTER);
	if (!r->dvfw->json)
		print_needs(r);
}

/* ---- devices ---- */

static int query(struct request *r, struct ibv_context *ctx, struct cross_vhca_function *f)
{
	int err;

	*f = (struct cross_vhca_function){ 0 };
	snprintf(f->name, sizeof(f->name), "%s", ibv_get_device_name(ctx->device));
	err = devx_vhca_caps_query(&f->caps, ctx, r->port);
	return err ? dvfw_devx_refused(r->dvfw, err) : DVFW_OK;
}

/* Every other mlx5 device of this machine; one that does not open is named. */
static int check_others(struct request *r)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct cross_vhca_function peer;
	struct ibv_context *ctx;
	int status = DVFW_OK;

	for (int i = 0; list && list[i] && !status; i++) {
		const char *name = ibv_get_device_name(list[i]);

		if (!mlx5dv_is_supported(list[i]) || !strcmp(name, r->here.name))
			continue;
		if (devx_open(&ctx, name)) {
			dvfw_refused(r->dvfw,
				     "%s does not open for DevX, and is left out; try "
				     "'dvfw doctor -d %s'",
				     name, name);
			continue;
		}
		status = query(r, ctx, &peer);
		if (!status)
			check_pair(r, &peer);
		ibv_close_device(ctx);
	}
	if (list)
		ibv_free_device_list(list);
	return status;
}

static int check_all(struct request *r, const char *file)
{
	struct cross_vhca_function peer;
	int status = DVFW_OK;

	if (file)
		status = cross_vhca_load(r->dvfw, file, r->port, &peer);
	if (!status)
		status = dvfw_open(r->dvfw);
	if (!status)
		status = query(r, r->dvfw->ctx, &r->here);
	if (status)
		return status;
	r->json = json_object_new_object();
	json_set(r->json, "here", cross_vhca_json(&r->here));
	json_set(r->json, "peers", json_object_new_array());
	if (!r->dvfw->json)
		print_function(&r->here);
	if (file) {
		check_pair(r, &peer);
		return DVFW_OK;
	}
	check_alone(r);
	return check_others(r);
}

/* ---- the command line ---- */

static void read_importer(struct argp_state *state, const char *value, void *member)
{
	if (strcmp(value, "here") != 0 && strcmp(value, "peer") != 0)
		argp_error(state, "--importer is here or peer, not '%s'", value);
	*(const char **)member = value;
}

static void read_port(struct argp_state *state, const char *value, void *member)
{
	char *end;
	unsigned long port = strtoul(value, &end, 10);

	if (!*value || *end || !port || port > 255)
		argp_error(state, "a port is a number from 1 to 255, not '%s'", value);
	*(uint8_t *)member = (uint8_t)port;
}

static const struct option_row options[] = {
	{ "importer", 'i', "SIDE", "Only: here or peer imports memory, and copies",
	  offsetof(struct request, importer), read_importer },
	{ "port", 'p', "PORT", "The port of both functions (default 1)",
	  offsetof(struct request, port), read_port },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "cross-vhca [PEER.json]",
	.doc = "Says whether two functions of an adapter, as host and DPU of a BlueField, can "
	       "copy each other's memory, and if not, why. PEER.json is a dump of 'dvfw caps "
	       "--json' from the other one; without it: what this function can do by itself, and "
	       "together with each other mlx5 device here. Exit status 0: possible, 1: not.",
	.missing = "what is to be checked? cross-vhca",
	.surplus = "one peer at a time",
	.max = 2,
};

static void conclude(const struct request *r)
{
	const struct dvfw *d = r->dvfw;

	json_set(r->json, "possible", (bool)(r->pair || r->alone));
	if (d->json) {
		dvfw_print_json(json_object_get(r->json));
		return;
	}
	printf("%scross-VHCA DMA is %s%s\n",
	       dvfw_paint(d, r->pair || r->alone ? DVFW_GOOD : DVFW_BAD),
	       r->pair	  ? "possible"
	       : r->alone ? "possible if the other function can do its part"
			  : "not possible",
	       dvfw_paint(d, DVFW_PLAIN));
}

int check_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d, .port = 1 };
	char *word[2] = { NULL };
	int n = arguments_parse(&syntax, d, argc, argv, &r, word), status;

	if (strcmp(word[0], what) != 0)
		return dvfw_usage(d, "there is no check '%s': %s", word[0], what);
	status = check_all(&r, n > 1 ? word[1] : NULL);
	if (!status)
		conclude(&r);
	json_object_put(r.json);
	return status ? status : r.pair || r.alone ? DVFW_OK : DVFW_REFUSED;
}
