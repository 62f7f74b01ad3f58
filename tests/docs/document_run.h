#pragma once

#include <string>
#include <vector>

#include "tests/docs/markdown.h"

namespace cairn::test {

// Runs the samples of a document as a reader would who types them from its top to its end, and returns what
// went otherwise than the document says: each with its line, the command, what was expected and what came.
//
// The reader has one bash in a folder with a copy of examples/, the program as `cairn` and as `build/cairn`,
// other programs of the build in build/dev/bin, and a server of this document alone with an empty store,
// which stands for the one at http://127.0.0.1:7878. Its data is in cairn-data.
//
//   ```bash              Commands. Each must end with exit code 0, unless its comment says `# … exit code 1`.
//                        When a server answers curl with an error, its status stands in the comment
//                        (`# 409: …`) or the answer is shown. A comment that begins with { or [ is a part of
//                        what the command prints.
//   ```bash eventually   The same, again and again until the output is the one that is shown.
//   ```json, ```text     As the first block behind one of bash in the same section: what its commands print
//                        together, as sample_output.h compares it. JSON is stdout alone; a text is stdout
//                        and then stderr, of each command.
//   ```lua               A script. When it begins with a comment `-- name.lua`, the reader has saved it so.
std::vector<std::string> run_document(const std::string& name, const Markdown& document);

}  // namespace cairn::test
