# SPDX-License-Identifier: BSD-2-Clause
# For tests that change one thing in a copy of include/dv and want it noticed. The test defines
# $source and run WHAT, which compiles with "${flags[@]}", leaves what was said in $work/out and returns 125 if
# it does not compile.
#
#	right WHAT...			the headers as they are: no finding
#	stays_right WHAT FILE SED	and with FILE of include/dv changed by SED
#	wrong TEXT WHAT FILE SED	says TEXT, and fails or has findings
#
# A change that finds nothing to change is a failure, too: it follows the source.
. "$(dirname "${BASH_SOURCE[0]}")/frame.sh"

copy_headers() {
	mkdir "$work/include"
	cp -r "$source/include/dv" "$work/include/dv"
	flags=(-O2 -D_GNU_SOURCE -I "$work/include" -I "$source/include" -I "$source/samples")
}

right() {
	local what
	for what; do
		run "$what" || fail "$what: status $?"
		has 'check: 0 findings' "$work/out"
	done
}

# with FILE SED COMMAND...
with() {
	local file=$work/include/dv/$1 status=0
	cp "$file" "$work/kept"
	sed -i "$2" "$file"
	if cmp -s "$file" "$work/kept"; then
		fail "$1: nothing to change by: $2"
	else
		"${@:3}" || status=$?
	fi
	cp "$work/kept" "$file"
	return $status
}

stays_right() {
	with "$2" "$3" right "$1"
}

wrong() {
	local status=0
	with "$3" "$4" run "$2" || status=$?
	case $status in
	125) fail "$3, changed by $4, does not compile" ;;
	124 | 137) fail "$2 does not end with $3 changed by: $4" ;;
	esac
	[ $status != 0 ] || ! grep -q 'check: 0 findings' "$work/out" ||
		fail "$2 passes with $3 changed by: $4"
	grep -Eq -- "$1" "$work/out" || fail "no '$1' from $2 with $3 changed by: $4"
}

# inside FUNCTION SED: SED between the head of FUNCTION and its end.
inside() {
	echo "/^DV_INLINE .*[ *]$1(/,/^}/{$2}"
}
