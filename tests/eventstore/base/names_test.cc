#include "eventstore/base/names.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cairn
