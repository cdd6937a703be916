/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of files, without fopen(3). */
#include <fcntl.h>
#include <unistd.h>

#include "core/core.h"

void core_file_open(struct core_file *f, const char *path)
{
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	f->at = f->n = 0;
}

bool core_file_line(struct core_file *f, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		if (f->at == f->n) {
			ssize_t n = f->fd < 0 ? 0 : read(f->fd, f->text, sizeof(f->text));

			f->n = n > 0 ? (size_t)n : 0;
			f->at = 0;
			if (!f->n)
				return false;
		}
		if (f->text[f->at++] == '\n')
			break;
		if (len < size - 1)
			line[len++] = f->text[f->at - 1];
	}
	line[len] = '\0';
	return true;
}

void core_file_close(struct core_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
}
