#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Do the tests notice a wrong change?

Draws places of the code at random, makes a small wrong change at each (another comparison, a bound off by one, a
call or an assignment left out, a condition inverted, a byte swap forgotten ...) and runs the tests. All changes are
in one build, of a copy of HEAD, chosen by the environment. A first run of each test, without a change,
says which places it reaches; then each change is made, alone, and the tests that reach its place run, quickest
first, until one fails. A change that none notices is the same program in other words, or a test is missing.

The last line is the score; result.json in the copy's folder, ~/.cache/dvkit/mutate or $DVKIT_MUTATE, has all
that was drawn and found."""
import argparse
import bisect
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import time

import clang.cindex
from clang.cindex import CursorKind as Kind

TOP = pathlib.Path(__file__).resolve().parent.parent
WORK = pathlib.Path(os.environ.get('DVKIT_MUTATE', pathlib.Path.home() / '.cache/dvkit/mutate'))
TREE = WORK / 'tree'
BUILD = WORK / 'build'
MODULES = {
    'dv': ['include/dv', 'dv'],
    'devx': ['include/devx', 'devx'],
    'flow': ['include/flow', 'flow'],
    'steer': ['emu/steer'],
    'fw': ['emu/fw'],
    'uverbs': ['emu/uverbs'],
    'engine': ['emu/engine', 'emu/event', 'emu/mem', 'emu/hca'],
    'wire': ['emu/wire', 'emu/net', 'emu/core'],
    'preload': ['emu/preload', 'emu/launcher'],
    'cm': ['emu/ucma', 'emu/nldev', 'emu/fwctl'],
    'dvfw': ['tools/dvfw'],
    'dvperf': ['tools/dvperf'],
}
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&', '+': '-',
         '-': '+', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '*': '+', '/': '*', '%': '/'}
SWAPS = re.compile(r'(htobe(16|32|64)|be(16|32|64)toh|hton[sl]|ntoh[sl])\s*\((.*)\)$', re.S)
# Those that a test sees empty (test/lib/contained.c): its record of the places it reached would be lost.
HIDDEN = ('/tmp', '/run', '/dev/shm')
# Constants that the compiler has to know: no switch is possible.
CONSTANT = (Kind.ENUM_DECL, Kind.FIELD_DECL, Kind.STATIC_ASSERT, Kind.CXX_UNARY_EXPR)

# A change at bytes start to end of a file: @old becomes @new, @text has both and the number's place as {n}.
Place = collections.namedtuple('Place', 'file line start end what old new text')


def say(text):
    print(text, flush=True)


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                          stdin=subprocess.DEVNULL, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        sys.exit(f'{done.stdout[-3000:]}\nmutate: failed: {shlex.join(map(str, command))}')
    return done.stdout


# ---- the places ----

class Reader:
    """All places of a translation unit in the files that are asked for."""

    def __init__(self, unit, names):
        self.names, self.places, self.text, self.macros = names, [], {}, {}
        for c in unit.cursor.get_children():
            if c.kind == Kind.MACRO_INSTANTIATION and self.name(c):
                self.macros.setdefault(self.name(c), []).append((c.extent.start.offset, c.extent.end.offset))
        for spans in self.macros.values():
            spans.sort()
        for c in unit.cursor.get_children():
            if c.kind == Kind.FUNCTION_DECL and c.is_definition() and self.name(c):
                for part in c.get_children():
                    if part.kind == Kind.COMPOUND_STMT:
                        self.visit(part, None)

    def name(self, cursor):
        file = cursor.location.file
        name = file and os.path.relpath(file.name, TREE)
        return name if name in self.names else None

    def source(self, name):
        if name not in self.text:
            self.text[name] = (TREE / name).read_bytes()
        return self.text[name]

    def of(self, cursor):
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        return self.source(self.name(cursor))[start:end].decode(errors='replace')

    def within_macro(self, cursor):
        spans = self.macros.get(self.name(cursor), [])
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        at = bisect.bisect_right(spans, (start, 1 << 60)) - 1
        return at >= 0 and spans[at][0] <= start and end <= spans[at][1]

    def add(self, cursor, what, old, new, text=None, semicolon=0):
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        new = new.replace('\n', ' ')  # lines keep their numbers, for the compiler's errors
        self.places.append(Place(self.name(cursor), cursor.extent.start.line, start, end + semicolon, what, old, new,
                                 text or f'(dvkit_mutant({{n}}) ? ({new}) : ({old}))'))

    def visit(self, c, parent):
        if c.kind in CONSTANT or not self.name(c):
            return
        if c.kind == Kind.VAR_DECL and (c.storage_class == clang.cindex.StorageClass.STATIC or
                                        c.type.kind == clang.cindex.TypeKind.CONSTANTARRAY):
            return
        if not self.within_macro(c):
            self.look(c, parent)
        for child in list(c.get_children())[c.kind == Kind.CASE_STMT:]:
            self.visit(child, c)

    def look(self, c, parent):
        if c.kind == Kind.BINARY_OPERATOR:
            self.operator(c, parent)
        elif c.kind == Kind.INTEGER_LITERAL:
            old = self.of(c)
            if re.fullmatch(r'(0x[0-9a-fA-F]+|\d+)[uUlL]*', old) and not self.is_idle(c, old):
                self.add(c, 'constant', old, f'{old} + 1')
        elif c.kind == Kind.IF_STMT:
            self.condition(next(c.get_children()))
        elif c.kind == Kind.RETURN_STMT:
            for value in c.get_children():
                old, named = self.of(value), value.referenced
                zero = named and named.kind == Kind.ENUM_CONSTANT_DECL and not named.enum_value
                if old not in ('0', 'NULL', 'false') and not zero:
                    self.add(value, 'returns 0', old, '0')
        elif c.kind == Kind.CALL_EXPR:
            swap = SWAPS.match(self.of(c))
            if swap:
                self.add(c, 'byte swap left out', self.of(c), swap[4])
            self.left_out(c, parent, 'call left out')
        elif c.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR:
            self.left_out(c, parent, 'assignment left out')

    def is_idle(self, c, old):
        """Another number in { 0 } or calloc(1, ...) is the same program nearly always."""
        source, start = self.source(self.name(c)), c.extent.start.offset
        return (old == '0' and source[start - 2:start + 3] == b'{ 0 }') or source[start - 7:start] == b'calloc('

    def operator(self, c, parent):
        left, right = list(c.get_children())
        source = self.source(self.name(c))
        between = source[left.extent.end.offset:right.extent.start.offset].decode(errors='replace').strip()
        if between == '=':
            self.left_out(c, parent, 'assignment left out')
        elif between in OTHER:
            self.add(c, 'operator', self.of(c), f'{self.of(left)} {OTHER[between]} {self.of(right)}')

    def condition(self, c):
        if not self.within_macro(c):
            self.add(c, 'condition inverted', self.of(c), f'!({self.of(c)})')

    def left_out(self, c, parent, what):
        if parent is None or parent.kind not in (Kind.COMPOUND_STMT, Kind.IF_STMT, Kind.FOR_STMT, Kind.WHILE_STMT):
            return
        if parent.kind != Kind.COMPOUND_STMT and list(parent.get_children())[0] == c:
            return
        end = c.extent.end.offset
        if self.source(self.name(c))[end:end + 1] == b';':
            old = self.of(c)
            self.add(c, what, old + ';', ';', f'do {{ if (!dvkit_mutant({{n}})) {old}; }} while (0);', 1)


def units(names):
    """(source, arguments) that together compile the files."""
    commands, wanted = json.loads((BUILD / 'compile_commands.json').read_text()), set(names)
    found = {}
    for c in commands:
        name = os.path.relpath(c['file'], TREE)
        words = [w for w in shlex.split(c['command'])[1:] if w != '-c' and not w.endswith(('.o', '.c', '.cc'))]
        words = [w for w in words if w not in ('-o', '-MD', '-MT', '-MF')]
        if name.endswith('.c'):
            found.setdefault(name, (c['file'], words))
    for name in sorted(wanted & set(found)):
        yield found[name]
    for name in sorted(n for n in wanted if n.endswith('.h')):
        public = name.startswith('include/')
        args = ['-xc', '-std=gnu11', f'-I{TREE}/include', f'-I{TREE}/emu', f'-I{TREE}/tools/dvfw',
                f'-I{TREE}/tools/dvperf', f'-I{TREE}/tools', f'-I{TREE}']
        yield str(TREE / name), args + ([] if public else ['-D_GNU_SOURCE'])


def places_of(names, only):
    seen, places = set(), []
    index = clang.cindex.Index.create()
    for file, args in units(names):
        unit = index.parse(file, args, options=clang.cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        for p in Reader(unit, names).places:
            if (p.file, p.start, p.end, p.what) in seen or (only is not None and p.line not in only.get(p.file, ())):
                continue
            seen.add((p.file, p.start, p.end, p.what))
            places.append(p)
    return places


def changed(revision):
    """Lines of each file that are new since a revision."""
    out, lines, name = must(['git', 'diff', '-U0', revision, 'HEAD', '--', '*.c', '*.h'], cwd=TREE), {}, None
    for line in out.splitlines():
        if line.startswith('+++ '):
            name = line[6:]
        at = re.match(r'@@ -\S+ \+(\d+)(?:,(\d+))? @@', line)
        if at:
            lines.setdefault(name, set()).update(range(int(at[1]), int(at[1]) + int(at[2] or 1)))
    return lines


def draw(places, n):
    """n places on different lines that do not overlap; a line is as likely as any other."""
    lines = collections.defaultdict(list)
    for p in places:
        lines[p.file, p.line].append(p)
    order, taken = sorted(lines), []
    random.shuffle(order)
    for key in order:
        p = random.choice(lines[key])
        if not any(q.file == p.file and p.start < q.end and q.start < p.end for q in taken):
            taken.append(p)
        if len(taken) == n:
            break
    return taken, len(lines)


# ---- the build ----

def write(mutants):
    by_file = collections.defaultdict(list)
    for number, (_, p) in mutants.items():
        by_file[p.file].append((p.start, p.end, p.text.replace('{n}', str(number))))
    for name, changes in by_file.items():
        data = (TREE / name).read_bytes()
        for start, end, text in sorted(changes, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        (TREE / name).write_bytes(f'#include "{WORK}/mutant.h"\n#line 1\n'.encode() + data)


def restore():
    must(['git', 'checkout', '-q', '-f', 'HEAD', '--', '.'], cwd=TREE)


def checkout():
    WORK.mkdir(parents=True, exist_ok=True)
    if not TREE.is_dir():
        must(['git', 'clone', '-q', TOP, TREE])
    head = must(['git', 'rev-parse', 'HEAD'], cwd=TOP).strip()
    must(['git', 'fetch', '-q', TOP, 'HEAD'], cwd=TREE)
    must(['git', 'checkout', '-q', '-f', head], cwd=TREE)
    (WORK / 'mutant.h').write_bytes((TOP / 'scripts/mutant.h').read_bytes())
    must(['cmake', '-S', TREE, '-B', BUILD, '-G', 'Ninja', '-DDVKIT_TESTS=ON', '-DDVKIT_MAN=OFF', '-DDVKIT_GPU=OFF',
          '-DCMAKE_C_FLAGS=-w', '-DCMAKE_CXX_FLAGS=-w'])


def build(mutants):
    """Compiles; changes that do not compile are taken out."""
    while True:
        restore()
        write(mutants)
        done = run(['ninja', '-C', BUILD, '-k', '0'])
        if done.returncode == 0:
            return
        bad = set()
        for name, line in re.findall(r'^(\S+?):(\d+):\d+: error', done.stdout, re.M):
            bad.add((os.path.relpath(BUILD / name, TREE), int(line)))
        refused = [n for n, (_, p) in mutants.items()
                   if any(p.file == f and p.line <= line <= p.line + p.old.count('\n') for f, line in bad)]
        if not refused:
            restore()
            failed = re.findall(r'^FAILED.*|^.*error.*', done.stdout, re.M)
            sys.exit('\n'.join(failed[:20]) + '\nmutate: the copy does not build')
        for n in refused:
            del mutants[n]


# ---- the tests ----

class Tests:
    def __init__(self, pattern):
        listed = json.loads(must(['ctest', '--test-dir', BUILD, '--show-only=json-v1', '-R', pattern]))
        self.names = [t['name'] for t in listed['tests'] if not t['name'].startswith(('house_', 'cost_'))]
        self.seconds, self.reached = {}, {}

    def one(self, name, limit, **environment):
        start = time.monotonic()
        # ctest --timeout is only for tests that have no TIMEOUT
        test = subprocess.Popen(['ctest', '--test-dir', BUILD, '-R', f'^{name}$'], stdout=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, errors='replace',
                                start_new_session=True, env=os.environ | {'CRITERION_FAIL_FAST': '1'} | environment)
        try:
            out = test.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(test.pid, signal.SIGKILL)
            out = test.communicate()[0]
        return test.returncode == 0 and 'Not Run' not in out, time.monotonic() - start

    def first(self, name):
        record = WORK / 'reached' / name
        record.write_bytes(bytes(65536))
        passed, seconds = self.one(name, 600, DVKIT_MUTANTS=str(record))
        return name, passed, seconds, {i for i, b in enumerate(record.read_bytes()) if b}

    def baseline(self, jobs):
        (WORK / 'reached').mkdir(exist_ok=True)
        failed = []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done, (name, passed, seconds, reached) in enumerate(pool.map(self.first, self.names), 1):
                if passed:
                    self.seconds[name], self.reached[name] = seconds, reached
                else:
                    failed.append(name)
                if done % 50 == 0:
                    say(f'  {done} of {len(self.names)} tests have run')
        if failed:
            say('not used, as they fail in a build with switches: ' + ' '.join(failed))
        if not any(self.reached.values()):
            sys.exit('mutate: no score: no test reached any of the changes')

    def verdict(self, number, place, budget):
        """The test that noticed; or None, and how many ran of how many that reach the place: the unit test of its
        folder first, then the quickest."""
        own = 'unit_' + pathlib.Path(place.file).parent.name
        who = sorted((n for n in self.seconds if number in self.reached[n]),
                     key=lambda n: (n != own, self.seconds[n]))
        ran, spent = 0, 0.0
        for name in who:
            if ran and spent + self.seconds[name] > budget:
                continue
            passed, seconds = self.one(name, 30 + 5 * self.seconds[name], DVKIT_MUTANT=str(number))
            ran, spent = ran + 1, spent + seconds
            if not passed:
                return name, ran, len(who)
        return None, ran, len(who)


def report(module, p, by, ran, reach):
    one_line = ' '.join(p.old.split()), ' '.join(p.new.split())
    verdict = f'noticed by {by}' if by else f'SURVIVED {ran} of {reach} tests' if reach else 'SURVIVED: no test is there'
    say(f'{verdict:44} {module}: {p.file}:{p.line} {p.what}\n    - {one_line[0][:140]}\n    + {one_line[1][:140]}')


def arguments():
    a = argparse.ArgumentParser(prog='./run mutate', description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('--since', metavar='REV', help='only lines that are new since REV')
    a.add_argument('--module', action='append', choices=MODULES, help='only this one; several times for several')
    a.add_argument('-n', type=int, default=40, help='changes in each module (default: 40)')
    a.add_argument('--seed', type=int, default=int(time.strftime('%Y%m%d')), help='default: the date, as 20260131')
    a.add_argument('--tests', metavar='REGEX', default='.', help='only these tests, as ctest -R')
    a.add_argument('--budget', metavar='SECONDS', type=float, default=120,
                   help='no further test for a change after so many seconds of tests (default: 120)')
    a.add_argument('--jobs', type=int, default=os.cpu_count(), help='tests at a time (default: one per CPU)')
    a.add_argument('--reach', action='store_true', help='print what no test reaches, and end; with a large -n: of all')
    a.add_argument('--list', action='store_true', help='print what would be changed, and end')
    return a.parse_args()


def choose(o):
    """number -> (module, place)"""
    only = changed(o.since) if o.since else None
    files = must(['git', 'ls-files', '*.c', '*.h'], cwd=TREE).split()
    chosen, number = {}, 0
    for module in o.module or MODULES:
        names = {n for n in files if any(n.startswith(folder + '/') for folder in MODULES[module])
                 and (only is None or n in only)}
        random.seed(f'{o.seed} {module}')
        taken, lines = draw(places_of(names, only), o.n)
        say(f'{module}: {len(taken)} of {lines} lines of {len(names)} files')
        for p in taken:
            number += 1
            chosen[number] = module, p
    return chosen


def reach(chosen, tests):
    """Places that no test reaches."""
    reached = set().union(*tests.reached.values())
    for number, (module, p) in sorted(chosen.items(), key=lambda c: (c[1][0], c[1][1].file, c[1][1].line)):
        if number not in reached:
            say(f'{module}: {p.file}:{p.line} {p.what}: {" ".join(p.old.split())[:100]}')
    restore()
    count = sum(n not in reached for n in chosen)
    say(f'{count} of {len(chosen)} are not reached ({100 * count // (len(chosen) or 1)} %)')
    return 0


def main():
    o = arguments()
    if any(WORK.resolve().is_relative_to(folder) for folder in HIDDEN):
        sys.exit(f'mutate: {WORK} is hidden from the tests: DVKIT_MUTATE has to be a folder outside of {", ".join(HIDDEN)}')
    checkout()
    say(f'seed {o.seed}, commit {must(["git", "rev-parse", "--short", "HEAD"], cwd=TREE).strip()}')
    chosen = choose(o)
    if o.list:
        for number, (module, p) in chosen.items():
            say(f'{number} {module}: {p.file}:{p.line} {p.what}: {" ".join(p.old.split())} -> {" ".join(p.new.split())}')
        return 0
    say('building all of them')
    build(chosen)
    tests = Tests(o.tests)
    say(f'{len(chosen)} changes compile; {len(tests.names)} tests run once without a change')
    tests.baseline(o.jobs)
    if o.reach:
        return reach(chosen, tests)
    score = {m: [0, 0] for m in o.module or MODULES}
    found = []
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        waiting = [(n, pool.submit(tests.verdict, n, p, o.budget)) for n, (_, p) in chosen.items()]
        for n, future in waiting:
            module, p = chosen[n]
            by, ran, reach = future.result()
            report(module, p, by, ran, reach)
            score[module][0] += by is not None
            score[module][1] += 1
            found.append({'module': module, 'file': p.file, 'line': p.line, 'what': p.what, 'old': p.old, 'new': p.new,
                          'noticed_by': by, 'ran': ran, 'reach': reach})
    (WORK / 'result.json').write_text(json.dumps({'seed': o.seed, 'changes': found}, indent=1))
    restore()
    for module, (noticed, of) in score.items():
        say(f'{module:8} {noticed:4} of {of:4} {100 * noticed / of if of else 0:4.0f} %')
    noticed, of = (sum(s[i] for s in score.values()) for i in (0, 1))
    say(f'{noticed} of {of} noticed ({100 * noticed // of if of else 0} %)')
    return noticed < of


if __name__ == '__main__':
    sys.exit(main())
