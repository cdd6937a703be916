/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC domains (ib_uverbs, uverbs_cmd.c, ib_uverbs_open_xrcd; mlx5_ib, qp.c,
 * mlx5_ib_alloc_xrcd).
 *
 *	handle --.
 *	handle ----> domain (xrcdn, inode) <- SRQs, XRC targets
 *
 * A program that opens a domain with a file shares it with everybody who opened it with the
 * same file; one without a file is private. The firmware object belongs to the driver (uid 0):
 * several user contexts may use it.
 */
/* The kernel differs: a file shares a domain among processes, too; here among the contexts of
 * one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uverbs/method.h"

#define NO_FILE UINT32_MAX

static struct uverbs_domain *find(const struct uverbs *u, const struct stat *st)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->domains) {
		struct uverbs_domain *dom =
			core_container(pos, struct uverbs_domain, on_driver);

		if (dom->fd >= 0 && dom->dev == st->st_dev && dom->ino == st->st_ino)
			return dom;
	}
	return NULL;
}

static int domain_new(struct uverbs *u, struct uverbs_domain **out)
{
	struct uverbs_domain *dom = calloc(1, sizeof(*dom));
	int ret;

	if (!dom)
		return -ENOMEM;
	dom->fd = -1;
	ret = uverbs_fw_alloc(u, PRM_OP_ALLOC_XRCD, 0, &dom->xrcdn);
	if (ret) {
		free(dom);
		return ret;
	}
	core_list_add(&u->domains, &dom->on_driver);
	*out = dom;
	return 0;
}

static int domain_put(struct uverbs *u, struct uverbs_domain *dom)
{
	int ret;

	if (dom->users > 1) {
		dom->users--;
		return 0;
	}
	ret = uverbs_fw_number(u, PRM_OP_DEALLOC_XRCD, 0, dom->xrcdn);
	if (ret)
		return ret;
	core_own_close(dom->fd);
	core_list_del(&dom->on_driver);
	free(dom);
	return 0;
}

/* The file stays open as long as the domain exists, so that its inode is not reused. */
static int domain_of_file(struct uverbs *u, int fd, uint32_t oflags, struct uverbs_domain **out)
{
	struct uverbs_domain *dom;
	struct stat st;
	int ret, own;

	if (fstat(fd, &st))
		return -EBADF;
	dom = find(u, &st);
	if (!dom && !(oflags & O_CREAT))
		return -EAGAIN;
	if (dom && oflags & O_EXCL)
		return -EINVAL;
	*out = dom;
	if (dom)
		return 0;
	own = core_own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	if (own < 0)
		return -errno;
	ret = domain_new(u, out);
	if (ret) {
		core_own_close(own);
		return ret;
	}
	(*out)->fd = own;
	(*out)->dev = st.st_dev;
	(*out)->ino = st.st_ino;
	return 0;
}

int uverbs_open_xrcd(struct uverbs_call *c)
{
	struct ib_uverbs_open_xrcd_resp resp;
	struct ib_uverbs_open_xrcd cmd;
	struct uverbs_xrcd *x;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (!UVERBS_CAP(c->u, xrc))
		return -EOPNOTSUPP;
	x = uverbs_object_new(c, UVERBS_XRCD);
	if (!x)
		return c->error;
	ret = cmd.fd == NO_FILE ? domain_new(c->u, &x->domain)
				: domain_of_file(c->u, (int)cmd.fd, cmd.oflags, &x->domain);
	if (ret)
		return ret;
	x->domain->users++;
	resp.xrcd_handle = x->obj.handle;
	uverbs_response(c, &resp);
	return 0;
}

int uverbs_xrcd_destroy(struct uverbs *u, void *obj)
{
	return domain_put(u, ((struct uverbs_xrcd *)obj)->domain);
}
