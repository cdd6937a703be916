#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# man_pages_agree_with_help.sh accepts a page of a program as it is, and refuses it with one thing changed.
#
#	man_pages_agree_with_help_catches_violations.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
mkdir -p "$work/root/man"

cat >"$work/tool" <<'PROGRAM'
#!/bin/sh
cat <<HELP
Usage: tool SUBCOMMAND [OPTION...]

  -d, --ib-dev=DEV           The device
      --fast_and_loose as one likes it
      --list, --ls           List, with --nothing else
  -?, --help                 Give this help list

Subcommands:
  show       what there is
  hide       the rest
HELP
PROGRAM
chmod +x "$work/tool"

true_page() {
	cat <<'PAGE'
# NAME

tool - shows

# DESCRIPTION

**show**
:   What there is. **-d** *DEV*, **\--ib-dev**=*DEV*.

**hide**
:   The rest: **\--fast_and_loose**, **\--list** or **\--ls**.

# EXAMPLES

    tool show -d mlx5_0
    dvkit-emu -- tool hide --list
PAGE
}

# expect RESULT WHAT [SED]: what comes of the page, changed by SED.
expect() {
	true_page | sed "${3-}" >"$work/root/man/tool.1.md"
	if out=$("$here/man_pages_agree_with_help.sh" "$work/root" "$work/tool"); then
		result=accepted
	else
		result=refused
	fi
	[ "$result" = "$1" ] && return 0
	echo "$2: $result"
	echo "$out"
	failures=1
}

expect accepted 'a true page'
expect refused 'an option that is missing' 's/, .*--ls\*\*//; s/ or .*--ls//'
expect refused 'a letter that is missing' 's/-d/the device/g'
expect refused 'a letter and its long name on different lines' 's/, \*\*.--ib-dev\*\*/.\n\n**\\--ib-dev**/'
expect refused 'an option that does not exist' 's/ib-dev/ib-device/'
expect refused 'an option that does not exist, in an example' 's/--list$/--lost/'
expect refused 'an option of the text of another' 's/The rest/The rest, \\--nothing/'
expect refused 'a letter that does not exist' 's/\*\*-d\*\*/**-d**, **-x**/'
expect refused 'a subcommand that is missing' 's/\*\*hide\*\*/**hidden**/'
expect refused 'a subcommand that does not exist' 's/tool hide/tool hidden/'
rm "$work/root/man/tool.1.md"
! "$here/man_pages_agree_with_help.sh" "$work/root" "$work/tool" >"$work/out" ||
	{ echo 'a program without a page: accepted'; failures=1; }
exit $failures
