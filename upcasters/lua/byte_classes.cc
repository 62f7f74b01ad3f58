#include "upcasters/lua/byte_classes.h"

#include <cstddef>

namespace cairn {

namespace {

constexpr bool is_in_class(char letter, unsigned int byte) {
  const bool lower = byte >= 'a' && byte <= 'z';
  const bool upper = byte >= 'A' && byte <= 'Z';
  const bool digit = byte >= '0' && byte <= '9';
  const bool visible = byte > ' ' && byte < 0x7f;
  switch (letter) {
    case 'a':
      return lower || upper;
    case 'c':
      return byte < ' ' || byte == 0x7f;
    case 'd':
      return digit;
    case 'g':
      return visible;
    case 'l':
      return lower;
    case 'p':
      return visible && !lower && !upper && !digit;
    case 's':
      return byte == ' ' || (byte >= '\t' && byte <= '\r');
    case 'u':
      return upper;
    case 'w':
      return lower || upper || digit;
    case 'x':
      return digit || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
    case 'z':  // from older versions, and still there
      return byte == 0;
    default:
      return false;
  }
}

constexpr char kLetters[] = {'a', 'c', 'd', 'g', 'l', 'p', 's', 'u', 'w', 'x', 'z'};

struct Class {
  char letter = 0;
  ByteSet bytes;
  ByteSet others;
};

constexpr auto kClasses = [] {
  std::array<Class, std::size(kLetters)> classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    classes[i].letter = kLetters[i];
    for (unsigned int byte = 0; byte < 256; ++byte) {
      if (is_in_class(kLetters[i], byte)) classes[i].bytes.add(static_cast<unsigned char>(byte));
    }
    classes[i].others = classes[i].bytes;
    classes[i].others.complement();
  }
  return classes;
}();

}  // namespace

const ByteSet* byte_class(char letter) {
  for (const Class& known : kClasses) {
    if (letter == known.letter) return &known.bytes;
    if (letter == known.letter - 'a' + 'A') return &known.others;
  }
  return nullptr;
}

}  // namespace cairn
