/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks and contents of a fabric's file.
 *
 *	joining		open -> lock 0 shared -> was it removed meanwhile? again
 *	the first	lock 256 -> is it empty? fill it -> unlock 256
 *	leaving		exclusive lock 0, if no other process holds it -> remove the file
 *
 * Locks are between open files: a second one in the same process is another user of the fabric.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "wire/fabric.h"
#include "wire/fabric_dir.h"
#include "wire/wire.h"

#define LOCK_HERE      0
#define LOCK_FILL      256
#define LOCK_VALID     256 /* + slot */
#define LOCK_NAMES     (1ull << 32)
#define MAIL_AT	       (SLOTS * sizeof(struct fabric_entry))
#define ENTRIES_BYTES  (MAIL_AT + SLOTS * sizeof(uint32_t))
#define VHCAS_AT       8192
#define ADAPTERS_AT    (VHCAS_AT + SLOTS * sizeof(struct hca_vhca))
#define ADAPTERS_BYTES (HCA_ADAPTERS * sizeof(struct hca_adapter))
#define FILE_BYTES     (ADAPTERS_AT + ADAPTERS_BYTES)
#define NAME_MAX_BYTES 64

/* In the place of the socket of slot 0. The number changes with whatever processes of a fabric
 * have in common: the contents of its file, the rings and their entries, messages. */
#define FORMAT ((uint64_t)1 << 32 | FILE_BYTES)

static_assert(ENTRIES_BYTES <= VHCAS_AT && SLOTS == HCA_VHCAS, "contents of the file");

static int lock(int fd, int cmd, short type, uint64_t at)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
	int ret;

	do
		ret = fcntl(fd, cmd, &l);
	while (ret && errno == EINTR);
	return ret ? errno : 0;
}

static int try_lock(int fd, short type, uint64_t at)
{
	int err = lock(fd, F_OFD_SETLK, type, at);

	return err == EACCES ? EAGAIN : err;
}

/* Does another open file hold a lock in [@at, @at + @len)? True if that cannot be found out. */
static bool locked(int fd, uint64_t at, uint64_t len)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = len
	};

	return fcntl(fd, F_OFD_GETLK, &l) || l.l_type != F_UNLCK;
}

/* ---- the file ---- */

static int open_file(struct fabric *f)
{
	struct stat st;
	int err;

	for (;;) {
		f->fd = core_own(
			open(f->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
		if (f->fd < 0)
			return errno;
		err = lock(f->fd, F_OFD_SETLKW, F_RDLCK, LOCK_HERE);
		if (!err && fstat(f->fd, &st))
			err = errno;
		if (err || st.st_nlink)
			return err;
		core_own_close(f->fd);
	}
}

/* Removes the files of this directory that no process has locked. */
static void sweep(const char *path)
{
	char dir[FABRIC_DIR_BYTES];
	struct core_dir all;
	const char *name;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(path, '/') - path), path);
	core_dir_open(&all, dir);
	while ((name = core_dir_next(&all))) {
		int fd = openat(all.fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0)
			continue;
		if (!try_lock(fd, F_WRLCK, LOCK_HERE))
			unlinkat(all.fd, name, 0);
		close(fd);
	}
	core_dir_close(&all);
}

/* Zeroes at @at. Written and not only extended, so that a full file system is noticed here. */
static int zero(int fd, size_t len, off_t at)
{
	static const char zeroes[sizeof(struct hca_vhca) > ENTRIES_BYTES
					 ? sizeof(struct hca_vhca)
					 : ENTRIES_BYTES];
	ssize_t n = pwrite(fd, zeroes, len, at);

	return n == (ssize_t)len ? 0 : n < 0 ? errno : ENOSPC;
}

/* The same at places of the file that RLIMIT_FSIZE may exclude. */
static int zero_beyond(const struct fabric *f, size_t len, off_t at)
{
	struct rlimit was;
	int err = EFBIG;

	if (core_file_limit_raise(FILE_BYTES, &was) >= FILE_BYTES)
		err = zero(f->fd, len, at);
	core_file_limit_restore(FILE_BYTES, &was);
	return err;
}

static int extend(const struct fabric *f)
{
	struct rlimit was;
	int err = 0;

	if (core_file_limit_raise(FILE_BYTES, &was) < FILE_BYTES)
		err = EFBIG;
	else if (ftruncate(f->fd, FILE_BYTES))
		err = errno;
	core_file_limit_restore(FILE_BYTES, &was);
	return err;
}

static off_t vhca_at(unsigned int slot)
{
	return (off_t)(VHCAS_AT + slot * sizeof(struct hca_vhca));
}

/* The processes of the fabric were killed: what their adapters were, and counted, begins
 * again. */
static int zero_adapters(const struct fabric *f)
{
	const size_t one = sizeof(struct hca_adapter);
	int err = 0;

	for (unsigned int i = 0; !err && i < HCA_ADAPTERS; i++)
		err = zero_beyond(f, one, (off_t)(ADAPTERS_AT + i * one));
	for (unsigned int i = 1; !err && i < SLOTS; i++)
		err = zero_beyond(f, offsetof(struct hca_vhca, grants), vhca_at(i));
	return err;
}

/* Do the processes of the fabric use it as this one does? */
static int check_format(const struct fabric *f)
{
	uint64_t format;
	ssize_t n = pread(f->fd, &format, sizeof(format), 0);

	return n == (ssize_t)sizeof(format) && format == FORMAT ? 0 : EPROTO;
}

/* No other process is on the fabric; perhaps some were, and were killed. */
static int begin(const struct fabric *f)
{
	const uint64_t format = FORMAT;
	struct stat st;
	int err;

	if (fstat(f->fd, &st))
		return errno;
	if (st.st_size >= (off_t)FILE_BYTES) {
		err = zero_adapters(f);
	} else {
		err = extend(f);
		if (!err)
			err = zero(f->fd, ENTRIES_BYTES, 0);
		sweep(f->path);
	}
	if (!err && pwrite(f->fd, &format, sizeof(format), 0) != (ssize_t)sizeof(format))
		err = EIO;
	return err;
}

static int fill(const struct fabric *f)
{
	int err = lock(f->fd, F_OFD_SETLKW, F_WRLCK, LOCK_FILL);

	if (err)
		return err;
	err = fabric_has_from(f, 1) ? check_format(f) : begin(f);
	lock(f->fd, F_OFD_SETLK, F_UNLCK, LOCK_FILL);
	return err;
}

static uint64_t network_namespace(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

static int name_file(struct fabric *f, const char *name)
{
	char dir[FABRIC_DIR_BYTES];
	int err;

	if (strlen(name) > NAME_MAX_BYTES)
		return ENAMETOOLONG;
	if (!*name || strchr(name, '/'))
		return EINVAL;
	err = fabric_dir(dir, sizeof(dir));
	if (!err)
		snprintf(f->path, sizeof(f->path), "%s/%s.%llu", dir, name,
			 (unsigned long long)network_namespace());
	return err;
}

int fabric_open(struct fabric *f, const char *name)
{
	void *at;
	int err;

	*f = (struct fabric){ .fd = -1 };
	err = name_file(f, name);
	if (!err)
		err = open_file(f);
	if (!err)
		err = fill(f);
	if (err)
		return err;
	at = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	if (at == MAP_FAILED)
		return errno;
	f->entries = at;
	f->mail = (void *)((char *)at + MAIL_AT);
	f->vhcas = (void *)((char *)at + VHCAS_AT);
	f->adapters = (void *)((char *)at + ADAPTERS_AT);
	return 0;
}

/* Like a descriptor, a mapping keeps the open file and its locks. */
void fabric_abandon(struct fabric *f)
{
	if (f->entries)
		munmap(f->entries, FILE_BYTES);
	f->entries = NULL;
	f->mail = NULL;
	f->vhcas = NULL;
	f->adapters = NULL;
	core_own_close(f->fd);
	f->fd = -1;
}

void fabric_close(struct fabric *f)
{
	if (f->fd >= 0 && !try_lock(f->fd, F_WRLCK, LOCK_HERE))
		unlink(f->path);
	fabric_abandon(f);
	free(f->names);
	f->names = NULL;
	f->nnames = 0;
}

void wire_counted(const char *name, uint32_t adapter, enum hca_role role,
		  struct hca_counted *sum)
{
	struct fabric f;

	memset(sum, 0, sizeof(*sum));
	if (!fabric_open(&f, name))
		hca_table_counted(f.vhcas, f.adapters, adapter, role, sum);
	fabric_close(&f);
}

/* ---- slots ---- */

/* The function in @slot allows nothing yet. */
static int new_vhca(struct fabric *f, uint8_t slot, uint64_t epoch)
{
	int err;

	hca_counted_keep(f->adapters, &f->vhcas[slot]);
	err = zero_beyond(f, sizeof(struct hca_vhca), vhca_at(slot));
	if (!err)
		atomic_store(&f->vhcas[slot].epoch, epoch);
	return err;
}

static int take_slot(struct fabric *f, uint64_t socket, const uint8_t *key, uint8_t *slot)
{
	for (unsigned int i = 1; i < SLOTS; i++) {
		int err = try_lock(f->fd, F_WRLCK, i);

		if (err == EAGAIN)
			continue;
		if (err)
			return err;
		err = new_vhca(f, i, socket);
		if (err)
			return err;
		/* A process that finds the name finds the lock, too: it would not look
		 * again. */
		atomic_store(&f->entries[i].socket, 0);
		memcpy(f->entries[i].key, key, FABRIC_KEY_BYTES);
		err = try_lock(f->fd, F_WRLCK, LOCK_VALID + i);
		if (!err)
			atomic_store(&f->entries[i].socket, socket);
		*slot = i;
		return err;
	}
	return EUSERS;
}

/* Not while another process that joins zeroes the adapters (fill): it does so if no slot is
 * taken. */
int fabric_take_slot(struct fabric *f, uint64_t socket, const uint8_t *key, uint8_t *slot)
{
	int err = lock(f->fd, F_OFD_SETLKW, F_WRLCK, LOCK_FILL);

	if (err)
		return err;
	err = take_slot(f, socket, key, slot);
	lock(f->fd, F_OFD_SETLK, F_UNLCK, LOCK_FILL);
	return err;
}

bool fabric_has(const struct fabric *f, uint8_t slot)
{
	return locked(f->fd, LOCK_VALID + slot, 1);
}

bool fabric_has_from(const struct fabric *f, unsigned int first)
{
	return first < SLOTS && locked(f->fd, first, SLOTS - first);
}

/* ---- names ---- */

/* FNV-1a; 62 bits of it, because the offset of a lock is signed. */
static uint64_t place_of(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3;
	return LOCK_NAMES + (h >> 2);
}

static size_t own_name(const struct fabric *f, uint64_t place)
{
	size_t i = 0;

	while (i < f->nnames && f->names[i] != place)
		i++;
	return i;
}

int fabric_claim(struct fabric *f, const char *name)
{
	uint64_t place = place_of(name);
	uint64_t *more;
	int err;

	if (own_name(f, place) < f->nnames)
		return EADDRINUSE;
	more = realloc(f->names, (f->nnames + 1) * sizeof(*more));
	if (!more)
		return ENOMEM;
	f->names = more;
	err = try_lock(f->fd, F_WRLCK, place);
	if (err)
		return err == EAGAIN ? EADDRINUSE : err;
	f->names[f->nnames++] = place;
	return 0;
}

void fabric_disclaim(struct fabric *f, const char *name)
{
	uint64_t place = place_of(name);
	size_t i = own_name(f, place);

	if (i == f->nnames)
		return;
	f->names[i] = f->names[--f->nnames];
	lock(f->fd, F_OFD_SETLK, F_UNLCK, place);
}

bool fabric_claimed(const struct fabric *f, const char *name)
{
	uint64_t place = place_of(name);

	return own_name(f, place) < f->nnames || locked(f->fd, place, 1);
}
