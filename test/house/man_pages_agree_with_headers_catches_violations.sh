#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# man_pages_agree_with_headers.sh accepts a page that is true, and refuses it with one thing changed.
#
#	man_pages_agree_with_headers_catches_violations.sh [ROOT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${1:-$here/../..}" && pwd)
page=$(mktemp --suffix=.3.md)
trap 'rm -f "$page"' EXIT
failures=0

true_page() {
	cat <<'PAGE'
# SYNOPSIS

```c
#include <dv/post.h>
#include <dv/sq.h>

enum dv_doorbell {
	DV_DOORBELL,
	DV_BLUEFLAME = 1, /* of a register */
};

struct dv_raddr {
	uint64_t raddr; /* where */
	uint32_t rkey;
};

#define DV_INLINE static inline __attribute__((always_inline))

static inline uint16_t dv_sq_space(const struct dv_sq *sq);
static inline void dv_sq_commit(struct dv_sq *sq, const void *end, uint8_t opcode,
				uint8_t opmod, uint8_t flags, __be32 imm);
```

# EXAMPLE

```c
if (!dv_sq_space(&sq))
	return ENOMEM;
dv_sq_doorbell(&sq);
```
PAGE
}

# expect RESULT WHAT [SED]: what comes of the page, changed by SED.
expect() {
	true_page | sed "${3-}" >"$page"
	if out=$("$here/man_pages_agree_with_headers.sh" "$root" "$page"); then
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
expect refused 'a prototype of another type' 's/uint16_t dv_sq_space/uint32_t dv_sq_space/'
expect refused 'an argument of another type' 's/__be32 imm/uint8_t imm/'
expect refused 'a function that is not there' 's/dv_sq_commit(/dv_sq_submit(/'
expect refused 'an enumerator of another value' 's/DV_BLUEFLAME = 1/DV_BLUEFLAME = 2/'
expect refused 'an enumerator that is not there' 's/DV_DOORBELL,/DV_DOORBELLS,/'
expect refused 'a member of another type' 's/uint32_t rkey/uint64_t rkey/'
expect refused 'a member of another name' 's/uint32_t rkey/uint32_t lkey/'
expect refused 'another macro' 's/always_inline/noinline/'
expect refused 'a macro that is not there' 's/define DV_INLINE/define DV_OUTLINE/'
expect refused 'a header that is not there' 's,dv/sq.h,dv/queue.h,'
expect refused 'an example that does not compile' 's/dv_sq_doorbell(&sq)/dv_sq_doorbell(sq)/'
expect refused 'a page without an example' '/^# EXAMPLE/,$d'
exit $failures
