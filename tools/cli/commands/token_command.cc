#include "tools/cli/commands/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/access/new_token.h"
#include "api/access/token_file.h"
#include "api/access/token_file_edit.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct TokenArguments {
  std::string tokens;
  std::string name;
  std::vector<std::string> scopes;
  std::vector<std::string> categories;
  bool json = false;
};

int token_failed(const Error& error) {
  std::cerr << "cairn: " << error.message << '\n';
  return kExitNo;
}

std::string tokens_text(const ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json to_json(const api::Token& token) {
  ordered_json json = {{"name", token.name}, {"scopes", ordered_json::array()}, {"categories", nullptr}};
  for (const api::Scope scope : token.scopes) json["scopes"].push_back(to_string(scope));
  if (token.categories) json["categories"] = *token.categories;
  return json;
}

int run_create(const TokenArguments& arguments) {
  const auto text = api::new_token();
  if (!text) return token_failed(text.error());
  api::Token token;
  token.name = arguments.name;
  token.sha256 = sha256(*text);
  for (const std::string& scope : arguments.scopes) {
    const auto known = *api::parse_scope(scope);  // The parser accepts known scopes only.
    if (!token.may(known)) token.scopes.push_back(known);
  }
  if (!arguments.categories.empty()) token.categories = arguments.categories;
  if (const Status added = api::add_token(arguments.tokens, token); !added)
    return token_failed(added.error());

  if (arguments.json) {
    ordered_json json = to_json(token);
    json["token"] = *text;
    std::cout << tokens_text(json) << std::endl;
  } else {
    std::cout << *text << std::endl;
  }
  std::cerr << "Keep it: it is shown only once, " << arguments.tokens << " has only its hash.\n"
            << "A server accepts it when started with --tokens " << arguments.tokens << ".\n"
            << "Use it:  CAIRN_TOKEN=TOKEN cairn read --all\n"
            << "         curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:7878/events\n";
  return kExitOk;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

int run_list(const TokenArguments& arguments) {
  const auto tokens = api::read_token_file(arguments.tokens);
  if (!tokens) return token_failed(tokens.error());
  if (arguments.json) {
    auto all = ordered_json::array();
    for (const api::Token& token : *tokens) all.push_back(to_json(token));
    std::cout << tokens_text({{"tokens", std::move(all)}}, 2) << '\n';
    return kExitOk;
  }
  std::vector<std::vector<std::string>> rows = {{"NAME", "SCOPES", "CATEGORIES"}};
  for (const api::Token& token : *tokens) {
    std::vector<std::string> scopes;
    for (const api::Scope scope : token.scopes) scopes.emplace_back(to_string(scope));
    rows.push_back({token.name, joined(scopes), token.categories ? joined(*token.categories) : "all"});
  }
  std::cout << table_text(rows);
  return kExitOk;
}

int run_revoke(const TokenArguments& arguments) {
  const Status removed = api::remove_token(arguments.tokens, arguments.name);
  if (!removed) return token_failed(removed.error());
  if (arguments.json) {
    std::cout << tokens_text({{"name", arguments.name}, {"revoked", true}}) << '\n';
  } else {
    std::cout << arguments.name << " is revoked.\n";
  }
  std::cerr << "A running server accepts it until SIGHUP or POST /reload makes it read the file again.\n";
  return kExitOk;
}

std::string check_name(const std::string& name) {
  return api::is_token_name(name) ? "" : "must be 1 to 100 bytes of printable text";
}

void add_common(CLI::App& command, TokenArguments& arguments) {
  command.add_option("--tokens", arguments.tokens, "The token file of `cairn serve --tokens`")
      ->type_name("FILE")
      ->envname("CAIRN_TOKENS")
      ->required();
  command.add_flag("--json", arguments.json, "Print JSON");
}

void add_name(CLI::App& command, TokenArguments& arguments, const std::string& meaning) {
  command.add_option("name", arguments.name, meaning)
      ->type_name("NAME")
      ->required()
      ->check(CLI::Validator(check_name, ""));
}

void add_create(CLI::App& parent, const std::shared_ptr<TokenArguments>& arguments, CommandAction& action) {
  CLI::App& command = *parent.add_subcommand("create", "Create a token and print it once");
  command.footer(
      "\nCreates the file if it does not exist. No scope includes another.\n"
      "\nExamples:\n"
      "  cairn token create ci --scope read --scope append --tokens tokens.jsonl\n"
      "  cairn token create shop --scope append --category order --category cart --tokens tokens.jsonl\n"
      "  cairn serve --tokens tokens.jsonl");
  add_name(command, *arguments, "The name of its user; unique in the file");
  command
      .add_option("--scope", arguments->scopes,
                  "What it may do, repeatable: read, append, admin, consume, lease, query")
      ->type_name("SCOPE")
      ->required()
      ->allow_extra_args(false)  // The name may follow it.
      ->check(CLI::IsMember(api::scope_names()));
  command.add_option("--category", arguments->categories, "Only streams of this category, repeatable")
      ->type_name("CATEGORY")
      ->allow_extra_args(false)
      ->check(CLI::Validator([](const std::string& text) { return text.empty() ? "is empty" : ""; }, ""));
  add_common(command, *arguments);
  run_after_parsing(command, action, [arguments] { return run_create(*arguments); });
}

}  // namespace

void add_token_command(CLI::App& app, CommandAction& action) {
  CLI::App& token = *app.add_subcommand("token", "Manage the tokens of a server");
  token.require_subcommand(1);
  token.footer(
      "\nExamples:\n"
      "  cairn token create ci --scope read --scope append --tokens tokens.jsonl\n"
      "  cairn token list --tokens tokens.jsonl\n"
      "  cairn token revoke ci --tokens tokens.jsonl");
  auto arguments = std::make_shared<TokenArguments>();
  add_create(token, arguments, action);

  CLI::App& list = *token.add_subcommand("list", "Show all tokens with their scopes");
  list.footer("\nExample:\n  cairn token list --tokens tokens.jsonl");
  add_common(list, *arguments);
  run_after_parsing(list, action, [arguments] { return run_list(*arguments); });

  CLI::App& revoke = *token.add_subcommand("revoke", "Revoke a token");
  revoke.footer("\nExample:\n  cairn token revoke ci --tokens tokens.jsonl");
  add_name(revoke, *arguments, "The name of the token");
  add_common(revoke, *arguments);
  run_after_parsing(revoke, action, [arguments] { return run_revoke(*arguments); });
}

}  // namespace cairn::cli
