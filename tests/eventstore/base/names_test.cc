#include "eventstore/base/names.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn {
namespace {

TEST(NamesTest, AcceptsPrintableText) {
  for (const char* name : {"order-42", "Größe", "注文-1", "🪨", "a b", "order$1"}) {
    EXPECT_TRUE(is_printable_name(name)) << name;
  }
}

TEST(NamesTest, RefusesControlCharacters) {
  for (const char* name : {"a\nb", "a\tb", "\x1b[31m", "a\x7f", "a\xC2\x80", "a\xC2\x9F"}) {
    EXPECT_FALSE(is_printable_name(name)) << name;
  }
}

TEST(NamesTest, RefusesInvalidUtf8) {
  for (const char* name : {"\x80", "\xC0\xAF", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                           "\xF8\x88\x80\x80\x80", "\xE0\x80\xAF", "\xF0\x80\x80\xAF", "\xFF"}) {
    EXPECT_FALSE(is_utf8(name)) << name;
    EXPECT_FALSE(is_printable_name(name)) << name;
  }
}

TEST(NamesTest, FindsWhereUtf8Ends) {
  EXPECT_EQ(utf8_prefix(""), 0u);
  EXPECT_EQ(utf8_prefix("Größe"), 7u);
  // At every place of a word of eight bytes, after characters of one to four bytes.
  for (const std::string whole : {"", "a", "ö", "注", "🪨"}) {
    for (std::size_t size = 0; size < 20; ++size) {
      const std::string valid = std::string(size, 'x') + whole;
      EXPECT_EQ(utf8_prefix(valid), valid.size());
      for (const char* wrong : {"\x80", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xFFyyyyyyyyyy"}) {
        EXPECT_EQ(utf8_prefix(valid + wrong), valid.size()) << valid;
      }
    }
  }
}

}  // namespace
}  // namespace cairn
