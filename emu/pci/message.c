/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of vfio-user, as their server receives them.
 *
 *	| id | command | size | flags | error |  payload; file descriptors beside it
 *
 * A reply has the id and the command of its request. One with an errno value in error has no
 * payload. The payloads are those of <linux/vfio.h>.
 */
#include <errno.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pci/inside.h"

enum command_id {
	VERSION = 1,
	DMA_MAP = 2,
	DMA_UNMAP = 3,
	DEVICE_GET_INFO = 4,
	DEVICE_GET_REGION_INFO = 5,
	DEVICE_GET_IRQ_INFO = 7,
	DEVICE_SET_IRQS = 8,
	REGION_READ = 9,
	REGION_WRITE = 10,
	DEVICE_RESET = 13,
};

struct header {
	uint16_t id, command;
	uint32_t size, flags, error;
};

#define IS_REPLY  1u
#define TYPE_MASK 0xfu
#define NO_REPLY  0x10u
#define IS_ERROR  0x20u

#define MAJOR	 0
#define MINOR	 1
#define FDS	 16u	    /* with a message, at most; QEMU accepts no more */
#define TRANSFER (1u << 16) /* bytes of a read or write, at most */
#define LONGEST	 (TRANSFER + 4096u)

/* A request, and its reply. */
struct message {
	struct header head;
	_Alignas(8) uint8_t in[LONGEST];
	_Alignas(8) uint8_t out[LONGEST];
	uint32_t in_len, out_len;
	int fd[FDS];
	unsigned int nfds;
};

struct version {
	uint16_t major, minor;
	char text[];
};

struct dma_map {
	uint32_t argsz, flags;
	uint64_t offset, addr, size;
};

struct dma_unmap {
	uint32_t argsz, flags;
	uint64_t addr, size;
};

#define UNMAP_ALL 2u

struct region_access {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[];
};

/* ---- handlers: 0 or a positive errno value. The reply's payload is in m->out ---- */

typedef int handler(struct pci *p, struct message *m);

static int version(struct pci *p, struct message *m)
{
	const struct version *asked = (const void *)m->in;
	struct version *own = (void *)m->out;

	(void)p;
	if (asked->major != MAJOR)
		return ENOTSUP;
	own->major = MAJOR;
	own->minor = asked->minor < MINOR ? asked->minor : MINOR;
	m->out_len = (uint32_t)sizeof(*own) + 1 +
		     (uint32_t)sprintf(own->text,
				       "{\"capabilities\":{\"max_msg_fds\":%u,"
				       "\"max_data_xfer_size\":%u}}",
				       FDS, TRANSFER);
	return 0;
}

static int dma_map(struct pci *p, struct message *m)
{
	const struct dma_map *map = (const void *)m->in;
	int prot = (map->flags & VFIO_DMA_MAP_FLAG_READ ? PROT_READ : 0) |
		   (map->flags & VFIO_DMA_MAP_FLAG_WRITE ? PROT_WRITE : 0);

	return pci_dma_map(p, map->addr, map->size, prot, m->nfds ? m->fd[0] : -1, map->offset);
}

static int dma_unmap(struct pci *p, struct message *m)
{
	const struct dma_unmap *unmap = (const void *)m->in;

	if (unmap->flags & ~UNMAP_ALL) /* of pages that were written there is no record */
		return ENOTSUP;
	if (unmap->flags & UNMAP_ALL)
		pci_dma_unmap_all(p);
	else
		pci_dma_unmap(p, unmap->addr, unmap->size);
	m->out_len = sizeof(*unmap);
	memcpy(m->out, m->in, sizeof(*unmap));
	return 0;
}

static int device_info(struct pci *p, struct message *m)
{
	struct vfio_device_info *info = (void *)m->out;

	(void)p;
	m->out_len = 16; /* without cap_offset */
	info->argsz = m->out_len;
	info->flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	info->num_regions = VFIO_PCI_NUM_REGIONS;
	info->num_irqs = VFIO_PCI_NUM_IRQS;
	return 0;
}

static uint64_t region_bytes(uint32_t region)
{
	switch (region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return PCI_BAR_BYTES;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return PCI_CONFIG_BYTES;
	default:
		return 0;
	}
}

static int region_info(struct pci *p, struct message *m)
{
	struct vfio_region_info *info = (void *)m->out;

	(void)p;
	memcpy(info, m->in, sizeof(*info));
	if (info->index >= VFIO_PCI_NUM_REGIONS)
		return EINVAL;
	m->out_len = sizeof(*info);
	info->argsz = sizeof(*info);
	info->size = region_bytes(info->index);
	info->flags = info->size ? VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE : 0;
	info->cap_offset = 0;
	info->offset = 0;
	return 0;
}

static int irq_info(struct pci *p, struct message *m)
{
	struct vfio_irq_info *info = (void *)m->out;

	(void)p;
	memcpy(info, m->in, sizeof(*info));
	if (info->index >= VFIO_PCI_NUM_IRQS)
		return EINVAL;
	m->out_len = sizeof(*info);
	info->argsz = sizeof(*info);
	info->flags = 0;
	info->count = 0;
	if (info->index == VFIO_PCI_MSIX_IRQ_INDEX) {
		info->flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
		info->count = PCI_VECTORS;
	} else if (info->index == VFIO_PCI_ERR_IRQ_INDEX) {
		info->flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
		info->count = 1; /* of errors of the bus, which there are not */
	}
	return 0;
}

/* A descriptor that is used belongs to the function. */
static int take_fd(struct message *m, unsigned int i)
{
	int fd = m->fd[i];

	m->fd[i] = -1;
	return fd;
}

static int set_irqs(struct pci *p, struct message *m)
{
	const struct vfio_irq_set *set = (const void *)m->in;
	uint32_t data = set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK;

	if (set->index == VFIO_PCI_ERR_IRQ_INDEX)
		return set->start <= 1 && set->count <= 1 - set->start ? 0 : EINVAL;
	if (set->index != VFIO_PCI_MSIX_IRQ_INDEX)
		return set->index < VFIO_PCI_NUM_IRQS && !set->count ? 0 : EINVAL;
	if ((set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER ||
	    set->start > PCI_VECTORS || set->count > PCI_VECTORS - set->start)
		return EINVAL;
	if (data == VFIO_IRQ_SET_DATA_NONE && !set->count) {
		pci_irq_end(p);
		return 0;
	}
	if (data == VFIO_IRQ_SET_DATA_NONE) {
		for (uint32_t i = 0; i < set->count; i++)
			pci_irq_trigger(p, set->start + i);
		return 0;
	}
	if (data != VFIO_IRQ_SET_DATA_EVENTFD)
		return EINVAL;
	/* Without a descriptor the vectors have none any more. */
	if (m->nfds && m->nfds != set->count)
		return EINVAL;
	for (uint32_t i = 0; i < set->count; i++)
		pci_irq_set(p, set->start + i, m->nfds ? take_fd(m, i) : -1);
	return 0;
}

static bool is_within(const struct region_access *a)
{
	uint64_t bytes = region_bytes(a->region);

	return a->count && a->count <= TRANSFER && a->count <= bytes &&
	       a->offset <= bytes - a->count;
}

static int region_read(struct pci *p, struct message *m)
{
	const struct region_access *a = (const void *)m->in;
	struct region_access *answer = (void *)m->out;

	if (!is_within(a))
		return EINVAL;
	memcpy(answer, a, sizeof(*a));
	m->out_len = (uint32_t)sizeof(*a) + a->count;
	if (a->region == VFIO_PCI_CONFIG_REGION_INDEX)
		pci_config_read(p, (uint32_t)a->offset, answer->data, a->count);
	else
		pci_bar_read(p, a->offset, answer->data, a->count);
	return 0;
}

static int region_write(struct pci *p, struct message *m)
{
	const struct region_access *a = (const void *)m->in;

	if (!is_within(a) || m->in_len - sizeof(*a) < a->count)
		return EINVAL;
	memcpy(m->out, a, sizeof(*a));
	m->out_len = sizeof(*a);
	if (a->region != VFIO_PCI_CONFIG_REGION_INDEX)
		pci_bar_write(p, a->offset, a->data, a->count);
	else if (pci_config_write(p, (uint32_t)a->offset, a->data, a->count))
		pci_reset(p);
	return 0;
}

static int device_reset(struct pci *p, struct message *m)
{
	(void)m;
	pci_reset(p);
	return 0;
}

static const struct {
	handler *run;
	uint32_t least; /* bytes of the payload */
} handlers[] = {
	[VERSION] = { version, sizeof(struct version) },
	[DMA_MAP] = { dma_map, sizeof(struct dma_map) },
	[DMA_UNMAP] = { dma_unmap, sizeof(struct dma_unmap) },
	[DEVICE_GET_INFO] = { device_info, 16 },
	[DEVICE_GET_REGION_INFO] = { region_info, sizeof(struct vfio_region_info) },
	[DEVICE_GET_IRQ_INFO] = { irq_info, sizeof(struct vfio_irq_info) },
	[DEVICE_SET_IRQS] = { set_irqs, sizeof(struct vfio_irq_set) },
	[REGION_READ] = { region_read, sizeof(struct region_access) },
	[REGION_WRITE] = { region_write, sizeof(struct region_access) },
	[DEVICE_RESET] = { device_reset, 0 },
};

/* ---- the socket ---- */

static bool receive_all(int fd, void *to, size_t len)
{
	while (len) {
		ssize_t n = recv(fd, to, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to = (char *)to + n;
		len -= (size_t)n;
	}
	return true;
}

static void take_fds(struct message *m, struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (m->nfds < FDS)
				m->fd[m->nfds++] = fd;
			else
				close(fd);
		}
	}
}

/* The header with the descriptors, then the payload. */
static bool receive(int fd, struct message *m)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(FDS * sizeof(int))];
	struct iovec iov = { &m->head, sizeof(m->head) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	take_fds(m, &msg);
	if (!receive_all(fd, (char *)&m->head + n, sizeof(m->head) - (size_t)n))
		return false;
	if (m->head.size < sizeof(m->head) || m->head.size - sizeof(m->head) > sizeof(m->in) ||
	    (m->head.flags & TYPE_MASK) == IS_REPLY)
		return false;
	m->in_len = m->head.size - (uint32_t)sizeof(m->head);
	return receive_all(fd, m->in, m->in_len);
}

static bool reply(int fd, struct message *m, int error)
{
	struct header head = m->head;
	struct iovec iov[] = { { &head, sizeof(head) }, { m->out, m->out_len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = ARRAY_SIZE(iov) };
	size_t left;

	if (m->head.flags & NO_REPLY)
		return true;
	if (error)
		iov[1].iov_len = 0;
	head.flags = IS_REPLY | (error ? IS_ERROR : 0);
	head.error = (uint32_t)error;
	head.size = (uint32_t)(sizeof(head) + iov[1].iov_len);
	left = head.size;
	while (left) {
		ssize_t n = sendmsg(fd, &msg, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		left -= (size_t)n;
		for (size_t i = 0; i < ARRAY_SIZE(iov); i++) {
			size_t some = (size_t)n < iov[i].iov_len ? (size_t)n : iov[i].iov_len;

			iov[i].iov_base = (char *)iov[i].iov_base + some;
			iov[i].iov_len -= some;
			n -= (ssize_t)some;
		}
	}
	return true;
}

static int handle(struct pci *p, struct message *m)
{
	int error;

	if (m->head.command >= ARRAY_SIZE(handlers) || !handlers[m->head.command].run)
		return ENOTSUP;
	if (m->in_len < handlers[m->head.command].least)
		return EINVAL;
	hca_lock(&p->hca);
	error = handlers[m->head.command].run(p, m);
	hca_unlock(&p->hca);
	return error;
}

bool pci_message(struct pci *p, int fd)
{
	struct message *m = p->message;
	bool goes_on;

	if (!m)
		m = p->message = malloc(sizeof(*m));
	if (!m)
		return false;
	m->nfds = 0;
	m->out_len = 0;
	goes_on = receive(fd, m) && reply(fd, m, handle(p, m));
	for (unsigned int i = 0; i < m->nfds; i++)
		if (m->fd[i] >= 0)
			close(m->fd[i]);
	return goes_on;
}
