/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hooked functions. REAL(close)(fd) calls the close of the next object in the
 * search order: libc's, or a sanitizer's interceptor. Each place resolves its function at the
 * first call, which may be before any constructor ran; two threads that race resolve it
 * twice, to the same value.
 *
 * Functions that libc has only on some machines are not named here: glibc 2.33 or newer.
 */
#ifndef EMU_PRELOAD_REAL_H
#define EMU_PRELOAD_REAL_H

#include <stdatomic.h>
#include <stdint.h>

#define HOOK __attribute__((visibility("default")))

/* Address of the next function of that name; ends the process when there is none. */
uintptr_t real_find(const char *name);

#define REAL(name)                                                                   \
	({                                                                           \
		static _Atomic uintptr_t found_;                                     \
		uintptr_t at_ = atomic_load_explicit(&found_, memory_order_relaxed); \
		if (!at_) {                                                          \
			at_ = real_find(#name);                                      \
			atomic_store_explicit(&found_, at_, memory_order_relaxed);   \
		}                                                                    \
		(__typeof__(&name))at_;                                              \
	})

#endif
