/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on request, for those who test a driver: a line is a request.
 *
 *	fail-command NAME|any [STATUS [SYNDROME [NTH]]]
 *	                        the next command of that name, or the NTH, is refused
 *	health SYNDROME [rfr]   the health buffer has the syndrome; rfr: a reset is required
 *	hang [off]              commands are not executed, and the health counter stays as it is
 *	lose-interrupts N       the next N interrupts do not arrive
 *	link up|down
 *	faults [TEXT]           of the link, as dvkit_emu_faults()
 *
 * A reset of the function ends all of them but the last two.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pci/inside.h"
#include "prm/prm.h"
#include "prm/table.h"

#define WORDS 4

struct words {
	const char *word[WORDS + 1]; /* NULL: no more */
	struct pci *p;
};

/* @text is a whole number up to @max. */
static bool number(const char *text, uint64_t max, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *n <= max;
}

/* Word @i; @other if it is not there. */
static bool optional(const struct words *w, int i, uint64_t max, uint64_t other, uint64_t *n)
{
	*n = other;
	return !w->word[i] || number(w->word[i], max, n);
}

static int fail_command(struct words *w)
{
	const struct prm_cmd *cmd = NULL;
	uint64_t status, syndrome, nth;

	if (!w->word[1])
		return EINVAL;
	if (strcmp(w->word[1], "any")) {
		while ((cmd = prm_cmd_next(cmd)) && strcmp(cmd->name, w->word[1]))
			;
		if (!cmd)
			return ENOENT;
	}
	if (!optional(w, 2, UINT8_MAX, PRM_STATUS_INT_ERR, &status) || !status ||
	    !optional(w, 3, UINT32_MAX, 0, &syndrome) || !optional(w, 4, UINT32_MAX, 1, &nth))
		return EINVAL;
	w->p->hca.refusal = (struct hca_refusal){ .nth = (unsigned int)nth,
						  .opcode = cmd ? cmd->opcode : 0,
						  .status = (uint8_t)status,
						  .syndrome = (uint32_t)syndrome };
	return 0;
}

static int health(struct words *w)
{
	uint64_t syndrome;
	bool rfr = w->word[1] && w->word[2];

	if (!w->word[1] || !number(w->word[1], UINT8_MAX, &syndrome) ||
	    (rfr && (strcmp(w->word[2], "rfr") || w->word[3])))
		return EINVAL;
	w->p->health = (uint8_t)syndrome;
	w->p->reset_required = rfr;
	return 0;
}

/* The commands that were rung for meanwhile are executed at its end. */
static int hang(struct words *w)
{
	bool off = w->word[1];

	if (off && (strcmp(w->word[1], "off") || w->word[2]))
		return EINVAL;
	w->p->hung_since = off ? 0 : core_now_ns();
	pci_cmdq_ring(w->p, UINT32_MAX);
	return 0;
}

static int lose_interrupts(struct words *w)
{
	uint64_t n;

	if (!w->word[1] || w->word[2] || !number(w->word[1], UINT32_MAX, &n))
		return EINVAL;
	w->p->lost_interrupts = (uint32_t)n;
	return 0;
}

static int set_link(struct words *w)
{
	bool up = w->word[1] && !strcmp(w->word[1], "up");

	if (!w->word[1] || w->word[2] || (!up && strcmp(w->word[1], "down")))
		return EINVAL;
	hca_unlock(&w->p->hca);
	engine_link(w->p->engine, up);
	hca_lock(&w->p->hca);
	return 0;
}

static int faults(struct words *w)
{
	struct options_fault list[OPTIONS_FAULTS];
	int n = options_faults(w->word[1] ? w->word[1] : "", list);

	return n < 0 || (w->word[1] && w->word[2]) ? EINVAL : wire_faults(w->p->wire, list, n);
}

static const struct {
	const char *name;
	int (*run)(struct words *w);
} requests[] = {
	{ "fail-command", fail_command },	{ "health", health }, { "hang", hang },
	{ "lose-interrupts", lose_interrupts }, { "link", set_link }, { "faults", faults },
};

int pci_control(struct pci *p, char *line)
{
	struct words w = { .p = p };
	char *save, *word = strtok_r(line, " \t\n", &save);
	int n = 0, err = EINVAL;

	if (!word)
		return 0;
	for (; word && n <= WORDS; word = strtok_r(NULL, " \t\n", &save))
		w.word[n++] = word;
	for (size_t i = 0; !word && i < ARRAY_SIZE(requests); i++)
		if (!strcmp(w.word[0], requests[i].name)) {
			hca_lock(&p->hca);
			err = requests[i].run(&w);
			hca_unlock(&p->hca);
		}
	return err;
}

/* The rest of a line that is too long is another line. */
static void take(struct pci *p, char byte)
{
	int err;

	if (byte != '\n' && p->line_len < sizeof(p->line) - 1) {
		p->line[p->line_len++] = byte;
		return;
	}
	p->line[p->line_len] = 0;
	p->line_len = 0;
	err = pci_control(p, p->line);
	if (err)
		fprintf(stderr, "dvkit-emu: --control: %s: %s\n", p->line, strerror(err));
}

void pci_control_read(struct pci *p)
{
	char some[128];
	ssize_t n;

	while ((n = read(p->control, some, sizeof(some))) > 0)
		for (ssize_t i = 0; i < n; i++)
			take(p, some[i]);
}

/* The FIFO is open for writing, too: without a writer a reader is at the end of the file. */
int pci_control_open(struct pci *p, const char *path)
{
	if (strlen(path) >= sizeof(p->control_path))
		return ENAMETOOLONG;
	if (mkfifo(path, 0600))
		return errno;
	strcpy(p->control_path, path);
	p->control = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return p->control < 0 ? errno : 0;
}

void pci_control_end(struct pci *p)
{
	if (p->control >= 0)
		close(p->control);
	if (*p->control_path)
		unlink(p->control_path);
}

void pci_control_reset(struct pci *p)
{
	p->health = 0;
	p->reset_required = false;
	p->hung_since = 0;
	p->lost_interrupts = 0;
	p->hca.refusal = (struct hca_refusal){ 0 };
}
