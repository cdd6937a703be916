#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# man_pages_agree_with_help.sh accepts a page of a program as it is, and refuses it with one thing changed.
#
#	man_pages_agree_with_help_catches_violations.sh
set -eu
. "$(dirname "$0")/../lib/violations.sh"
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

# page RESULT WHAT [SED]: what comes of the page, changed by SED.
page() {
	true_page | sed "${3-}" >"$work/root/man/tool.1.md"
	expect "$1" "$2" "$work/root" "$work/tool"
}

page accepted 'a true page'
page refused 'an option that is missing' 's/, .*--ls\*\*//; s/ or .*--ls//'
page refused 'a letter that is missing' 's/-d/the device/g'
page refused 'a letter and its long name on different lines' 's/, \*\*.--ib-dev\*\*/.\n\n**\\--ib-dev**/'
page refused 'an option that does not exist' 's/ib-dev/ib-device/'
page refused 'an option that does not exist, in an example' 's/--list$/--lost/'
page refused 'an option of the text of another' 's/The rest/The rest, \\--nothing/'
page refused 'a letter that does not exist' 's/\*\*-d\*\*/**-d**, **-x**/'
page refused 'a subcommand that is missing' 's/\*\*hide\*\*/**hidden**/'
page refused 'a subcommand that does not exist' 's/tool hide/tool hidden/'
rm "$work/root/man/tool.1.md"
expect refused 'a program without a page' "$work/root" "$work/tool"
