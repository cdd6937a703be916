# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
# Part of init.sh: the network device of two machines. NODE is 1 or 2, the end of the address: 1 answers and ends when 2
# says so, 2 does all the rest. A row is a line "guest: NAME ok" or "guest: NAME failed".
peer=192.168.0.$((3 - NODE))
long=192.168.7.1 # of 1, whose packets may have 9000 bytes; those of its other addresses have 1500
host=192.168.0.9

# Debian's, not busybox' own.
ip() { /bin/ip "$@"; }
ping() { /bin/ping "$@"; }

# row NAME COMMAND...
row() {
	local name=$1
	shift
	if "$@" >/out 2>&1; then echo "guest: $name ok"; else
		echo "guest: $name failed"
		cat /out
	fi
}

# until_true N COMMAND...: again and again, N tenths of a second and the time that the command takes.
until_true() {
	local tries=$1
	shift
	until "$@" >/dev/null 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

up() {
	ip link set "$1" up && until_true 50 grep -q 1 "/sys/class/net/$1/carrier"
}

answers() {
	ping -c 3 -i 0.2 -W 5 "$@"
}

# shows OPTIONS WORDS...: the output of ethtool has them.
shows() {
	# shellcheck disable=SC2086 # several words
	ethtool $1 >/shown || return 1
	shift
	for word; do
		grep -q -e "$word" /shown || { echo "not there: $word"; cat /shown; return 1; }
	done
}

counter() {
	ethtool -S eth0 | sed -n "s/^ *$1: //p"
}

# counts NAME COMMAND...: the command succeeds, and a counter grows.
counts() {
	local name=$1 before
	before=$(counter "$name")
	shift
	"$@" && [ "$(counter "$name")" -gt "$before" ]
}

# data [ADDRESS]: 2 MB to the peer, and what they sum up to there.
data() {
	timeout 60 nc "${1:-$peer}" 7000 </data >/sum && md5sum </data | cmp - /sum
}

# ethtool OPTIONS, then data.
with() {
	ethtool "$@" && until_true 50 grep -q 1 /sys/class/net/eth0/carrier && data
}

# Both machines have the VLAN.
tag() {
	ip link add link eth0 name eth0.5 type vlan id 5 && ip link set eth0.5 up &&
		ip address add "192.168.5.$NODE/24" dev eth0.5
}

serve() {
	ip link set eth0 mtu 9000
	ip address add 192.168.6.1/24 dev eth0
	ip route change 192.168.0.0/24 dev eth0 src "192.168.0.$NODE" mtu 1500
	nc -ll -p 7000 -e md5sum &
	tag
	ip link set eth0.5 mtu 1500
	iperf3 -s -D
	ibv_rc_pingpong -d mlx5_0 -g 3 -n 100 >/pingpong 2>&1 &
	timeout 400 nc -l -p 7001 </dev/null >/dev/null
}

rate() {
	timeout 60 iperf3 -c "$peer" -t 3 -f m "$@" >/iperf || { cat /iperf; return 1; }
	echo "guest: iperf3 $* $(sed -n 's/.* \([0-9.]* Mbits.sec\).*receiver.*/\1/p' /iperf)" >/dev/console
}

# mtu N [ADDRESS]
mtu() {
	ip link set eth0 mtu "$1" && until_true 50 grep -q 1 /sys/class/net/eth0/carrier &&
		answers -M "do" -s $(($1 - 28)) "${2:-$peer}" && data "${2:-$peer}"
}

# The peer answers with more than this device receives.
too_long() {
	! answers -c 1 -s 5000 "$long"
}

# A second MAC address of the device, which the vport has to let in.
second_address() {
	ip link add link eth0 name m0 type macvlan mode bridge && ip address add 192.168.6.2/24 dev m0 &&
		ip link set m0 up && until_true 20 answers -I m0 192.168.6.1
	local status=$?
	ip link del m0
	return $status
}

down_and_up() {
	ip link set eth0 down && ! answers -c 1 "$peer" && up eth0 && until_true 20 answers "$peer" && data
}

promiscuous() {
	ip link set eth0 promisc on allmulticast on && answers "$peer" && ip link set eth0 promisc off allmulticast off &&
		answers "$peer"
}

# Some of 30 connections come by each receive queue, whatever the key of the hash is.
spread() {
	local one two
	one=$(counter rx0_packets) two=$(counter rx1_packets)
	timeout 60 iperf3 -c "$peer" -R -t 1 -P 30 && [ "$(counter rx0_packets)" -gt "$one" ] &&
		[ "$(counter rx1_packets)" -gt "$two" ]
}

reload() {
	/bin/devlink dev reload "pci/$(device)" && again
}

again() {
	start && answers "$peer" && data
}

device() {
	basename "$(readlink -f /sys/class/net/eth0/device)"
}

rebind() {
	local device
	device=$(device)
	echo "$device" >/sys/bus/pci/drivers/mlx5_core/unbind && [ ! -e /sys/class/net/eth0 ] &&
		echo "$device" >/sys/bus/pci/drivers/mlx5_core/bind && again
}

start() {
	ip address add "192.168.0.$NODE/24" dev eth0 && ip address add "192.168.7.$NODE/24" dev eth0 && up eth0 && active && until_true 300 ping -c 1 -W 1 "$peer"
}

look() {
	row identity shows '-i eth0' 'driver: mlx5_core' 'firmware-version: 16.35.2000'
	row link shows eth0 'Speed: 100000Mb/s' 'Link detected: yes' '100000baseCR4/Full' 'Direct Attach Copper'
	row features shows '-k eth0' 'tcp-segmentation-offload: on' 'tx-checksum-ip-generic: on' 'rx-vlan-offload: on'
	row channels shows '-l eth0' 'Combined:.*2'
	row rings shows '-g eth0' 'RX:.*8192'
	row module shows '-m eth0' 'QSFP28' 'dvkit' 'Copper cable' '100G Base-CR4'
	row pause shows '-a eth0' 'RX:.*on' 'TX:.*on'
	row coalesce shows '-c eth0' 'Adaptive RX: on'
	row hash shows '-x eth0' 'toeplitz: on'
	row version version
	row health /bin/devlink health
	row time-stamps shows '-T eth0' 'hardware-receive'
}

change() {
	row segmentation counts tx_tso_packets data
	row no-segmentation with -K eth0 tso off
	row no-checksums with -K eth0 tx off rx off
	row checksums with -K eth0 tx on rx on tso on
	row software-tags with -K eth0 rxvlan off txvlan off
	row software-tags-data data 192.168.5.1
	row promiscuous promiscuous
	row hardware-tags with -K eth0 rxvlan on txvlan on
	row hardware-tags-data counts rx_removed_vlan_packets data 192.168.5.1
	row priority counts tx_prio3_packets tagged_ping
	row one-channel with -L eth0 combined 1
	row two-channels with -L eth0 combined 2
	row spread spread
	row rings-small with -G eth0 rx 128 tx 128
	row rings-large with -G eth0 rx 4096 tx 4096
	row moderation with -C eth0 adaptive-rx off adaptive-tx off rx-usecs 0 tx-usecs 0
	row no-hash with -K eth0 rxhash off
	row compression with --set-priv-flags eth0 rx_cqe_compress on
	row no-compression with --set-priv-flags eth0 rx_cqe_compress off
	row hash-again with -K eth0 rxhash on
	row no-multi-packet with --set-priv-flags eth0 skb_tx_mpwqe off
	row fcs with -K eth0 rx-fcs on
	row no-fcs with -K eth0 rx-fcs off
	row key with -X eth0 hkey "$(seq -s : 10 49)"
	row flow-hash with -N eth0 rx-flow-hash udp4 sdfn
	row rule rule
	row speed with -s eth0 speed 25000 autoneg off
	row speed-back with -s eth0 speed 100000 autoneg off
	row self-test ethtool -t eth0
}

# The version in devlink is that of the image.
version() {
	/bin/devlink dev info >/shown && grep -A 2 running: /shown | grep -q 'fw.version 16.35.2000'
}

tagged_ping() {
	ip link set eth0.5 type vlan egress 0:3 && answers 192.168.5.1
}

# The rule drops what comes from port 7000 until it is deleted.
rule() {
	ethtool -K eth0 ntuple on && ethtool -N eth0 flow-type tcp4 src-port 7000 action -1 loc 5 &&
		ethtool -n eth0 | grep -q 'Filter: 5' && ! timeout 2 nc "$peer" 7000 </data && answers "$peer" &&
		ethtool -N eth0 delete 5 && data
}

pingpong() {
	ibv_rc_pingpong -d mlx5_0 -g 3 -n 100 "$@"
}

# A GID of a VLAN device is in the table, and no QP can use it.
tagged_gid() {
	local n=4
	until grep -q eth0.5 /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/$n; do
		[ $((n += 1)) -lt 16 ] || return 1
	done
}

# The kernel of the host, by --tap, and a process of the host on the fabric.
others() {
	[ "${HOST-0}" != 0 ] || return
	row host answers "$host"
	row process pingpong "$host"
}

mkdir -p /tmp
head -c 2000000 /dev/urandom >/data
load
ip link set lo up
row netdev start
echo "guest: up after $(cut -d ' ' -f 1 /proc/uptime) s"
if [ "$NODE" = 1 ]; then
	serve
else
	row tagged tag
	look
	row ping answers "$peer"
	row fragments answers -s 20000 "$peer"
	row tcp rate
	row tcp-back rate -R
	row udp rate -u -b 20M -l 1400
	row roce pingpong "$peer"
	row tagged-gid tagged_gid
	others
	change
	row mtu-9000 mtu 9000 "$long"
	row mtu-576 mtu 576
	row mtu-1500 mtu 1500
	row too-long counts rx_oversize_pkts_phy too_long
	row second-address second_address
	row down-and-up down_and_up
	ip link del eth0.5
	row reload reload
	row rebind rebind
	nc "$peer" 7001 </dev/null
	ethtool -S eth0 | grep -v ': 0$'
fi
ip link set eth0 down
row unload unload
