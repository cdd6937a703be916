# SPDX-License-Identifier: BSD-2-Clause
# For aarch64, on another machine: Debian's cross compiler, and qemu-user to run the programs.
# Library, samples and the tests that need no adapter; not the emulator.
#
#	cmake -S . -B build-aarch64 --toolchain cmake/aarch64.cmake -DCMAKE_SYSROOT=DIR
#
# DIR: Debian's arm64 packages libc6-dev, linux-libc-dev, libibverbs-dev and what they depend on,
# unpacked. "./run test --aarch64" makes one in build-aarch64/sysroot.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${CMAKE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
