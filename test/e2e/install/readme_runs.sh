#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every command of README.md and of docs/first-program.md runs as it is written there, and its program prints what the page says. A command
# that is neither run nor named below as one that cannot run fails the test.
#
#	readme_runs.sh CMAKE BUILD
set -u
. "$(dirname "$0")/../../lib/frame.sh"
cmake=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
pages=("$here/../../../README.md" "$here/../../../docs/first-program.md")
# shellcheck source=pages.sh
. "$here/pages.sh"
cd "$work" || exit
ran=0
export HOME=$work # ~/dvkit
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH
ln -s "$build" build

block "${pages[1]}" c 1 >write.c
block "${pages[1]}" text 1 >expected
[ -s write.c ] && [ -s expected ] || fail 'the page has no program'

# on_fabric COMMAND: on a fabric of this test.
on_fabric() {
	echo "${1//dvkit-emu /dvkit-emu --fabric readme-$$ }"
}

while read -r command; do
	case $command in
	'git clone '* | 'apt-get '*) continue ;;                 # network
	'./run '*) continue ;;                                   # takes minutes; CI runs them
	'cmake -S . '* | 'ninja -C build') continue ;;           # made $build
	'dvfw caps --json '*)                                    # an adapter: here that of the emulator
		command="build/bin/dvkit-emu -- build/bin/$command"
		;;
	'cmake --install '*)
		# A build tree's library folder is that of the machine: lib/x86_64-linux-gnu where the prefix is /usr.
		command="'$cmake' ${command#cmake }"
		;;
	'export '*)
		eval "$command"
		continue
		;;
	'dmesg | '*) # of a machine that has something to explain
		line='mlx5_core 0000:03:00.0: CREATE_QP(0x500) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x61b2a8)'
		command="echo '$line' | ${command#dmesg | }"
		;;
	'gcc '* | '~/dvkit/bin/dvkit-emu '* | build/bin/*) ;;
	*)
		fail "neither run nor known as one that cannot: $command"
		continue
		;;
	esac
	ran=$((ran + 1))
	expect_status 0 bash -o pipefail -c "$(on_fabric "$command")" </dev/null
	case $command in
	*'-- ./write') diff expected out || fail "$command: another output" ;;
	esac
	case $command in
	*--check*) grep -q 'check: 0 findings' err || fail "$command: findings" ;;
	esac
done < <(for page in "${pages[@]}"; do commands "$page"; done)
[ $ran -ge 10 ] || fail "only $ran commands"

# The lines below the first command are in its output.
block "${pages[0]}" console 1 >session
on_fabric "build/bin/$(sed -n '1s/^\$ //p' session)" >command
bash command >out 2>err || fail "$(cat command)"
tail -n +2 session >lines
[ "$(grep -c -x -F -f lines out)" = "$(grep -c . lines)" ] || fail 'another output of ibv_devinfo'

# The page's statement on instructions: dv takes less than half of either.
build/bin/dvkit-emu --fabric "readme-$$" -- build/bin/dvperf post -l 1 >out 2>&1
awk '$1 == "op" { for (i = 1; i <= NF; i++) column[$i] = i }
	$1 == "write" { post[$2] = $column["instr/WQE"]; poll[$2] = $column["instr/CQE"] }
	END { exit !(post["direct"] > 0 && poll["direct"] > 0 && 2 * post["direct"] < post["wr"] &&
		2 * post["direct"] < post["verbs"] && 2 * poll["direct"] < poll["verbs"]) }' out ||
	fail 'dv takes less than half of the instructions'
echo "$ran commands"
