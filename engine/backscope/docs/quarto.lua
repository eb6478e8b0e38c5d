-- The filter of pandoc and Quarto for programs in books: each block of code of the class `backscope` is recorded.
-- `python -m backscope.docs.pandoc` does the work; BACKSCOPE_PYTHON names another Python than `python3`.

local python = os.getenv("BACKSCOPE_PYTHON") or os.getenv("QUARTO_PYTHON") or "python3"
local plays = FORMAT:match("html") ~= nil or FORMAT:match("revealjs") ~= nil

local function folder_of(path)
  return path and path:match("^(.*)/[^/]*$") or "."
end

local function quoted(text)
  local signs = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r" }
  return '"' .. text:gsub('[%c"\\]', function(sign)
    return signs[sign] or string.format("\\u%04x", sign:byte())
  end) .. '"'
end

-- Quarto writes a document beside its source and moves the files that this names to the site.
local function keep(target)
  if quarto and quarto.doc and quarto.doc.add_resource then
    quarto.doc.add_resource(target .. "/_backscope")
  end
end

function CodeBlock(block)
  if not block.classes:includes("backscope") then
    return nil
  end
  local options = {}
  for name, value in pairs(block.attributes) do
    options[#options + 1] = quoted(name) .. ":" .. quoted(value)
  end
  local input = folder_of((PANDOC_STATE.input_files or {})[1])
  local output = folder_of(PANDOC_STATE.output_file)
  local request = string.format(
    '{"source":%s,"options":{%s},"folder":%s,"target":%s,"up":"","writes":%s}',
    quoted(block.text), table.concat(options, ","), quoted(input), quoted(output), quoted(plays and "html" or "print"))
  local done, answer = pcall(pandoc.pipe, python, { "-m", "backscope.docs.pandoc" }, request)
  if not done then
    local first = block.text:match("[^\n]*")
    error("backscope: the program that begins with `" .. first .. "`: " .. tostring(answer.output or answer))
  end
  if plays then
    keep(output)
    return pandoc.RawBlock("html", answer)
  end
  return pandoc.read(answer, "markdown").blocks
end
