#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The include table: which folder may include which. Lower layers only, and of another module only
# its public header "MODULE/MODULE.h", or a table that the row names ("MODULE/x.def"); of include/ any
# header of the folder.
#
#	include_table.sh [ROOT]		prints violations; 1 when there are any
#
# A folder of the emulator, of a tool or of include/ that has no row here is a violation too.
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

table='
include/prm   prm
include/dv    dv
include/devx  devx dv prm
include/flow  flow prm devx
include/dvkit dv devx flow prm
prm           prm
dv            dv prm prm/array.h dvkit/version.h
devx          devx dv dv/refuse.h prm prm/array.h
flow          flow devx dv/refuse.h prm prm/array.h
samples       dv devx flow prm dvkit/dvkit.h
tools/near    -
tools/libexec -
tools/dvfw    base names ask flows session doctor dvkit near libexec
tools/dvfw/base       devx prm prm/array.h dvkit/emu.h near
tools/dvfw/names      base prm
tools/dvfw/caps       base names devx prm
tools/dvfw/box        base names caps devx prm
tools/dvfw/ask        base names caps box dv devx prm
tools/dvfw/flows      base names flow prm dvkit/emu.h
tools/dvfw/session    base names box ask flows devx flow prm
tools/dvfw/doctor     base caps devx prm
tools/dvperf  base options result model machine lane mmio peer run sweep libexec
tools/dvperf/base     prm prm/array.h dvkit/version.h near
tools/dvperf/options  base
tools/dvperf/result   base options
tools/dvperf/model    base options result
tools/dvperf/machine  base options result model dv devx dvkit/emu.h
tools/dvperf/lane     base options machine dv devx prm
tools/dvperf/mmio     base options result machine dv
tools/dvperf/peer     base options libexec
tools/dvperf/peer/mpi base peer peer/ranks.h
tools/dvperf/run      base options result model machine lane peer dvkit/emu.h
tools/dvperf/sweep    base options result model machine peer run dvkit/emu.h libexec
emu           -
emu/core      -
emu/kernel    -
emu/options   kernel
emu/hca       core prm
emu/mem       core hca
emu/event     core hca prm
emu/wire      core hca options
emu/fw        core hca mem event steer prm hca/kind.def
emu/steer     core hca prm
emu/net       core hca wire prm
emu/engine    core hca mem event wire net steer prm
emu/uverbs    core hca hca/hw_counter.def hca/port_counter.def mem event wire fw prm kernel
emu/ucma      core hca wire kernel
emu/fwctl     core hca fw prm
emu/nldev     core hca uverbs ucma kernel
emu/explain   core hca wire steer prm dv
emu/preload   core hca mem event wire net steer fw engine uverbs ucma fwctl nldev explain options prm kernel dvkit/emu.h
emu/pci       core hca mem event wire net fw engine options prm
emu/launcher  pci core hca hca/hw_counter.def hca/port_counter.def mem event fw net/net.h wire/wire.h explain options options/option.def kernel prm dvkit/version.h
'

cd "$root"
find include emu dv devx prm samples tools -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) |
	sort | TABLE=$table awk '
function exists(path,    line, found)
{
	found = (getline line < path) >= 0
	close(path)
	return found
}

function blame(what)
{
	printf "%s:%d: %s\n", file, nr, what
	bad = 1
}

# @name: the text between the quotes or brackets.
function check(name, quoted,    first)
{
	if (name ~ /(^|\/)\.\.\//)
		return blame("climbs out of its folder: " name)
	if (name !~ /\//) {
		if (!quoted || exists(dir "/" name))
			return
		return blame("not a public header: " name)
	}
	first = name
	sub(/\/.*/, "", first)
	if (!quoted && !exists("emu/" name) && !exists("include/" name))
		return
	if (!(first in known)) {
		if (quoted)
			blame("no such module: " name)
		return
	}
	if (dir ~ /^(emu|include|tools\/[a-z]+)\/[a-z]+$/ && dir ~ "/" first "$")
		return
	if (may[dir, name])
		return
	if (!may[dir, first])
		return blame(dir " may not include " name)
	if (first in module && name != first "/" first ".h")
		blame("not the public header of " first ": " name)
}

BEGIN {
	n = split(ENVIRON["TABLE"], row, "\n")
	for (i = 1; i <= n; i++) {
		if (row[i] !~ /[^ ]/)
			continue
		m = split(row[i], word, " ")
		rows[word[1]] = 1
		if (word[1] ~ /^emu\//)
			module[substr(word[1], 5)] = known[substr(word[1], 5)] = 1
		if (split(word[1], part, "/") == 3)
			module[part[3]] = known[part[3]] = 1
		for (j = 2; j <= m; j++)
			may[word[1], word[j]] = 1
	}
	known["dv"] = known["prm"] = known["devx"] = known["flow"] = known["dvkit"] = known["emu"] = 1
	module["near"] = known["near"] = module["libexec"] = known["libexec"] = 1
}

{
	file = $0
	dir = file
	sub(/\/[^\/]*$/, "", dir)
	nr = 0
	if (!(dir in rows))
		blame("the folder " dir " has no row in the include table")
	while ((getline line < file) > 0) {
		nr++
		if (line !~ /^[ \t]*#[ \t]*include[ \t]*[<"]/)
			continue
		quoted = line ~ /include[ \t]*"/
		sub(/^[^<"]*[<"]/, "", line)
		sub(/[>"].*/, "", line)
		check(line, quoted)
	}
	close(file)
	files++
}

END {
	if (!files) {
		print "no source files found"
		exit 1
	}
	exit bad
}'
