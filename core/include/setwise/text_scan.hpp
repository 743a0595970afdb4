// Reading a text character by character, as lowercasing and accent stripping leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "setwise/text_characters.hpp"
#include "setwise/text_terms.hpp"
#include "setwise/text_utf8.hpp"

namespace setwise {

// "scikit-learn": as its TfidfVectorizer does by default. "unicode": marks belong to words, and scripts without spaces
// are cut into characters and pairs of characters.
enum class TokenRule { kScikitLearn, kUnicode };

// The lengths of n-grams, both included.
struct NgramRange {
    int shortest = 1, longest = 1;
};

// Characters begin to end - 1 of the text as it was before any change.
struct CharacterRange {
    std::int64_t begin = 0, end = 0;
};

// Numbers of the first and the last part of a term, to find its range with.
struct TermPlace {
    std::size_t first, last;
};

// Hands the characters of a text to a cutter, which has
//   take_plain(table, units, i, n)  takes what it can from character i on, and returns the next one,
//   put(code, i)                    takes one character that became `code`,
//   make_room(n_codes, i)           is told that character i becomes several,
//   end_text()                      is called last.
template <class Unit, class Cutter>
void scan(const CharacterTable& table, const Unit* units, std::size_t n, Cutter& cutter) {
    for (std::size_t i = 0; (i = cutter.take_plain(table, units, i, n)) < n; ++i) {
        const std::uint32_t code = table.code(units[i]);
        if (!(code & CharacterTable::kExpands)) {
            cutter.put(code, i);
        } else if (code & CharacterTable::kSigma) {
            cutter.put(table.sigma(units, n, i), i);
        } else {
            const auto codes = table.expansion(code);
            cutter.make_room(codes.size(), i);
            for (const std::uint32_t one : codes) cutter.put(one, i);
        }
    }
    cutter.end_text();
}

// Bytes that are written through a bare pointer: who writes asks for room first, once for many characters. Beyond the
// room, kReadAhead bytes can be read.
class ByteBuffer {
  public:
    // Returns where to go on writing: `out`, or the same place in a larger buffer.
    char* with_room(char* out, std::size_t more) {
        const auto used = static_cast<std::size_t>(out - bytes_.data());
        if (bytes_.size() < used + more + kReadAhead) {
            if (used + more > kMost) throw std::length_error("a text is too long");
            bytes_.resize(2 * used + more + kReadAhead);
        }
        return bytes_.data() + used;
    }
    char* begin() { return bytes_.data(); }
    const char* begin() const { return bytes_.data(); }

  private:
    static constexpr std::size_t kMost = 0xFFFFFFFF;  // places in the buffer are 32-bit numbers

    std::vector<char> bytes_;
};

}  // namespace setwise
