# SPDX-License-Identifier: BSD-2-Clause
# Reads the JUnit files that ctest writes and prints one line: "N passed, N failed, N skipped".
# A Criterion program counts with the tests it ran (its "Synthesis" line), any other as one.
# Exit status 1 when something failed or nothing ran.

function finish(    ran)
{
	if (status == "run" && synthesis) {
		passed += ok
		failed += broken
	} else if (status == "run") {
		passed++
	} else if (status == "fail") {
		# Failed without a failing test: a sanitizer's exit status, a crash, a time limit.
		passed += ok
		failed += broken ? broken : 1
	} else {
		skipped++
	}
}

/<testcase / {
	status = $0
	sub(/.* status="/, "", status)
	sub(/".*/, "", status)
	synthesis = ok = broken = 0
	inside = 1
}

inside && /Synthesis: Tested: [0-9]+ \| Passing: [0-9]+ \| Failing: [0-9]+/ {
	line = $0
	sub(/.*Passing: /, "", line)
	ok += line + 0
	sub(/.*Failing: /, "", line)
	broken += line + 0
	synthesis = 1
}

/<\/testcase>/ || (/<testcase / && /\/>$/) {
	finish()
	inside = 0
}

END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed || !passed
}
