# SPDX-License-Identifier: BSD-2-Clause
# Reads what ninja or make print while they build, and prints a line for every tenth of the work.

# ninja: "[12/345] Building …"; make: "[ 12%] Building …"
match($0, /^\[[ 0-9\/%]+\]/) {
	split(substr($0, 2, RLENGTH - 2), part, "/")
	percent = part[2] ? 100 * part[1] / part[2] : part[1] + 0
	if (percent >= next_line) {
		printf "  %3d %%\n", percent
		fflush()
		next_line = 10 * int(percent / 10) + 10
	}
}
