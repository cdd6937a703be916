/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which file descriptors are the device's. Several descriptors (dup) share one open file;
 * the driver releases it when the last descriptor is closed and no ioctl runs in it.
 *
 *	fd 3 --.
 *	        >-- struct device_file (refs) -- struct uverbs_file, ucma_file or fwctl_file
 *	fd 9 --'
 *
 * Asking about a descriptor that is not ours costs one load and no lock. After fork() the
 * child's inherited files are marked: the adapter lives in the parent.
 *
 * Not seen here: descriptors that travel over a socket (SCM_RIGHTS) or through exec, and raw
 * close system calls.
 */
#ifndef EMU_PRELOAD_FILES_H
#define EMU_PRELOAD_FILES_H

#include <stdbool.h>

struct uverbs_file;
struct ucma_file;
struct fwctl_file;
struct device_file;

/* Makes @fd a descriptor of @u or @w, of a function of this process, or of @c; 0, ENOMEM, or
 * EMFILE for a number out of the table. */
int files_add(int fd, struct uverbs_file *u, unsigned int function);
int files_add_cm(int fd, struct ucma_file *c);
int files_add_fwctl(int fd, struct fwctl_file *w, unsigned int function);

bool files_has(int fd);
bool files_has_cm(int fd);
bool files_has_fwctl(int fd);
/* The function of @fd, if files_has() it. */
unsigned int files_function(int fd);

/* The file of @fd, held until files_put(); NULL: not the device's. */
struct device_file *files_get(int fd);
void files_put(struct device_file *f);

/* A thread that waits in a call on @f keeps its reference, which a handler takes along when it
 * leaves by siglongjmp(). So that is given back by files_unkeep(), or by the thread's next
 * files_get() or files_take(). files_kept() takes it over again; when a handler's call gave it
 * back, it looks whether @fd is still @f, NULL: no. */
void files_keep(struct device_file *f);
struct device_file *files_kept(int fd, const struct device_file *f);
void files_unkeep(void *unused);

/* NULL for an inherited one, and for a file of another device. */
struct uverbs_file *files_uverbs(const struct device_file *f);
struct ucma_file *files_ucma(const struct device_file *f);
struct fwctl_file *files_fwctl(const struct device_file *f);
/* Which device it is of, inherited ones too; none of the two: uverbs. */
bool files_is_cm(const struct device_file *f);
bool files_is_fwctl(const struct device_file *f);

/* @to now names what @from names, whatever it was before. */
void files_dup(int from, int to);
/* Unlinks @fd and hands its reference over, for files_put() after the real close. */
struct device_file *files_take(int fd);
/* Drops every descriptor of ours in [first, last]. */
void files_drop(unsigned int first, unsigned int last);

/* For pthread_atfork. */
void files_fork_prepare(void);
void files_fork_parent(void);
void files_fork_child(void);

#endif
