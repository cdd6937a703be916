# SPDX-License-Identifier: BSD-2-Clause
"""Output of tools about an adapter: healthy, or with its faults named. Rows of data/outputs:

    tool NAME [more] | TITLE  ~ begins its output (more: so do lines in it), ~ of "in": what else belongs to it
    in NAME                   lines that belong to it, beside those that are indented more than its first
    section NAME              a line that the faults after it are matched with: "SECTION; LINE"
    fault NAME | TITLE        what is wrong
"""
import meaning
import rows


def tools_of(word, name):
    return [row for row in rows.of("outputs", word) if name in row.words]


def first(word, name, line):
    for row in tools_of(word, name):
        match = row.match(line)
        if match:
            return row, match
    return None, None


def begin(line, indent):
    row, match = rows.first("outputs", "tool", line)
    if not row:
        return None
    f = meaning.Facts("output", row.title, line)
    f.item.output = {"tool": row.words[0], "more": "more" in row.words, "indent": indent, "section": "", "faults": []}
    f.add_match(match)
    return f.item


def belongs(line, before, indent):
    out = before.output
    return indent > out["indent"] or first("in", out["tool"], line)[0] or \
        out["more"] and first("tool", out["tool"], line)[0]


def take(found, line):
    """The line's contribution to the output that it belongs to."""
    out = found.output
    section, match = first("section", out["tool"], line)
    if section:
        out["section"] = match.group(0)
    row, match = first("fault", out["tool"], "%s; %s" % (out["section"], line))
    if row:
        for name, text in match.groupdict().items():
            if text:
                found.fact(name, text)
        found.fact("fault", line[:160])
        out["faults"].append(row.title)
        found.advise(row)


def read(line, before, indent):
    """The item that the line belongs to: @before, or a new one; None: it is of no tool."""
    found = before if before and before.output and belongs(line, before, indent) else begin(line, indent)
    if found:
        take(found, line)
    return found


def finish(found):
    if found.output:
        found.summarize(", ".join(dict.fromkeys(found.output["faults"])) or "healthy")
