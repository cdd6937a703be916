/* SPDX-License-Identifier: BSD-2-Clause */
/* Network interfaces, without if_nametoindex(3): netdevice(7). */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/core.h"

static bool ask(unsigned long request, struct ifreq *r)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && !ioctl(fd, request, r);

	if (fd >= 0)
		close(fd);
	return ok;
}

unsigned int core_interface_index(const char *name)
{
	struct ifreq r = { 0 };

	if (strlen(name) >= sizeof(r.ifr_name))
		return 0;
	strcpy(r.ifr_name, name);
	return ask(SIOCGIFINDEX, &r) ? (unsigned int)r.ifr_ifindex : 0;
}

bool core_interface_name(unsigned int index, char name[CORE_INTERFACE_NAME])
{
	struct ifreq r = { .ifr_ifindex = (int)index };

	if (!ask(SIOCGIFNAME, &r))
		return false;
	memcpy(name, r.ifr_name, CORE_INTERFACE_NAME);
	return true;
}
