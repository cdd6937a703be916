#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw on the emulator: commands executed by name, objects that live as long as a script, and
# refusals that name who refused and where in the script.
#
#	commands_on_a_device.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
examples=$(dirname "$0")/../../../tools/dvfw/examples
# script STATUS REGEX LINE...
script() {
	local status=$1 regex=$2
	shift 2
	printf '%s\n' "$@" >"$work/script"
	says "$status" "$regex" run "$work/script"
}

says 0 '^capability.cmd_hca_cap.vhca_id = ' cmd QUERY_HCA_CAP op_mod=GENERAL.current
says 0 '^0000: 01000000 00000001 ' cmd --hex QUERY_HCA_CAP op_mod=GENERAL
says 0 '^0x500  CREATE_QP .* yes$' list commands --device
says 0 '^0x960  FPGA_CREATE_QP .* no$' list commands --device
says 1 'CREATE_QP: firmware: BAD_' cmd CREATE_QP
says 1 'not on the DevX list' cmd ACCESS_REG
says 2 'op_mod=0 writes the register' cmd ACCESS_REGISTER_USER register_id=0x9055
says 1 "there is no device 'mlx5_7'; these are here: mlx5_0" -d mlx5_7 cmd NOP

says 0 '^b +CREATE_QP ' run "$examples/rc_pair.dvfw"
for example in "$examples"/*.dvfw; do
	says 0 . run "$example"
done

script 0 '^pd = 0x|^pd: ALLOC_PD, id 0x' 'pd = ALLOC_PD   # a comment' '' '# another'

# errors name the script and the line, and end it
script 1 "^$work/script:2: there is no|^$work/script:2: 'CRATE_CQ' is neither" \
	'pd = ALLOC_PD' 'CRATE_CQ' 'echo unreached'
lacks unreached
# shellcheck disable=SC2016 # that $ is dvfw's
script 1 "script:3: nothing is called '\\\$pf'; did you mean 'pd'" 'pd = ALLOC_PD' '' \
	'q = CREATE_QP qpc.pd=$pf'
script 1 "script:1: ALLOC_PD creates an object: assign it" 'ALLOC_PD'
script 1 "script:1: NOP creates no object" 'n = NOP'
script 1 "script:2: 'pd' is there already" 'pd = ALLOC_PD' 'pd = ALLOC_PD'
script 1 "script:1: 'out' cannot be a name" 'out = ALLOC_PD'
script 1 "script:1: nothing is called 'cq'" 'query cq'
script 1 "script:2: 'u' is no object of the device" 'u = uar' 'query u'
script 1 'script:2: MODIFY_CQ is no command that queries' 'pd = ALLOC_PD' 'query pd MODIFY_CQ'
script 1 'script:2: no command queries what ALLOC_PD created' 'pd = ALLOC_PD' 'query pd'
script 1 'script:1: a quote is open' 'echo "hello'
script 1 'script:1: NAME = umem BYTES' 'm = umem many'
script 1 "script:1: access= is 'none' or" 'm = umem 4096 access=everything'
script 1 'script:1: port 1 has no GID 99' 'to = av 1 99'
script 1 'script:2: .* is 0x[0-9a-f]+, expected 0x7' 'QUERY_ISSI' 'expect syndrome=7'
script 1 'script:1: expect: there is no outbox yet' 'expect syndrome=7'

# what is referred to is not destroyed, and continues to exist
cat "$examples/rc_pair.dvfw" - >"$work/busy" <<<'destroy pd'
says 1 'busy:[0-9]+: .*EINVAL: another object still refers to it' run "$work/busy"
script 1 "script:2: nothing is called 'pd'" 'pd = ALLOC_PD' 'destroy pd pd'
script 0 '^hello world$' 'echo "hello world" # not this'

# the shell takes the same lines, and a wrong one does not end it
printf 'pd = ALLOC_PD\nbanana\nobjects\nquit\n' >"$work/script"
# an error in a pipe shows in the exit status
says 1 '^pd *ALLOC_PD' shell <"$work/script"
