-- SPDX-License-Identifier: BSD-2-Clause
-- pandoc filter for make.sh: references become links.
--
--	**dv_sq_map**(3)          the page that has it in its SYNOPSIS
--	`dv_sq_map()`             the same
--	[design](design.md)       the HTML page; a link to what is not among the pages is plain text
--	#include <dv/sq.h>        links to the headers, below the code
--
-- The metadata has: names, a file of names.sh; root, the way from the page to the top; source, the page's path
-- in the repository.
local names, headers = {}, {}
local root, source = "", ""

function Meta(meta)
	root = pandoc.utils.stringify(meta.root or "")
	source = pandoc.utils.stringify(meta.source or "")
	for line in io.lines(pandoc.utils.stringify(meta.names)) do
		local name, page, section = line:match("(%S+) (%S+) (%S+)")
		names[name] = names[name] or { page = page, section = section }
	end
end

local function address(name, section)
	local to = names[name]
	if to and (not section or section == to.section) then
		return root .. to.page .. "." .. to.section .. ".html"
	end
end

function Inlines(inlines)
	local out = pandoc.List()
	local i = 1
	while i <= #inlines do
		local this, after = inlines[i], inlines[i + 1]
		local section = after and after.t == "Str" and after.text:match("^%((%d)%)")
		local to = this.t == "Strong" and section and address(pandoc.utils.stringify(this), section)
		if to then
			out:insert(pandoc.Link({ this, pandoc.Str("(" .. section .. ")") }, to))
			if #after.text > 3 then
				out:insert(pandoc.Str(after.text:sub(4)))
			end
			i = i + 2
		else
			out:insert(this)
			i = i + 1
		end
	end
	return out
end

function Code(code)
	local to = address(code.text:match("^([%a_][%w_]*)%(%)$") or "")
	if to then
		return pandoc.Link({ code }, to)
	end
end

-- The path in the repository that a relative link leads to.
local function path(target)
	local parts = pandoc.List()
	for part in (source:gsub("[^/]*$", "") .. target):gmatch("[^/]+") do
		if part == ".." then
			parts:remove()
		elseif part ~= "." then
			parts:insert(part)
		end
	end
	return table.concat(parts, "/")
end

function Link(link)
	if link.target:match("^%a+:") or link.target:match("^#") or link.target:match("%.html$") then
		return nil
	end
	local file, anchor = link.target:match("^([^#]*)(.*)$")
	local there = path(file)
	local page = there:match("^docs/([%w-]+)%.md$")
	local man = there:match("/man/([%w_-]+%.%d)%.md$")
	local header = there:match("^include/(.*%.h)$")
	if page then
		link.target = root .. page .. ".html" .. anchor
	elseif man then
		link.target = root .. man .. ".html" .. anchor
	elseif header then
		link.target = root .. header .. ".html"
	else
		return link.content
	end
	return link
end

function CodeBlock(block)
	local list = pandoc.List()
	if source:match("%.h$") then
		return nil
	end
	for header in block.text:gmatch("#include <(%a+/[%w_]+%.h)>") do
		if header:match("^dv/") or header:match("^devx/") or header:match("^prm/") or header:match("^dvkit/") then
			if #list > 0 then
				list:insert(pandoc.Str(", "))
			end
			list:insert(pandoc.Link({ pandoc.Code(header) }, root .. header .. ".html"))
		end
	end
	if #list > 0 then
		return { block, pandoc.Div(pandoc.Plain(list), pandoc.Attr("", { "headers" })) }
	end
end

return { { Meta = Meta }, { Code = Code, Link = Link, CodeBlock = CodeBlock }, { Inlines = Inlines } }
