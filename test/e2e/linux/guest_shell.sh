# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
# Part of init.sh, for shell.sh: the drivers, the files of the machine that runs QEMU, and a shell or /command there;
# its status goes out by the second serial port. /settings has the rest: IP, FOLDER, MODULES, SIZE, TERM.
. /settings
. /machine_files.sh
load
machine_files /root || echo 'no files of the machine'
mkdir -p /root/usr/lib/modules
mount --bind "/root$MODULES" /root/usr/lib/modules
mount -t tracefs tracefs /root/sys/kernel/tracing
mount -t debugfs debugfs /root/sys/kernel/debug
echo guest >/proc/sys/kernel/hostname
ip link set lo up
if [ -e /sys/class/net/eth0 ]; then
	ip link set eth0 up
	ip address add "$IP/24" dev eth0
	active
fi
# shellcheck disable=SC2086 # "rows 24 columns 80", or nothing
[ -z "$SIZE" ] || stty $SIZE </dev/console
cd "/root$FOLDER" || cd /root || exit
set -- /bin/sh
if [ -e /command ]; then
	stty -onlcr </dev/console
	cp /command /root/run/command
	set -- /bin/sh /run/command
elif [ -x /root/bin/bash ]; then
	set -- /bin/bash
	echo "Linux $(uname -r), mlx5_0 $(cat /sys/class/infiniband/mlx5_0/ports/1/state 2>/dev/null || echo 'not there')"
	echo 'The files are those of the machine; changes are in memory, and end with the shell.'
fi
# The shell is the first process of a session, so that it has a terminal.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=$TERM \
	setsid cttyhack chroot /root /bin/sh -c 'cd "$0"; exec "$@"' "$FOLDER" "$@"
status=$?
stty raw -F /dev/ttyS1
echo $status >/dev/ttyS1
echo 0 >/proc/sys/kernel/printk
poweroff -f
