/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UCX atomics, from a worker to itself: what they return and what they leave in memory.
 *
 *	ucx_atomics 8 fadd cswap	operations on words of 8 bytes, over UCX_TLS
 *
 * Exit status 1: a value is wrong, UCX complains or does not do the operation on the device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

static const struct operation {
	const char *name;
	ucp_atomic_op_t op;
	/* The word before, the operand (of cswap what is put there if it is @BEFORE), the word
	 * after. */
	uint64_t operand, after;
} operations[] = {
#define BEFORE 0x1122334455667788
	{ "fadd", UCP_ATOMIC_OP_ADD, 0x0102030405060708, 0x122436485a6c7e90 },
	{ "swap", UCP_ATOMIC_OP_SWAP, 0xabcdef0123456789, 0xabcdef0123456789 },
	{ "cswap", UCP_ATOMIC_OP_CSWAP, 0xabcdef0123456789, 0xabcdef0123456789 },
	{ "fand", UCP_ATOMIC_OP_AND, 0xff00ff00f0f00f0f, 0x1100330050600708 },
	{ "for", UCP_ATOMIC_OP_OR, 0x00ff00ff0f0ff0f0, 0x11ff33ff5f6ff7f8 },
	{ "fxor", UCP_ATOMIC_OP_XOR, 0xffffffffffffffff, 0xeeddccbbaa998877 },
};

struct rig {
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h ep;
	ucp_mem_h mem;
	ucp_rkey_h rkey;
	uint64_t *word; /* changed by the atomics */
};

static void ok(ucs_status_t status, const char *what)
{
	if (status == UCS_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, ucs_status_string(status));
	exit(1);
}

/* Until @request, of a call named @what, has ended. */
static void done(struct rig *r, ucs_status_ptr_t request, const char *what)
{
	ucs_status_t status;

	if (!UCS_PTR_IS_PTR(request)) {
		ok(UCS_PTR_STATUS(request), what);
		return;
	}
	while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS)
		ucp_worker_progress(r->worker);
	ucp_request_free(request);
	ok(status, what);
}

static void connect_to_itself(struct rig *r)
{
	ucp_ep_params_t params = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS };
	ucp_address_t *address;
	size_t len;

	ok(ucp_worker_get_address(r->worker, &address, &len), "ucp_worker_get_address");
	params.address = address;
	ok(ucp_ep_create(r->worker, &params, &r->ep), "ucp_ep_create");
	ucp_worker_release_address(r->worker, address);
}

static void map_word(struct rig *r)
{
	ucp_mem_map_params_t params = { .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
						      UCP_MEM_MAP_PARAM_FIELD_LENGTH,
					.length = 4096 };
	void *packed;
	size_t len;

	r->word = aligned_alloc(4096, 4096);
	params.address = r->word;
	ok(ucp_mem_map(r->context, &params, &r->mem), "ucp_mem_map");
	ok(ucp_rkey_pack(r->context, r->mem, &packed, &len), "ucp_rkey_pack");
	ok(ucp_ep_rkey_unpack(r->ep, packed, &r->rkey), "ucp_ep_rkey_unpack");
	ucp_rkey_buffer_release(packed);
}

static void open_rig(struct rig *r, size_t size)
{
	ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES,
				.features = size == 8 ? UCP_FEATURE_AMO64 : UCP_FEATURE_AMO32 };
	ucp_worker_params_t worker = { .field_mask = 0 };
	ucp_config_t *config;

	ok(ucp_config_read(NULL, NULL, &config), "ucp_config_read");
	ok(ucp_init(&params, config, &r->context), "ucp_init");
	ucp_config_release(config);
	ok(ucp_worker_create(r->context, &worker, &r->worker), "ucp_worker_create");
	connect_to_itself(r);
	map_word(r);
}

static void close_rig(struct rig *r)
{
	ucp_rkey_destroy(r->rkey);
	done(r, ucp_ep_close_nb(r->ep, UCP_EP_CLOSE_MODE_FLUSH), "ucp_ep_close_nb");
	ucp_mem_unmap(r->context, r->mem);
	ucp_worker_destroy(r->worker);
	ucp_cleanup(r->context);
	free(r->word);
}

/* The word's value in @size bytes of memory, in the order of the machine. */
static uint64_t load(const uint64_t *at, size_t size)
{
	uint32_t half;

	memcpy(&half, at, sizeof(half));
	return size == 8 ? *at : half;
}

static void store(uint64_t *at, size_t size, uint64_t value)
{
	uint32_t half = (uint32_t)value;

	memcpy(at, size == 8 ? (void *)&value : (void *)&half, size);
}

static int expect(const struct operation *o, size_t size, const char *what, uint64_t got,
		  uint64_t want)
{
	want = size == 8 ? want : (uint32_t)want;
	if (got == want)
		return 0;
	fprintf(stderr, "%s of %zu bytes: %s 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", o->name,
		size, what, got, want);
	return 1;
}

/* How many values were wrong. */
static int try(struct rig *r, const struct operation *o, size_t size)
{
	ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE |
						      UCP_OP_ATTR_FIELD_REPLY_BUFFER,
				      .datatype = ucp_dt_make_contig(size) };
	uint64_t operand = 0, reply = 0;

	store(r->word, size, BEFORE);
	store(&operand, size, o->operand);
	if (o->op == UCP_ATOMIC_OP_CSWAP) { /* the reply's buffer has what is to be put there */
		store(&reply, size, o->operand);
		store(&operand, size, BEFORE);
	}
	param.reply_buffer = &reply;
	done(r,
	     ucp_atomic_op_nbx(r->ep, o->op, &operand, 1, (uintptr_t)r->word, r->rkey, &param),
	     o->name);
	return expect(o, size, "returned", load(&reply, size), BEFORE) +
	       expect(o, size, "left", load(r->word, size), o->after);
}

static const struct operation *find(const char *name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	fprintf(stderr, "no operation %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	struct rig r;
	int bad = 0;

	if (argc < 3 || (size != 4 && size != 8)) {
		fprintf(stderr, "usage: ucx_atomics 4|8 OPERATION...\n");
		return 2;
	}
	/* Not by active messages, which the processor of the target carries out. */
	setenv("UCX_ATOMIC_MODE", "device", 1);
	open_rig(&r, size);
	for (int i = 2; i < argc; i++)
		bad += try(&r, find(argv[i]), size);
	close_rig(&r);
	printf("%d of %d operations of %zu bytes\n", argc - 2 - bad, argc - 2, size);
	return bad > 0;
}
