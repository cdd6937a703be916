#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# man_pages_agree_with_headers.sh accepts a page that is true, and refuses it with one thing changed.
#
#	man_pages_agree_with_headers_catches_violations.sh [ROOT]
set -eu
. "$(dirname "$0")/../lib/violations.sh"
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
page=$work/page.3.md

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

# page RESULT WHAT [SED]: what comes of the page, changed by SED.
page() {
	true_page | sed "${3-}" >"$page"
	expect "$1" "$2" "$root" "$page"
}

page accepted 'a true page'
page refused 'a prototype of another type' 's/uint16_t dv_sq_space/uint32_t dv_sq_space/'
page refused 'an argument of another type' 's/__be32 imm/uint8_t imm/'
page refused 'a function that is not there' 's/dv_sq_commit(/dv_sq_submit(/'
page refused 'an enumerator of another value' 's/DV_BLUEFLAME = 1/DV_BLUEFLAME = 2/'
page refused 'an enumerator that is not there' 's/DV_DOORBELL,/DV_DOORBELLS,/'
page refused 'a member of another type' 's/uint32_t rkey/uint64_t rkey/'
page refused 'a member of another name' 's/uint32_t rkey/uint32_t lkey/'
page refused 'another macro' 's/always_inline/noinline/'
page refused 'a macro that is not there' 's/define DV_INLINE/define DV_OUTLINE/'
page refused 'a header that is not there' 's,dv/sq.h,dv/queue.h,'
page refused 'an example that does not compile' 's/dv_sq_doorbell(&sq)/dv_sq_doorbell(sq)/'
page refused 'a page without an example' '/^# EXAMPLE/,$d'
