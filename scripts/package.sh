# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of ./run: Debian packages of this tree, and their test in a fresh Debian. Uses need(), quietly() and
# in_debian() of run.
. scripts/root.sh

package_packages=(build-essential dpkg-dev debhelper fakeroot lintian libcriterion-dev libopenmpi-dev)
packages=build-package

# package_source DIR: the files of this tree, as they are, without what was built.
package_source() {
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
			[ ! -e "$file" ] || printf '%s\0' "$file"
		done | tar -c --null -T - | tar -x -C "$1"
	else
		tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$1"
	fi
}

# package_build: the .debs of this tree, in build-package/; lintian reports nothing.
package_build() {
	local status=0
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/dvkit"
	package_source "$work/dvkit"
	rm -rf $packages
	mkdir -p $packages
	echo "building packages in $packages/, log in $packages/log"
	# debhelper's steps show that it goes on
	(cd "$work/dvkit" && dpkg-buildpackage --build=full --no-sign) </dev/null 2>&1 |
		tee $packages/log | awk '
			match($0, /^ .*dh_auto_(configure|build|test|install)/) {
				sub(/.*dh_auto_/, "")
				sub(/[^a-z].*/, "")
				if ($0 != last)
					print "  " $0
				last = $0
				fflush()
			}'
	status=${PIPESTATUS[0]}
	find "$work" -maxdepth 1 -type f -exec mv {} $packages/ \;
	rm -rf "$work"
	trap - EXIT
	if [ "$status" != 0 ] || ! ls $packages/*.deb >/dev/null 2>&1; then
		tail -n 40 $packages/log
		echo 'failed: dpkg-buildpackage'
		return 1
	fi
	echo 'lintian'
	lintian --allow-root --fail-on error,warning --tag-display-limit 0 $packages/*.changes || return 1
	(cd $packages && ls -sh ./*.deb)
}

# The files of the root, except what every installation of a package changes, what is in memory on a
# machine, and what Python compiles of autopkgtest.
package_files() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./run -o -path ./dev -o -path ./tmp -o -path ./packages -o \
		-path ./var/cache -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o \
		-name __pycache__ \) \
		-prune -o -print) | sort
}

# package_test: installs the packages in a fresh Debian, runs debian/tests, purges, and compares the files.
package_test() {
	local suite names
	need debootstrap
	root_possible || return 1
	suite=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-sid}") || suite=bookworm
	root=$(mktemp -d /var/tmp/dvkit-packages.XXXXXX)
	trap 'rm -rf --one-file-system "$root" "$root.new" "$root.log"' EXIT
	step "a minimal Debian, $suite" root_make "$suite"
	mkdir "$root/packages"
	cp $packages/*.deb "$root/packages/"
	mkdir "$root/packages/source"
	package_source "$root/packages/source"

	quietly root_inside apt-get update
	# Other requirements of the tests are installed before and after; autopkgtest itself needs dpkg-dev
	# for a source tree, and installs it.
	mapfile -t names < <(sed -n 's/^Package: //p' debian/control)
	# shellcheck disable=SC2046 # one word per package
	step 'autopkgtest, and what the tests need' quietly root_inside env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends autopkgtest dpkg-dev $(sed -n 's/^Depends: //p' debian/tests/control |
			tr -d , | xargs -n 1 | grep -vxF "$(printf '%s\n' "${names[@]}")" | sort -u)
	package_files >$packages/files.before
	step 'apt-get install of all packages' quietly root_inside sh -c \
		'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /packages/*.deb'
	step 'debian/tests' root_inside sh -c 'autopkgtest --no-built-binaries /packages/*.deb /packages/source \
		--output-dir=/tmp/autopkgtest -- null >/tmp/log 2>&1; status=$?
		cat /tmp/autopkgtest/summary; [ $status = 0 ] || tail -n 40 /tmp/log /tmp/autopkgtest/*-stdout; exit $status'
	# what they needed was installed automatically
	step 'apt-get purge' quietly root_inside apt-get purge -y --auto-remove "${names[@]}"
	package_files >$packages/files.after
	if ! diff $packages/files.before $packages/files.after; then
		echo 'FAILED: the files before the installation and after the purge differ'
		return 1
	fi
	echo "$(wc -l <$packages/files.after) files before and after"
}

run_package() {
	local with_test='' debian='' new_root=''
	while [ $# -gt 0 ]; do
		case $1 in
		--test) with_test=--test ;;
		--debian=12 | --debian=13 | --debian=sid) debian=${1#*=} ;;
		--fresh) new_root=1 ;;
		*) refuse "unknown argument: $1" ;;
		esac
		shift
	done
	[ -z "$new_root" ] || [ -n "$debian" ] || refuse '--fresh is for --debian'
	if [ -n "$debian" ]; then
		in_debian "$debian" "$new_root" package $with_test
		return
	fi
	need "${build_packages[@]}" "${package_packages[@]}"
	package_build
	[ -z "$with_test" ] || package_test
}
