/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The descriptor table. Slots are written under the lock and read without it: a slot that
 * reads NULL is not ours for sure, since a descriptor is only used after its open returned.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "fwctl/fwctl.h"
#include "preload/files.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"

#define FILES_MAX 65536

struct device_file {
	struct uverbs_file *uverbs;
	struct ucma_file *ucma;	  /* in its place */
	struct fwctl_file *fwctl; /* or this */
	unsigned int refs;	  /* descriptors, running calls */
	bool inherited;
	struct device_file *next; /* in inherited_files, once unused */
	unsigned int function;	  /* that uverbs or fwctl belongs to */
};

static _Atomic(struct device_file *) slots[FILES_MAX];
static atomic_int highest = -1;
static struct device_file *inherited_files; /* kept, or leak checkers would report them */
static _Atomic pid_t owner;		    /* whose descriptors the slots are */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct device_file *kept;

/* A child of vfork() closes and dups its own descriptors while it runs in the memory of
 * its parent, whose table must not change. */
bool files_has(int fd)
{
	return fd >= 0 && fd < FILES_MAX &&
	       atomic_load_explicit(&slots[fd], memory_order_acquire) != NULL &&
	       atomic_load_explicit(&owner, memory_order_relaxed) == getpid();
}

/* Lock held. */
static void set(int fd, struct device_file *f)
{
	atomic_store_explicit(&slots[fd], f, memory_order_release);
	if (f && fd > atomic_load_explicit(&highest, memory_order_relaxed))
		atomic_store_explicit(&highest, fd, memory_order_relaxed);
}

static int add(int fd, const struct device_file *like)
{
	struct device_file *f;

	if (fd >= FILES_MAX)
		return EMFILE;
	f = calloc(1, sizeof(*f));
	if (!f)
		return ENOMEM;
	*f = *like;
	f->refs = 1;
	files_put(files_take(fd));
	core_lock(&lock);
	atomic_store_explicit(&owner, getpid(), memory_order_relaxed);
	set(fd, f);
	core_unlock(&lock);
	return 0;
}

int files_add(int fd, struct uverbs_file *u, unsigned int function)
{
	return add(fd, &(struct device_file){ .uverbs = u, .function = function });
}

int files_add_cm(int fd, struct ucma_file *c)
{
	return add(fd, &(struct device_file){ .ucma = c });
}

int files_add_fwctl(int fd, struct fwctl_file *w, unsigned int function)
{
	return add(fd, &(struct device_file){ .fwctl = w, .function = function });
}

struct device_file *files_get(int fd)
{
	struct device_file *f;

	files_unkeep(NULL);
	if (!files_has(fd))
		return NULL;
	core_lock(&lock);
	f = slots[fd];
	if (f)
		f->refs++;
	core_unlock(&lock);
	return f;
}

void files_put(struct device_file *f)
{
	unsigned int refs;

	if (!f)
		return;
	core_lock(&lock);
	refs = --f->refs;
	if (!refs && f->inherited) {
		f->next = inherited_files;
		inherited_files = f;
	}
	core_unlock(&lock);
	if (refs || f->inherited)
		return;
	if (f->uverbs)
		uverbs_release(f->uverbs);
	else if (f->fwctl)
		fwctl_release(f->fwctl);
	else
		ucma_release(f->ucma);
	free(f);
}

void files_keep(struct device_file *f)
{
	kept = f;
}

void files_unkeep(void *unused)
{
	struct device_file *f;

	(void)unused;
	if (!kept)
		return;
	core_enter();
	f = kept;
	kept = NULL;
	files_put(f);
	core_leave();
}

struct device_file *files_kept(int fd, const struct device_file *f)
{
	struct device_file *now = kept;

	kept = NULL;
	if (now)
		return now;
	now = files_get(fd);
	if (now == f)
		return now;
	files_put(now);
	return NULL;
}

static bool has(int fd, bool (*what)(const struct device_file *f))
{
	struct device_file *f;
	bool it;

	core_enter();
	f = files_get(fd);
	it = f && what(f);
	files_put(f);
	core_leave();
	return it;
}

bool files_has_cm(int fd)
{
	return has(fd, files_is_cm);
}

bool files_has_fwctl(int fd)
{
	return has(fd, files_is_fwctl);
}

unsigned int files_function(int fd)
{
	struct device_file *f;
	unsigned int function;

	core_enter();
	f = files_get(fd);
	function = f ? f->function : 0;
	files_put(f);
	core_leave();
	return function;
}

bool files_is_cm(const struct device_file *f)
{
	return f->ucma;
}

bool files_is_fwctl(const struct device_file *f)
{
	return f->fwctl;
}

struct uverbs_file *files_uverbs(const struct device_file *f)
{
	return f->inherited ? NULL : f->uverbs;
}

struct ucma_file *files_ucma(const struct device_file *f)
{
	return f->inherited ? NULL : f->ucma;
}

struct fwctl_file *files_fwctl(const struct device_file *f)
{
	return f->inherited ? NULL : f->fwctl;
}

struct device_file *files_take(int fd)
{
	struct device_file *f;

	files_unkeep(NULL);
	if (!files_has(fd))
		return NULL;
	core_lock(&lock);
	f = slots[fd];
	set(fd, NULL);
	core_unlock(&lock);
	return f;
}

void files_dup(int from, int to)
{
	struct device_file *f;

	if (from == to || (!files_has(from) && !files_has(to)))
		return;
	files_put(files_take(to));
	if (to >= FILES_MAX)
		return;
	f = files_get(from);
	if (!f)
		return;
	core_lock(&lock);
	set(to, f);
	core_unlock(&lock);
}

void files_drop(unsigned int first, unsigned int last)
{
	int top = atomic_load_explicit(&highest, memory_order_relaxed);

	for (unsigned int fd = first; top >= 0 && fd <= (unsigned int)top && fd <= last; fd++)
		files_put(files_take(fd));
}

void files_fork_prepare(void)
{
	core_lock(&lock);
}

void files_fork_parent(void)
{
	core_unlock(&lock);
}

void files_fork_child(void)
{
	atomic_store_explicit(&owner, getpid(), memory_order_relaxed);
	for (int fd = 0; fd <= atomic_load_explicit(&highest, memory_order_relaxed); fd++) {
		struct device_file *f = slots[fd];

		if (f)
			f->inherited = true;
	}
	core_unlock(&lock);
}
