# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by pair.sh: programs of others that have a race. A run of one of them is traced, and where its
# outcome is one of that race, the trace decides: the emulator had done all that the program asked for.
#
#	rping	The main thread closes the channel of events, and the thread that reads them may ask once more. It
#		then ends the process (librdmacm, examples/rping.c, cm_thread; on either side; mended in newer
#		releases). All data had been compared, and all objects been destroyed by then.

# traced SIDE PROGRAM: in array traced, the options of dvkit-emu for a program that has a race.
traced() {
	traced=()
	case $2 in
	rping) traced=(--trace fw,wqe,cqe --trace-file "$work/$1.trace") ;;
	esac
}

# lost_race SIDE STATUS PROGRAM: the outcome is one of the race.
lost_race() {
	case $3 in
	rping) [ "$2" = 255 ] && [ "$(tail -n 1 "$work/$1.log")" = 'rdma_get_cm_event: Bad file descriptor' ] ;;
	*) false ;;
	esac
}

# did_its_part SIDE: the emulator, by the trace: no command failed; all objects were destroyed, so the program had come to its
# end; each work request that asks for a completion has one, without error; what was flushed are receives.
did_its_part() {
	awk '
		function wrong(words) { print FILENAME ": " words; bad = 1 }
		# the word after NAME
		function value(name,    i) {
			for (i = 2; i < NF; i++)
				if ($i == name)
					return $(i + 1)
		}
		$2 == "fw" && $4 == "out" {
			if ($5 != "OK")
				wrong($0)
			for (i in objects) {
				made[objects[i]] += $3 == "CREATE_" objects[i]
				destroyed[objects[i]] += $3 == "DESTROY_" objects[i]
			}
		}
		$2 == "wqe" && / signalled/ { posted[value("qpn") " " value("idx")] = $0 }
		$2 == "cqe" && / REQ of / { delete posted[value("qpn") " " value("wqe_counter")]; completed++ }
		$2 == "cqe" && /REQ_ERR/ { wrong($0) }
		$2 == "cqe" && /RESP_ERR/ && !/\(WR_FLUSH_ERR\)/ { wrong($0) }
		BEGIN { split("QP CQ MKEY", objects) }
		END {
			for (i in objects)
				if (!made[objects[i]] || made[objects[i]] != destroyed[objects[i]])
					wrong(made[objects[i]] + 0 " " objects[i] " made, " destroyed[objects[i]] + 0 " destroyed")
			for (i in posted)
				wrong("not completed: " posted[i])
			if (!completed)
				wrong("nothing was completed")
			exit bad
		}' "$work/$1.trace"
}

# must_end SIDE STATUS PROGRAM: it ended well, or lost its race after the emulator had done its part.
must_end() {
	[ "$2" != 0 ] || return 0
	lost_race "$@" && did_its_part "$1" || fail "the $1 ended with $2"
	echo "the $1, $3, lost its race"
}
