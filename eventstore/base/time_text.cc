#include "eventstore/base/time_text.h"

#include <chrono>

namespace cairn {

namespace {

template <int kDigits>
void put_digits(char* to, unsigned number) {
  for (int i = kDigits - 1; i >= 0; --i, number /= 10) to[i] = static_cast<char>('0' + number % 10);
}

// Parses a text from the front. After the first mismatch finished() stays false.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  // A number of exactly `digits` digits, from `least` to `most`.
  int number(std::size_t digits, int least, int most) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) value = value * 10 + digit();
    good_ = good_ && value >= least && value <= most;
    return value;
  }

  // Takes the next character, which must be one of `choices`.
  char one_of(std::string_view choices) {
    if (text_.empty() || choices.find(text_.front()) == std::string_view::npos) {
      good_ = false;
      return '\0';
    }
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }

  // ".123": whole microseconds. 0 when there is no fraction.
  int micros() {
    if (text_.empty() || text_.front() != '.') return 0;
    text_.remove_prefix(1);
    int value = digit(), unit = 100'000;
    value *= unit;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      unit /= 10;
      value += digit() * unit;
    }
    return value;
  }

  // Whether the whole text was parsed without a mismatch.
  bool finished() const { return good_ && text_.empty(); }

 private:
  int digit() {
    const char c = one_of("0123456789");
    return c == '\0' ? 0 : c - '0';
  }

  std::string_view text_;
  bool good_ = true;
};

}  // namespace

std::optional<Timestamp> parse_time(std::string_view text) {
  using namespace std::chrono;
  TimeReader reader(text);
  const year_month_day date = [&reader] {
    const int y = reader.number(4, 0, 9999);
    reader.one_of("-");
    const int m = reader.number(2, 1, 12);
    reader.one_of("-");
    const int d = reader.number(2, 1, 31);
    return year(y) / month(static_cast<unsigned>(m)) / day(static_cast<unsigned>(d));
  }();
  reader.one_of("Tt");
  microseconds clock = hours(reader.number(2, 0, 23));
  reader.one_of(":");
  clock += minutes(reader.number(2, 0, 59));
  reader.one_of(":");
  clock += seconds(reader.number(2, 0, 60));  // 60 is a leap second, which counts as the next second
  clock += microseconds(reader.micros());
  const char zone = reader.one_of("Zz+-");
  if (zone == '+' || zone == '-') {
    minutes offset = hours(reader.number(2, 0, 23));
    reader.one_of(":");
    offset += minutes(reader.number(2, 0, 59));
    clock -= zone == '+' ? offset : -offset;
  }
  if (!reader.finished() || !date.ok()) return std::nullopt;
  return Timestamp{(sys_days(date).time_since_epoch() + clock).count()};
}

std::array<char, 27> time_text(Timestamp time) {
  using namespace std::chrono;
  const sys_time<microseconds> moment{microseconds(time.micros)};
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss<microseconds> clock(moment - day);
  std::array<char, 27> text;
  std::string_view("0000-00-00T00:00:00.000000Z").copy(text.data(), text.size());
  put_digits<4>(&text[0], static_cast<unsigned>(static_cast<int>(date.year())));
  put_digits<2>(&text[5], static_cast<unsigned>(date.month()));
  put_digits<2>(&text[8], static_cast<unsigned>(date.day()));
  put_digits<2>(&text[11], static_cast<unsigned>(clock.hours().count()));
  put_digits<2>(&text[14], static_cast<unsigned>(clock.minutes().count()));
  put_digits<2>(&text[17], static_cast<unsigned>(clock.seconds().count()));
  put_digits<6>(&text[20], static_cast<unsigned>(clock.subseconds().count()));
  return text;
}

}  // namespace cairn
