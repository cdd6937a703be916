#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The C code is formatted as .clang-format says. Other versions than 14, Debian 12's, format some
# lines differently: with another one, or none, the check is skipped.
#
#	clang_format.sh [ROOT]		prints what deviates; 1 when something does
set -eu
cd "${1:-$(dirname "$0")/../..}"

for tool in clang-format-14 clang-format ''; do
	case $(${tool:-false} --version 2>/dev/null || true) in
	*'version 14.'*) break ;;
	esac
done
if [ -z "$tool" ]; then
	echo 'clang-format 14 is not installed'
	exit 77
fi
find . \( -name .git -o -name 'build*' \) -prune -o \( -name '*.[ch]' -o -name '*.cpp' \) -print0 |
	xargs -0 -n 64 -P 0 "$tool" --dry-run -Werror
