// A bank that embeds the store: it opens accounts, moves money, lets threads race for it, and checks all the
// time that the sum of all accounts is zero.

#include <charconv>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "auditor.h"
#include "balances.h"
#include "entry.h"
#include "race.h"
#include "story.h"

namespace {

using namespace ledger;

cairn::Status run(const std::filesystem::path& folder, const RaceSettings& settings) {
  CAIRN_TRY(const auto engine, cairn::Engine::open(folder));
  CAIRN_TRY(Balances balances, Balances::add_to(*engine));
  CAIRN_CHECK(engine->start());
  cairn::EventStore& store = engine->store();
  Auditor auditor(store);
  const auto tell = [&] {
    std::cout << "  " << auditor.transfers() << " transfers, sum " << money(auditor.cents()) << std::endl;
  };

  std::cout << "The ledger as it was found:\n";
  CAIRN_CHECK(auditor.look());
  tell();

  CAIRN_CHECK(open_accounts(store, settings.accounts));
  CAIRN_CHECK(pay(store, {"account-ada"}, {"account-bob"}, 25'00));
  CAIRN_CHECK(pay(store, {"account-eve"}, {"account-ada"}, 1'000'000'00));
  CAIRN_CHECK(pay_and_ask_again(store, {"account-bank"}, {"account-ada"}, 1'00));

  std::cout << settings.threads << " threads race for " << settings.transfers << " transfers:\n";
  CAIRN_TRY(const RaceReport report, race(store, auditor, settings, tell));
  std::cout << report.done << " done, " << report.refused << " refused for want of funds; "
            << report.decided_again << " times another was first and it was decided again\n";

  std::cout << "The balances:\n";
  CAIRN_CHECK(show_balances(store, balances));
  CAIRN_CHECK(auditor.look());
  tell();
  return {};
}

template <typename Number>
bool read_number(std::string_view text, Number& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size() && to > 0;
}

}  // namespace

int main(int argc, char** argv) {
  RaceSettings settings{.accounts = {"account-ada", "account-bob", "account-dan", "account-eve"}};
  if ((argc != 2 && argc != 4) ||
      (argc == 4 && (!read_number(argv[2], settings.threads) || !read_number(argv[3], settings.transfers)))) {
    std::cerr << "usage: ledger FOLDER [THREADS TRANSFERS]\n";
    return 2;
  }
  const cairn::Status status = run(argv[1], settings);
  if (!status) std::cerr << "ledger: " << status.error().message << '\n';
  return status ? 0 : 1;
}
