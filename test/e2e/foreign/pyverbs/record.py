# SPDX-License-Identifier: BSD-2-Clause
"""Runs one module of rdma-core's tests and writes down each step of it.

record.py TESTS MODULE RECORD [AFTER]: the tests of MODULE, or those that follow the test
AFTER. TESTS is rdma-core's folder "tests". A line of RECORD, fields parted by tabs:

	plan  ID
	run   ID
	pass  ID
	skip  ID  REASON
	fail  ID  REASON	an assertion
	error ID  REASON	any other exception
	end			all were run; the process may still die as it frees its objects

Each line is on disk before the next step, so that it is seen which test a process died in.
unittest's own words go to standard output and error as ever.
"""
import gc
import importlib.machinery
import os
import sys
import unittest

folder, module, path = sys.argv[1:4]
after = sys.argv[4] if len(sys.argv) > 4 else None
record = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)


def note(word, test, reason=''):
    line = '\t'.join([word, test.id().replace('tests.test_', '', 1), ' '.join(reason.split())])
    os.write(record, (line.rstrip() + '\n').encode())


def last_words(err):
    return f'{err[0].__name__}: {err[1]}'


class Recorder(unittest.TextTestResult):
    def startTest(self, test):
        note('run', test)
        super().startTest(test)

    def addSuccess(self, test):
        note('pass', test)
        super().addSuccess(test)

    def addSkip(self, test, reason):
        note('skip', test, reason)
        super().addSkip(test, reason)

    def addFailure(self, test, err):
        note('fail', test, last_words(err))
        super().addFailure(test, err)

    def addError(self, test, err):
        note('error', test, last_words(err))
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            note('error', test, last_words(err))
        super().addSubTest(test, subtest, err)


def flat(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from flat(entry)
        else:
            yield entry


# In cycles of objects that it frees, Python 3.13's collector closes the context first, and the CQ
# uses it (SIGSEGV in libmlx5); a test is not to die of what an earlier one left.
gc.disable()

# As run_tests.py does to become the package "tests".
sys.path.insert(0, folder)
del sys.argv[1:]
init = os.path.join(folder, '__init__.py')
tests = importlib.machinery.SourceFileLoader('tests', init).load_module()
importlib.import_module('args_parser').parser.parse_args()

todo = list(flat(unittest.defaultTestLoader.loadTestsFromName(f'tests.{module}')))
if after is not None:
    ids = [test.id() for test in todo]
    todo = todo[ids.index(f'tests.test_{after}') + 1:]
else:
    for test in todo:
        note('plan', test)
unittest.TextTestRunner(resultclass=Recorder, verbosity=2).run(unittest.TestSuite(todo))
os.write(record, b'end\n')
