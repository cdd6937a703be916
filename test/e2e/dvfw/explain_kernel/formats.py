# SPDX-License-Identifier: BSD-2-Clause
"""The messages of mlx5_core and mlx5_ib as Linux prints them, made from the calls in its source.

    formats.messages(tree)    yields (path, function, line); tree holds drivers/…/mlx5
"""
import os
import re

FOLDERS = ("drivers/net/ethernet/mellanox/mlx5/core", "drivers/infiniband/hw/mlx5")
STRING = r'"(?:[^"\\]|\\.)*"'
STRINGS = re.compile(STRING, re.DOTALL)
MACRO = re.compile(r"\b([a-z]\w*_(?:err|warn|info|dbg|debug|notice)(?:_(?:rl|once|mask|ratelimited))?|"
                   r"NL_SET_ERR_MSG\w*)\s*\((?=[^;\"]*\")")
FUNCTION = re.compile(r"^(?!#|\}|\{)\w[\w\s*]*?\b(\w+)\([^;]*$")
VALUES = (
    (r"%-?0?[0-9.*]*(?:ll|l|h|hh|z)?d|%-?[0-9]*(?:ll|l|h|z)?i", "-22"),
    (r"%-?0?[0-9.*]*(?:ll|l|h|hh|z)?u", "17"),
    (r"%#?-?0?[0-9.*]*(?:ll|l|h|hh|z)?[xX]", "1f"),
    (r"%p[A-Za-z0-9]*|%#p", "00000000f3a1b2c3"),
    (r"%-?[0-9.*]*s", "word"), (r"%c", "c"), (r"%%", "%"),
)


def call_text(source, at):
    """The arguments of the call whose bracket opens before @at."""
    depth, end = 1, at
    while depth and end < len(source):
        string = STRINGS.match(source, end)
        if string:
            end = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(source[end], 0)
        end += 1
    return source[at:end - 1]


def format_of(arguments):
    """The first string of the arguments, with the pieces that follow it."""
    found = re.search(r"%s(?:\s*(?:%s|PRI\w+))*" % (STRING, STRING), arguments)
    if not found:
        return None
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(0)))
    text = text.replace("\\n", "").replace("\\t", " ").replace('\\"', '"')
    for pattern, value in VALUES:
        text = re.sub(pattern, value, text)
    return text.strip() or None


def printed(macro, module, function, text):
    """As the macro prints it."""
    port = "infiniband mlx5_0: " if module == "mlx5_ib" else "mlx5_core 0000:08:00.0: "
    if macro.startswith("NL_SET"):
        return "Error: mlx5_core: " + text
    if macro.startswith("netdev"):
        return "mlx5_core 0000:08:00.0 eth2: " + text
    if macro.startswith("pr_"):
        return module + ": " + text
    if macro.startswith(("dev_", "ibdev_")) or macro.endswith("info"):
        return port + text
    return "%s%s:123:(pid 4567): %s" % (port, function, text)


def of_file(path, module):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    names, at = [], 0
    for line in source.splitlines(True):
        found = FUNCTION.match(line)
        if found:
            names.append((at, found.group(1)))
        at += len(line)
    for found in MACRO.finditer(source):
        start = source.rfind("\n", 0, found.start()) + 1
        if "#define" in source[start:found.start()]:
            continue
        text = format_of(call_text(source, found.end()))
        before = [name for place, name in names if place < found.start()]
        if text and before:
            yield before[-1], printed(found.group(1), module, before[-1], text)


def messages(tree):
    for folder in FOLDERS:
        module = "mlx5_ib" if "infiniband" in folder else "mlx5_core"
        for place, _, files in sorted(os.walk(os.path.join(tree, folder))):
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    path = os.path.join(place, name)
                    for function, line in of_file(path, module):
                        yield os.path.relpath(path, tree), function, line
