#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# made-up trees with one wrong #include each must be
# refused by include_table.sh, and the tree without it accepted.
set -eu
. "$(dirname "$0")/../lib/violations.sh"

# A small tree: every module with its public header, and one private header in fw.
fresh_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/include/dv" "$tree/include/prm" "$tree/include/dvkit" "$tree/dv" "$tree/devx" "$tree/prm" \
		"$tree/samples"
	for module in base options lane run; do
		mkdir -p "$tree/tools/dvperf/$module"
		: >"$tree/tools/dvperf/$module/$module.h"
	done
	: >"$tree/tools/dvperf/lane/ring.h"
	echo '#include "ring.h"' >"$tree/tools/dvperf/lane/lane.c"
	echo '#include "lane/lane.h"' >"$tree/tools/dvperf/run/run.c"
	for module in base names box flows session; do
		mkdir -p "$tree/tools/dvfw/$module"
		: >"$tree/tools/dvfw/$module/$module.h"
	done
	: >"$tree/tools/dvfw/flows/rules.h"
	echo '#include "names/names.h"' >"$tree/tools/dvfw/box/box.c"
	for module in core hca mem event wire fw engine uverbs explain options preload launcher; do
		mkdir -p "$tree/emu/$module"
		echo '#include <stdint.h>' >"$tree/emu/$module/$module.h"
		echo "#include \"$module/$module.h\"" >"$tree/emu/$module/$module.c"
	done
	echo '#include "prm/prm.h"' >"$tree/emu/fw/command.h"
	echo '#include "fw/command.h"' >>"$tree/emu/fw/fw.c"
	echo '#include "dv/cqe.h"' >>"$tree/emu/explain/explain.c"
	echo '#include "dvkit/emu.h"' >>"$tree/emu/preload/preload.c"
	: >"$tree/include/dvkit/emu.h"
	: >"$tree/include/prm/prm.h"
	: >"$tree/include/dv/cqe.h"
	echo '#include "dv/cqe.h"' >"$tree/dv/cqe.c"
	echo '#include <dvkit/emu.h>' >"$tree/tools/dvfw/base/probe.c"
}

# refused FILE INCLUDE: the line "#include INCLUDE" in FILE is reported.
refused() {
	fresh_tree
	mkdir -p "$(dirname "$tree/$1")"
	echo "#include $2" >>"$tree/$1"
	expect_report "^$1:" "#include $2 in $1" "$tree"
}

fresh_tree
expect accepted 'a tree without violations' "$tree"
refused emu/core/core.c '"hca/hca.h"'        # upwards
refused emu/mem/mem.c '"event/event.h"'      # sideways
refused emu/fw/fw.c '"engine/engine.h"'      # fw and engine are independent
refused emu/engine/engine.c '"fw/fw.h"'
refused emu/engine/engine.c '"dv/cqe.h"'     # the second witness stays one
refused emu/fw/fw.c '<dv/cqe.h>'             # brackets do not help
refused emu/uverbs/uverbs.c '"fw/command.h"' # not the public header
refused emu/uverbs/uverbs.c '"../fw/fw.h"'
refused emu/engine/engine.c '"hca/kind.def"'    # a table that the row does not name
refused emu/engine/engine.c '"dvkit/emu.h"'
refused emu/launcher/launcher.c '"preload/preload.h"'
refused emu/newmodule/x.c '<stdint.h>'         # a folder without a row
refused include/dv/cqe.h '"core/core.h"'     # the library never includes the emulator
refused include/dv/cqe.h '"dvkit/emu.h"'
refused include/dvkit/emu.h '"engine/engine.h"'
refused include/prm/prm.h '"dv/cqe.h"'
refused dv/cqe.c '"fw/fw.h"'
refused samples/rc_send.c '<dvkit/emu.h>'
refused tools/dvfw/main.c '"fw/fw.h"'          # dvfw sees the emulator as a program does
refused tools/dvfw/base/base.h '"names/names.h"' # its modules include downwards
refused tools/dvfw/box/box.c '"session/session.h"'
refused tools/dvfw/flows/rules.h '"session/session.h"'
refused tools/dvfw/session/session.h '"flows/rules.h"' # and public headers only
refused tools/dvfw/box/box.c '"fw/fw.h"'
refused tools/dvfw/other/x.c '<stdint.h>'
refused tools/dvperf/lane/lane.c '"run/run.h"'  # the modules of dvperf include downwards too
refused tools/dvperf/options/options.h '"lane/lane.h"'
refused tools/dvperf/run/run.c '"lane/ring.h"'  # and public headers only
refused tools/dvperf/run/run.c '"engine/engine.h"'
refused tools/dvperf/other/x.c '<stdint.h>'
refused tools/other/main.c '<stdint.h>'
