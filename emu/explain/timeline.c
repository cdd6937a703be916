/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timeline: the trace as Chrome's trace event format (JSON), which Perfetto and
 * chrome://tracing draw. A process is a group, a QP a lane, an event a slice; arrows connect
 * what belongs together:
 *
 *	QP 0x10041	[doorbell]-->[RDMA_WRITE]-->[WRITE_ONLY]	[ACK]   [REQ …]
 *				  '---------------------|-----------^--------^
 *	QP 0x20041		                        '->[WRITE_ONLY][ACK]'
 *
 *	id "w QPN.INDEX"	doorbell, WQE, its frames, its CQE
 *	id "f QPN.PSN.OPCODE"	a frame where it is sent and where it arrives
 *
 * A line is a complete element of the array, followed by a comma, and written with one
 * write(2), so that several processes share the file and nothing is lost when one is killed;
 * readers accept an array without its end ("Trace Event Format", JSON Array Format).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explain/lines.h"
#include "wire/wire.h"

#define DURATION "0.1" /* us of a slice: what happens is a moment, but an arrow needs a slice */

#define FIRST_BLUEFLAME 0x800 /* event.c */
#define CQE_QPN		56    /* struct mlx5_cqe64: sop_drop_qpn, wqe_counter, op_own */
#define CQE_COUNTER	60
#define CQE_OP_OWN	63
#define CQE_REQ		0x0
#define CQE_REQ_ERR	0xd

static int fd = -1;
static atomic_uchar named[1 << 16]; /* lanes that have a name, by QPN */

/* An event of a lane, and the arrows through it. */
struct slice {
	uint32_t lane; /* QPN; 0: frames of no QP */
	const char *name;
	size_t name_len;
	char wqe[24], frame[40];   /* ids of arrows; empty: none */
	char wqe_part, frame_part; /* 's' starts, 't' goes on, 'f' ends */
};

static void put_line(const struct line *l)
{
	size_t len = l->len < LINE_SIZE ? l->len : 0; /* half an element would spoil the file */

	if (len)
		core_output(fd, CORE_TIMELINE, l->text, len);
}

static void put_escaped(struct line *l, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= ' ' && text[i] != '"' && text[i] != '\\')
			line_put(l, "%c", text[i]);
}

static void put_head(struct line *l, char part, uint64_t ns, uint32_t lane)
{
	line_put(l, "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u,\"ts\":%llu.%03u,", part,
		 (int)getpid(), lane, (unsigned long long)(ns / 1000),
		 (unsigned int)(ns % 1000));
}

static void name_lane(uint32_t lane)
{
	struct line l;

	if (atomic_exchange(&named[lane & 0xffff], 1))
		return;
	l.len = 0;
	put_head(&l, 'M', 0, lane);
	line_put(&l, "\"name\":\"thread_name\",\"args\":{\"name\":\"");
	line_put(&l, lane ? "QP 0x%x" : "frames of no QP", lane);
	line_put(&l, "\"}},\n");
	put_line(&l);
}

static void put_arrow(struct line *l, uint64_t ns, const struct slice *s, const char *kind,
		      const char *id, char part)
{
	if (!*id)
		return;
	put_head(l, part, ns, s->lane);
	line_put(l, "\"cat\":\"%s\",\"name\":\"%s\",\"bp\":\"e\",\"id\":\"%s\"},\n", kind, kind,
		 id);
}

/* ---- what an event is ---- */

static void wqe_id(struct slice *s, uint32_t qpn, uint16_t index, char part)
{
	snprintf(s->wqe, sizeof(s->wqe), "w%x.%u", qpn, index);
	s->wqe_part = part;
}

static bool doorbell(struct slice *s, const struct core_trace *t)
{
	const uint8_t *reg = t->in;

	if (t->in_len < 8 || t->index < FIRST_BLUEFLAME)
		return false; /* that arms a CQ */
	s->lane = core_be32(reg + 4) >> 8;
	s->name = "doorbell";
	s->name_len = strlen(s->name);
	wqe_id(s, s->lane, core_be32(reg) >> 8 & 0xffff, 's');
	return true;
}

static bool cqe(struct slice *s, const struct core_trace *t)
{
	const uint8_t *bytes = t->in;
	uint8_t opcode;

	if (t->in_len < 64)
		return false;
	opcode = bytes[CQE_OP_OWN] >> 4;
	s->lane = core_be32(bytes + CQE_QPN) & 0xffffff;
	if (opcode == CQE_REQ || opcode == CQE_REQ_ERR)
		wqe_id(s, s->lane, core_be16(bytes + CQE_COUNTER), 'f');
	return true;
}

static void frame(struct slice *s, const struct core_trace *t, bool sent)
{
	struct wire_packet p;
	bool roce = wire_unpack(&p, t->in, t->in_len);

	s->lane = sent ? core_trace_work.qpn : roce ? p.dqpn : 0;
	if (!roce)
		return;
	snprintf(s->frame, sizeof(s->frame), "f%x.%u.%u", p.dqpn, p.psn, p.opcode);
	s->frame_part = sent ? 's' : 'f';
	if (sent && core_trace_work.is_wqe)
		wqe_id(s, s->lane, core_trace_work.index, 't');
}

static bool describe(struct slice *s, const struct core_trace *t)
{
	switch (t->kind) {
	case TRACE_DOORBELL:
		return doorbell(s, t);
	case TRACE_WQE:
		s->lane = t->obj;
		wqe_id(s, t->obj, t->index, 't');
		return true;
	case TRACE_CQE:
		return cqe(s, t);
	case TRACE_WIRE_TX:
	case TRACE_WIRE_RX:
		frame(s, t, t->kind == TRACE_WIRE_TX);
		return true;
	default:
		return false;
	}
}

/* The name is the word after the number of the peer, the CQ and so on. */
static void find_name(struct slice *s, const struct core_trace *t, const struct line *text)
{
	const char *at = text->text, *wide = strstr(at, "  ");

	if (s->name)
		return;
	if (t->kind != TRACE_WQE && wide)
		at = wide + strspn(wide, " ");
	s->name = at;
	s->name_len = strcspn(at, " ");
}

void timeline_event(const struct core_trace *t, line_maker *make)
{
	uint64_t ns = core_now_ns();
	struct slice s = { 0 };
	struct line text, l;

	if (!describe(&s, t))
		return;
	text.len = 0;
	make(&text, t);
	if (text.len >= LINE_SIZE)
		return;
	find_name(&s, t, &text);
	name_lane(s.lane);
	l.len = 0;
	put_head(&l, 'X', ns, s.lane);
	line_put(&l, "\"dur\":" DURATION ",\"cat\":\"dvkit\",\"name\":\"");
	put_escaped(&l, s.name, s.name_len);
	line_put(&l, "\",\"args\":{\"text\":\"");
	put_escaped(&l, text.text, text.len);
	line_put(&l, "\"}},\n");
	put_arrow(&l, ns, &s, "WQE", s.wqe, s.wqe_part);
	put_arrow(&l, ns, &s, "frame", s.frame, s.frame_part);
	put_line(&l);
}

void timeline_start(int to, const char *program)
{
	struct line l;

	fd = to;
	memset(named, 0, sizeof(named));
	l.len = 0;
	put_head(&l, 'M', 0, 0);
	line_put(&l, "\"name\":\"process_name\",\"args\":{\"name\":\"");
	put_escaped(&l, program, strlen(program));
	line_put(&l, "\"}},\n");
	put_line(&l);
}
