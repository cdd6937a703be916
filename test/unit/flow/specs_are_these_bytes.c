/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_attr_build(): specs of ibv_create_flow(), compared with structs that are filled by
 * hand, as a program fills them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/spec.h>

static struct dv_flow_rule rule;
static struct dv_flow_attr attr;
static struct dv_flow_error error;

static void build(const char *text)
{
	int err = dv_flow_parse(&rule, text, &error);

	cr_assert_eq(err, 0, "%s: %s", text, error.message);
	err = dv_flow_attr_build(&attr, &rule, NULL, &error);
	cr_assert_eq(err, 0, "%s: %s", text, error.message);
}

#define SPEC(kind, name, t) \
	struct ibv_flow_spec_##kind name = { .type = IBV_FLOW_SPEC_##t, .size = sizeof(name) }

static size_t at;

static void next(const void *spec, size_t size)
{
	cr_assert_leq(at + size, attr.attr.size - sizeof(attr.attr));
	cr_assert_eq(memcmp(attr.specs + at, spec, size), 0, "spec at %zu", at);
	at += size;
}

static void end(unsigned int specs)
{
	cr_assert_eq(at, attr.attr.size - sizeof(attr.attr));
	cr_assert_eq(attr.attr.num_of_specs, specs);
	at = 0;
}

Test(specs_are_these_bytes, udp_over_vlan)
{
	SPEC(eth, eth, ETH);
	SPEC(ipv4_ext, ip, IPV4_EXT);
	SPEC(tcp_udp, udp, UDP);

	build("ingress priority 3 pattern eth dst is 02:00:00:00:00:01 / vlan vid is 100 / "
	      "ipv4 dst is 10.0.0.1 src spec 10.1.0.0 src prefix 16 tos is 4 / "
	      "udp dst is 4791 src spec 0x1200 src mask 0xff00 / end actions queue index 0 / end");
	memcpy(eth.val.dst_mac, (uint8_t[6]){ 2, 0, 0, 0, 0, 1 }, 6);
	memset(eth.mask.dst_mac, 0xff, 6);
	eth.val.vlan_tag = htons(100);
	eth.mask.vlan_tag = htons(0xfff);
	next(&eth, sizeof(eth));
	ip.val.dst_ip = htonl(0x0a000001);
	ip.mask.dst_ip = 0xffffffff;
	ip.val.src_ip = htonl(0x0a010000);
	ip.mask.src_ip = htonl(0xffff0000);
	ip.val.tos = 4;
	ip.mask.tos = 0xff;
	next(&ip, sizeof(ip));
	udp.val.dst_port = htons(4791);
	udp.mask.dst_port = 0xffff;
	udp.val.src_port = htons(0x1200);
	udp.mask.src_port = htons(0xff00);
	next(&udp, sizeof(udp));
	end(3);
	cr_assert_eq(attr.attr.type, IBV_FLOW_ATTR_NORMAL);
	cr_assert_eq(attr.attr.priority, 3);
	cr_assert_eq(attr.attr.port, 1);
	cr_assert_eq(attr.attr.flags, 0);
}

Test(specs_are_these_bytes, tunnel)
{
	SPEC(ipv6, ip, IPV6);
	SPEC(tcp_udp, udp, UDP);
	SPEC(tunnel, vxlan, VXLAN_TUNNEL);
	SPEC(eth, eth, ETH | IBV_FLOW_SPEC_INNER);
	SPEC(tcp_udp, tcp, TCP | IBV_FLOW_SPEC_INNER);
	SPEC(ipv4_ext, inner, IPV4_EXT | IBV_FLOW_SPEC_INNER);
	SPEC(action_tag, tag, ACTION_TAG);
	SPEC(action_drop, drop, ACTION_DROP);

	build("ingress pattern ipv6 flow is 0x12345 proto is 17 / udp / vxlan vni is 0x123456 / "
	      "eth type is 0x0800 / ipv4 / tcp src is 80 / end actions mark id 6 / drop / end");
	ip.val.flow_label = htonl(0x12345);
	ip.mask.flow_label = htonl(0xfffff);
	ip.val.next_hdr = 17;
	ip.mask.next_hdr = 0xff;
	next(&ip, sizeof(ip));
	udp.val.dst_port = htons(4789);
	udp.mask.dst_port = 0xffff;
	next(&udp, sizeof(udp));
	vxlan.val.tunnel_id = htonl(0x123456);
	vxlan.mask.tunnel_id = htonl(0xffffff);
	next(&vxlan, sizeof(vxlan));
	eth.val.ether_type = htons(0x0800);
	eth.mask.ether_type = 0xffff;
	next(&eth, sizeof(eth));
	next(&inner, sizeof(inner));
	tcp.val.src_port = htons(80);
	tcp.mask.src_port = 0xffff;
	next(&tcp, sizeof(tcp));
	tag.tag_id = 7;
	next(&tag, sizeof(tag));
	next(&drop, sizeof(drop));
	end(8);
}

Test(specs_are_these_bytes, gre_and_mpls)
{
	SPEC(ipv4_ext, ip, IPV4_EXT);
	SPEC(gre, gre, GRE);
	SPEC(mpls, mpls, MPLS);

	build("egress pattern ipv4 / gre protocol is 0x8847 / gre_key value is 5 / end actions end");
	next(&ip, sizeof(ip));
	gre.val.protocol = htons(0x8847);
	gre.mask.protocol = 0xffff;
	gre.val.key = htonl(5);
	gre.mask.key = 0xffffffff;
	next(&gre, sizeof(gre));
	end(2);
	cr_assert_eq(attr.attr.flags, IBV_FLOW_ATTR_FLAGS_EGRESS);
	build("ingress pattern mpls label is 0x12345 s is 1 / end actions drop / end");
	mpls.val.label = htonl(0x12345100);
	mpls.mask.label = htonl(0xfffff100);
	next(&mpls, sizeof(mpls));
	at += sizeof(struct ibv_flow_spec_action_drop);
	end(2);
}

Test(specs_are_these_bytes, counter)
{
	SPEC(counter_action, count, ACTION_COUNT);
	struct ibv_counters counters;

	cr_assert_eq(
		dv_flow_parse(&rule, "ingress pattern end actions count / queue / end", NULL),
		0);
	cr_assert_eq(dv_flow_attr_build(&attr, &rule, &counters, &error), 0);
	count.counters = &counters;
	next(&count, sizeof(count));
	end(1);
}

static void refused(const char *text, int err, const char *message)
{
	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text, error.message);
	cr_assert_eq(dv_flow_attr_build(&attr, &rule, NULL, &error), err, "%s", text);
	cr_assert_eq(strncmp(error.message, message, strlen(message)), 0, "%s: %s", text,
		     error.message);
}

Test(specs_are_these_bytes, refusals)
{
	refused("ingress group 1 pattern end actions drop / end", EOPNOTSUPP, "group:");
	refused("pattern end actions drop / end", EINVAL,
		"one of ingress, egress and transfer");
	refused("ingress egress pattern end actions drop / end", EINVAL, "one of ingress");
	refused("transfer pattern end actions drop / end", EOPNOTSUPP, "transfer:");
	refused("ingress pattern end actions end", EINVAL, "a rule wants a destination");
	refused("ingress pattern end actions drop / queue index 1 / end", EINVAL,
		"queue: drop and default_miss are a rule's one");
	refused("ingress pattern end actions tag value 1 / flag / drop / end", EINVAL,
		"flag: a rule has one tag");
	refused("ingress pattern end actions mark id 0xffffff / drop / end", EINVAL,
		"mark: the flow tag has 24");
	refused("ingress pattern end actions mark id 0xfffffe / drop / end", EINVAL,
		"mark: the flow tag has 24");
	refused("ingress pattern end actions count / count / drop / end", EINVAL,
		"count: a rule has one");
	refused("ingress pattern end actions meter mtr_id 1 / drop / end", EOPNOTSUPP,
		"meter, sample: ibv_create_flow has neither");
	refused("ingress pattern end actions sample ratio 2 / queue / end", EOPNOTSUPP,
		"meter, sample: ibv_create_flow has neither");
	refused("ingress pattern end actions jump group 1 / end", EOPNOTSUPP,
		"the destination of ibv_create_flow");
	refused("ingress pattern ipv4 ttl is 1 / end actions drop / end", EOPNOTSUPP,
		"ipv4 ttl: ibv_create_flow");
	refused("ingress pattern vlan pcp mask 0 pcp spec 0 / end actions drop / end",
		EOPNOTSUPP, "vlan: ibv_create_flow matches a tag only");
	refused("ingress pattern vlan vid is 1 / vlan vid is 2 / end actions drop / end",
		EOPNOTSUPP, "vlan: ibv_create_flow matches one tag");
	refused("ingress pattern ipv4 / udp / geneve / end actions drop / end", EOPNOTSUPP,
		"geneve: ibv_create_flow has no spec");
	refused("ingress pattern udp / end actions drop / end", EINVAL, "udp: it follows ipv4");
}
