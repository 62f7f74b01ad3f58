#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::test {

// A piece of a document that is no prose: between fences, or in a comment for the tests.
struct Block {
  std::string info;     // after the opening fence: "bash", "bash eventually", "json"
  std::string text;     // its lines, without the fence's indentation
  int line = 0;         // of the fence, from 1
  bool hidden = false;  // inside a comment, not rendered
  int heading = 0;      // number of headings before it: blocks with the same number share a section

  // The first word of `info`.
  std::string language() const { return info.substr(0, info.find(' ')); }
};

// An item of the prose.
struct Place {
  std::string text;
  int line = 0;
};

// A document of Markdown, as far as the tests look at it.
//
// A comment that begins with `samples:` is for the tests:
//   <!-- samples: serve --schemas optional -->    how the server of this document is started
//   <!-- samples: no server -->                   it needs none
//   <!-- samples: setup                           commands that are run here and that readers do not see
//   cairn schema register …
//   -->
struct Markdown {
  std::vector<Block> blocks;         // in the order of the document
  std::vector<Place> indented;       // first lines of code that is marked by four spaces
  std::vector<Place> code_spans;     // `…` in the prose
  std::vector<Place> links;          // where links lead
  std::vector<Place> unknown;        // comments for the tests that say something else
  std::vector<std::string> anchors;  // of the headings, as a link names them
  std::string server_arguments;      // after `serve`
  bool has_server = true;

  static Markdown read(std::string_view text);
};

}  // namespace cairn::test
