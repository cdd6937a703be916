# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Shared by the scripts that run the commands of a document; to be sourced.
#
#	block PAGE LANGUAGE NUMBER	the contents of the NUMBER-th fenced block of LANGUAGE
#	commands PAGE			the indented lines, without comments, joined after a backslash
#	installed CMAKE BUILD PREFIX	an installed tree
block() {
	awk -v start="\`\`\`$2" -v number="$3" '
		$0 == "```" { inside = 0 }
		inside && n == number { print }
		$0 == start { inside = 1; n++ }' "$1"
}

commands() {
	awk '/^```/ { fenced = !fenced } !fenced' "$1" |
		sed -n '/^    /{:a;/\\$/{N;s/ *\\\n */ /;ba};s/  *# .*//;s/^    //;p}'
}

installed() {
	"$1" --install "$2" --prefix "$3" >/dev/null
}
