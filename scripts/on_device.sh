# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of ./run: the tests of the library on an adapter, and a verdict on each assumption of the
# emulator. Uses device_tests of run.

# verdict SLUG TAP: what the tests say of an assumption; of one without an answer also why.
verdict() {
	local line
	line=$(grep -m 1 "ok - assumed::$1 " "$2") || line=''
	case $line in
	*'# SKIP'*) printf 'no test  (%s)' "${line#*# SKIP }" ;;
	'ok '*) printf held ;;
	'not ok '*) printf refuted ;;
	*) printf 'no test  (not written)' ;;
	esac
}

# on_device NAME: the library's tests on an adapter, then the assumptions one by one.
on_device() {
	local tap program slug file sentence answer status=0
	tap=$(mktemp)
	# shellcheck disable=SC2154 # an array of run
	for program in "${device_tests[@]}"; do
		echo "$program on $1"
		DVKIT_DEVICE=$1 "build/bin/$program" --jobs 1 --tap="$tap.one" || status=$?
		cat "$tap.one" >>"$tap"
	done
	rm -f "$tap.one"
	echo
	echo "what the emulator assumes, on $1:"
	docs/assumptions.sh --list | while IFS=$'\t' read -r slug _ file _ sentence; do
		answer=$(verdict "$slug" "$tap")
		printf '%-8s %s: %s (%s)\n' "${answer%%  *}" "$slug" "$sentence" "$file"
		[ "${answer#*  }" = "$answer" ] || echo "         ${answer#*  }"
	done
	echo
	awk '/^ok .*# SKIP/ { skipped++; next } /^ok / { passed++ } /^not ok / { failed++ }
		END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$tap"
	rm -f "$tap"
	return $status
}
