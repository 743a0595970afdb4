// Small tables of characters, and texts as the tokenizer reads them.
#pragma once

#include <atomic>
#include <cctype>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "setwise/text_characters.hpp"

namespace setwise {

inline const std::atomic<bool> never{false};

// A small world: ASCII letters have a lower case, some characters become several, another none.
constexpr std::uint32_t kMarkPoint = 0x301, kHanFirst = 0x4E00, kHanLast = 0x4E10, kSharpS = 0xDF, kGone = 0xAD;
constexpr std::uint32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2, kDottedI = 0x130;
constexpr std::uint32_t kPlaneOneLetter = 0x10400, kLongExpansion = 0xFDFA, kWideSpace = 0x3000;

enum class Accents { kKept, kStripped, kAsciiOnly };

struct TableOptions {
    bool sigma = false, lowercase = true;
    Accents accents = Accents::kKept;
};

inline std::vector<std::int32_t> identity() {
    std::vector<std::int32_t> mapped(CharacterTable::kRows);
    for (std::size_t row = 0; row < mapped.size(); ++row)
        mapped[row] = static_cast<std::int32_t>(
            row < CharacterTable::kPlanes ? row : CharacterTable::kSupplement + (row - CharacterTable::kPlanes));
    mapped.back() = 0x10FFFF;
    return mapped;
}

inline std::unique_ptr<CharacterTable> small_table(TableOptions options = {}) {
    std::vector<std::uint8_t> word(CharacterTable::kRows), space(word), mark(word), unspaced(word), context(word);
    auto mapped = identity();
    for (int c = 0; c < 128; ++c) {
        word[c] = std::isalnum(c) || c == '_';
        space[c] = std::isspace(c) != 0;
        context[c] = std::isalpha(c) ? 1 : c == '\'' ? 2 : 0;
        if (options.lowercase) mapped[c] = std::tolower(c);
    }
    for (const std::uint32_t c : {kSharpS, kCapitalSigma, kSmallSigma, kFinalSigma, kDottedI, kPlaneOneLetter})
        word[c] = 1;
    space[0x85] = space[0xA0] = space[0x2028] = space[kWideSpace] = 1;
    mark[kMarkPoint] = 1;
    for (std::uint32_t c = kHanFirst; c <= kHanLast; ++c) word[c] = unspaced[c] = 1;

    std::vector<std::uint32_t> expansions{'s', 's'};
    std::vector<std::int64_t> ends{2, 2};
    const std::int32_t kTwo = -1, kNone = -2;
    mapped[kSharpS] = kTwo;
    mapped[kGone] = kNone;
    if (options.lowercase) {
        mapped[kCapitalSigma] = kSmallSigma;
        expansions.insert(expansions.end(), {'i', 0x307});
        ends.push_back(static_cast<std::int64_t>(expansions.size()));
        mapped[kDottedI] = -static_cast<std::int32_t>(ends.size());
    }
    if (options.accents != Accents::kKept) {
        mapped[kMarkPoint] = kNone;
        for (int i = 0; i < 18; ++i) expansions.push_back(i % 5 ? kHanFirst : ' ');
        ends.push_back(static_cast<std::int64_t>(expansions.size()));
        mapped[kLongExpansion] = -static_cast<std::int32_t>(ends.size());
    }
    if (options.accents == Accents::kAsciiOnly)
        for (std::size_t row = 128; row < mapped.size(); ++row)
            if (mapped[row] >= 128) mapped[row] = kNone;
    const bool follows_rule = options.sigma && options.lowercase && options.accents != Accents::kAsciiOnly;
    return std::make_unique<CharacterTable>(
        CharacterClasses{word, space, mark, unspaced}, mapped, expansions, ends,
        follows_rule ? std::span<const std::uint8_t>(context) : std::span<const std::uint8_t>());
}

template <class Unit>
TextView view(const std::vector<Unit>& units) {
    return {units.data(), units.size(), sizeof(Unit)};
}

}  // namespace setwise
