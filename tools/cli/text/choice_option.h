#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace cairn::cli {

// An option that takes one of a few words, each of which stands for a value of the enum `E`. The value that
// `target` has is the default. CLI::CheckedTransformer would also accept the numbers of the enum and would show
// them in help, so the words are checked by CLI::IsMember, from which help and completion take them.
// REQUIRES: `target` outlives the parsing.
template <typename E>
CLI::Option* add_choice(CLI::App& command, const std::string& name, E& target, const std::string& description,
                        const std::vector<std::pair<std::string, E>>& choices) {
  std::vector<std::string> words;
  std::string default_word;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    if (value == target) default_word = word;
  }
  const auto assign = [&target, choices](const std::string& given) {
    for (const auto& [word, value] : choices) {
      if (word == given) target = value;
    }
  };
  return command.add_option_function<std::string>(name, assign, description)
      ->check(CLI::IsMember(words))
      ->default_str(default_word);
}

}  // namespace cairn::cli
