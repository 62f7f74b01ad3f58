#include "api/events/time_text.h"

#include <chrono>

namespace cairn::api {

namespace {

void put_digits(char* to, unsigned number, int digits) {
  for (int i = digits - 1; i >= 0; --i, number /= 10) to[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

void append_time(std::string& to, Timestamp time) {
  using namespace std::chrono;
  const sys_time<microseconds> moment{microseconds(time.micros)};
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss<microseconds> clock(moment - day);
  char text[] = "0000-00-00T00:00:00.000000Z";
  put_digits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  put_digits(text + 5, static_cast<unsigned>(date.month()), 2);
  put_digits(text + 8, static_cast<unsigned>(date.day()), 2);
  put_digits(text + 11, static_cast<unsigned>(clock.hours().count()), 2);
  put_digits(text + 14, static_cast<unsigned>(clock.minutes().count()), 2);
  put_digits(text + 17, static_cast<unsigned>(clock.seconds().count()), 2);
  put_digits(text + 20, static_cast<unsigned>(clock.subseconds().count()), 6);
  to.append(text, sizeof text - 1);
}

}  // namespace cairn::api
