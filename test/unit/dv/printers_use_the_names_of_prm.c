/* SPDX-License-Identifier: BSD-2-Clause */
/* A printer's text for a CQE or a WQE agrees with the tables of prm for the field. */
#include <criterion/criterion.h>
#include <string.h>

#include <dv/print.h>
#include <prm/table.h>

Test(print, every_syndrome_has_its_text_and_a_hint)
{
	const struct prm_named_value *v = NULL;
	unsigned int n = 0;

	while ((v = prm_value_next(v))) {
		if (strcmp(v->kind, "CQE_SYNDROME"))
			continue;
		cr_expect_str_eq(dv_syndrome_str((uint8_t)v->value), v->text);
		cr_expect(!strstr(dv_syndrome_hint((uint8_t)v->value), "not in mlx5dv.h"), "%s",
			  v->name);
		n++;
	}
	cr_expect_eq(n, 13);
}

Test(print, vendor_syndromes_that_have_a_name)
{
	cr_expect_str_eq(dv_vendor_syndrome_str(0x99), "packet sequence number (PSN) error");
	cr_expect(strstr(dv_vendor_syndrome_str(0x93), "on-demand paging"));
	cr_expect(strstr(dv_vendor_syndrome_str(0x88), "remote access"));
	cr_expect(strstr(dv_vendor_syndrome_str(0x42), "no public source"));
}

/* The control segment with @flags, of 16 bytes, as a line. */
static const char *control(uint8_t opcode, uint8_t flags)
{
	static char line[200];
	uint8_t wqe[16] = { [2] = 7, [3] = opcode, [6] = 0x45, [7] = 1, [11] = flags };

	dv_wqe_format(line, sizeof(line), wqe, sizeof(wqe), DV_RC, DV_LINE);
	return line;
}

Test(print, flags_of_the_control_segment)
{
	cr_expect_str_eq(control(0x00, 0x00), "NOP qpn 0x45 idx 7 ds 1");
	cr_expect_str_eq(control(0x00, 0x2c),
			 "NOP qpn 0x45 idx 7 ds 1 small fence signalled, with an event");
	cr_expect_str_eq(control(0x00, 0x44),
			 "NOP qpn 0x45 idx 7 ds 1 fence of READs and atomics CQE of the first "
			 "error only");
	cr_expect_str_eq(control(0x00, 0x6a),
			 "NOP qpn 0x45 idx 7 ds 1 strong ordering signalled solicited");
	cr_expect_str_eq(control(0x00, 0x88), "NOP qpn 0x45 idx 7 ds 1 fence signalled");
	cr_expect_str_eq(control(0x00, 0xa8), "NOP qpn 0x45 idx 7 ds 1 fence 5 signalled");
	cr_expect_str_eq(control(0x30, 0x08),
			 "opcode? qpn 0x45 idx 7 ds 1 signalled opcode 0x30");
}
