# SPDX-License-Identifier: BSD-2-Clause
# Reads the JUnit files that ctest writes and prints one line: "N passed, N failed, N skipped".
# A Criterion program counts with the tests it ran (its "Synthesis" line), any other as one.
# The last result counts for a test in several files; one that failed first and passed then is named.
# Exit status 1 when something failed or nothing ran.

function finish()
{
	if (status == "run" && synthesis) {
		passes[name] = ok
		failures[name] = ok + broken ? broken : 1 # its filter fits no test
	} else if (status == "run") {
		passes[name] = 1
		failures[name] = 0
	} else if (status == "fail") {
		# Failed without a failing test: a sanitizer's exit status, a crash, a time limit.
		passes[name] = ok
		failures[name] = broken ? broken : 1
		failed_once[name] = 1
	} else {
		skips[name] = 1
	}
}

# The value of @attribute in the line.
function value(attribute,    text)
{
	text = $0
	sub(".* " attribute "=\"", "", text)
	sub(/".*/, "", text)
	return text
}

/<testcase / {
	status = value("status")
	name = value("name")
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
	for (name in failed_once)
		if (!failures[name])
			print "unreliable: " name " failed, and passed alone"
	for (name in passes)
		passed += passes[name]
	for (name in failures)
		failed += failures[name]
	for (name in skips)
		skipped++
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed || !passed
}
