// Huffman codes written out, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "penstock/decode/jpeg/frame.h"

namespace penstock::decode {

struct TestCode {
  std::size_t length = 0;
  std::uint8_t symbol = 0;
};

// Codes in their order.
inline HuffmanSpec spec_of(std::initializer_list<TestCode> codes) {
  HuffmanSpec spec;
  std::size_t place = 0;
  for (const TestCode& code : codes) {
    ++spec.counts[code.length];
    spec.symbols[place++] = code.symbol;
  }
  return spec;
}

}  // namespace penstock::decode
