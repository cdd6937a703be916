#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A test that is contained leaves nothing, however it ends, and no report of a sanitizer passes: contained.c.
#
#	contained.sh CONTAINED
set -u
. "$(dirname "$0")/frame.sh"
contained=$(realpath "$1") script=$(realpath "$0")
cd "${2-$work}" || exit # a test sees the folder that it is started in, whatever else is hidden

# ends STATUS ARGUMENT...: contained ends with it.
ends() {
	expect_status "$1" "$contained" "${@:2}" </dev/null
}

# ---- huge pages: this part is run where a file of this test's own is the machine's setting ----

setting=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_overcommit_hugepages

allows() {
	[ "$(head -n 1 $setting)" = "$1" ]
}

# holds FILE: a test with huge pages, in variable holder, until the file is removed.
holds() {
	touch "$1"
	"$contained" --huge-pages sh -c 'while [ -e "$0" ]; do sleep 0.01; done' "$1" &
	holder=$!
}

# Two at a time, the second of which is killed.
two_with_huge_pages() {
	local first
	holds a
	first=$holder
	until_true allows $((5 + 2048))
	holds b
	until_true allows $((5 + 2 * 2048))
	rm a
	wait $first
	allows $((5 + 2048)) || fail "huge pages after the first: $(cat $setting)"
	kill -KILL $holder
	until_true allows 5
	ends 0 sh -c "[ \"\$(head -n 1 $setting)\" = 5 ]"
}

if [ -n "${2-}" ]; then
	mount --bind setting $setting
	two_with_huge_pages
	exit
fi

# ---- exit status ----

for status in 0 3 77; do
	ends $status sh -c "exit $status"
done
ends 127 ./nothing
ends 139 sh -c 'kill -SEGV $$'
has 'Segmentation fault'
ends 2 --no-such-option true
ends 2

# ---- processes: also those that left their session; they hold a lock, since each namespace has its numbers ----

held() {
	! flock -n lock true
}
not_held() {
	! held
}
ends 0 sh -c 'setsid flock "$0" sleep 1000 & while flock -n "$0" true; do sleep 0.01; done' lock
not_held || fail 'a process is left'
"$contained" flock lock sleep 1000 &
until_true held
kill -KILL $!
until_true not_held

# One that hangs is ended, and it says where that is.
ends 1 --limit 1 sh -c 'sleep 1000; true'
has '^contained: not at its end after 1 s'
has '^---- process .*: sleep 1000'
has nanosleep

# ---- reports of sanitizers: by a process whose exit status is not looked at, as with Criterion ----

cat >wrong.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int counter;

static void *count(void *arg)
{
	for (int i = 0; i < 100000; i++)
		counter++;
	return arg;
}

int main(int argc, char **argv)
{
	char *volatile lost = NULL;
	volatile int shift = 40;
	pthread_t other;

	if (argc < 3 && fork()) { /* here: without a child */
		wait(NULL);
		return 0;
	}
	if (!strcmp(argv[argc - 1], "leaks"))
		lost = malloc(77);
	if (!strcmp(argv[argc - 1], "overflows"))
		((char *volatile)malloc(8))[8] = 1;
	if (!strcmp(argv[argc - 1], "shifts"))
		counter = 1 << shift;
	if (!strcmp(argv[argc - 1], "races")) {
		pthread_create(&other, NULL, count, NULL);
		count(NULL);
		pthread_join(other, NULL);
	}
	lost = NULL;
	return lost != NULL;
}
C

# reports SANITIZER WORDS HOW...: the program that does so fails, and the report is shown; without the fault it passes.
reports() {
	local sanitizer=$1 words=$2
	shift 2
	cc -w -g -fsanitize="$sanitizer" wrong.c -o wrong -pthread 2>/dev/null && ./wrong 2>/dev/null || return 0
	ends 0 ./wrong
	ends 1 ./wrong "$@"
	has "$words"
	echo "$sanitizer: $*"
}
reports address 'LeakSanitizer: detected memory leaks' leaks
reports address 'AddressSanitizer: heap-buffer-overflow' overflows
reports undefined 'shift exponent 40' shifts
reports address,undefined 'LeakSanitizer: detected memory leaks' leaks
# gcc's UBSan beside ASan does not know the folder for reports.
reports address,undefined 'shift exponent 40' here shifts
reports thread 'ThreadSanitizer: data race' races

# ---- namespaces ----

[ "$(id -u)" = 0 ] && unshare -m -p -i -n -f true 2>/dev/null || exit 0
for folder in /tmp /run /dev/shm; do
	outside=$(mktemp -p $folder)
	ends 0 sh -c '[ ! -e "$0" ] && touch "$0.inside"' "$outside"
	[ ! -e "$outside.inside" ] || fail "$outside.inside is left"
	rm -f "$outside"*
done
before=$(ipcs; ip link)
ends 0 ipcmk -M 4096
ends 0 ip link add dvkit-left type veth
[ "$(ipcs; ip link)" = "$before" ] || fail 'a segment or an interface is left'
ends 0 sh -c '[ "$(ip -o link | wc -l) $(ip -o link show up | wc -l)" = "1 1" ]'
ends 0 --network sh -c '[ "$(ip link)" = "$0" ]' "$(ip link)"
# The build folder is there, and the folder that it is started in.
ends 0 sh -c '[ "$(pwd -P)" = "$0" ] && [ -f "$1" ] && touch here' "$(pwd -P)" "$(realpath "$contained")"
[ -f here ] || fail 'another folder'
echo 5 >setting
if [ -e $setting ]; then
	unshare -m --propagation private "$script" "$contained" "$work" || fail 'huge pages'
fi
