// What the tokenizer knows of characters: which are parts of words, and what lowercasing and accent stripping make of
// them. The core has no Unicode data of its own: the tables come from the caller, and agree with the caller's language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace setwise {

// A text where it lies: code units of 1, 2 or 4 bytes, each of which is one code point.
struct TextView {
    const void* units = nullptr;
    std::size_t length = 0;
    int width = 1;
};

// Calls `use(units, length)` with the units of a text in their own type.
template <class Use>
void with_units(const TextView& text, Use use) {
    if (text.width == 1)
        use(static_cast<const std::uint8_t*>(text.units), text.length);
    else if (text.width == 2)
        use(static_cast<const std::uint16_t*>(text.units), text.length);
    else
        use(static_cast<const std::uint32_t*>(text.units), text.length);
}

// One array per property, each with one entry per row of a CharacterTable.
struct CharacterClasses {
    std::span<const std::uint8_t> word;      // parts of words
    std::span<const std::uint8_t> space;     // whitespace
    std::span<const std::uint8_t> mark;      // combining marks
    std::span<const std::uint8_t> unspaced;  // letters of scripts that put no spaces between words
};

class CharacterTable {
  public:
    // Characters are assigned in planes 0 to 3 and at the start of plane 14. The last row stands for all others: they
    // are no parts of words, and stay as they are unless that row expands.
    static constexpr std::uint32_t kPlanes = 0x40000, kSupplement = 0xE0000, kSupplementSize = 0x1000;
    static constexpr std::size_t kOthers = kPlanes + kSupplementSize, kRows = kOthers + 1;

    // A code is what a character becomes: a code point in the low bits, and its classes. A character that becomes
    // none or several has the number of its expansion in the low bits.
    static constexpr std::uint32_t kCodePoint = (1u << 21) - 1;
    static constexpr std::uint32_t kWord = 1u << 24, kSpace = 1u << 25, kMark = 1u << 26, kUnspaced = 1u << 27;
    static constexpr std::uint32_t kExpands = 1u << 28, kSigma = 1u << 29;

    // `mapped` has for each row the code point that it becomes, or -1 - e where it becomes the code points
    // expansions[ends[e - 1]] to expansions[ends[e]]. With `sigma_context` (1: cased, 2: ignored when the case of
    // neighbors matters) a capital sigma becomes a final sigma at the end of a word; without, never.
    CharacterTable(const CharacterClasses& classes, std::span<const std::int32_t> mapped,
                   std::span<const std::uint32_t> expansions, std::span<const std::int64_t> ends,
                   std::span<const std::uint8_t> sigma_context);

    std::uint32_t code(std::uint8_t unit) const { return codes_[unit]; }
    std::uint32_t code(std::uint16_t unit) const { return codes_[unit]; }
    std::uint32_t code(std::uint32_t unit) const {
        if (unit < kPlanes) return codes_[unit];
        if (unit - kSupplement < kSupplementSize) return codes_[kPlanes + (unit - kSupplement)];
        if (codes_[kOthers] & kExpands) return codes_[kOthers];
        return unit <= kLastCodePoint ? unit : kReplacement;
    }

    // The bytes of UTF-8 that a Latin-1 character becomes, and in bits 16 and 17 their number; a space and the number 0
    // where it is no part of a word.
    const std::array<std::uint32_t, 256>& latin() const { return latin_; }

    // Whether `latin` has all characters of a text that words consist of. Emoji, dashes and quotes may be among the
    // others, which end a word and do nothing else.
    bool is_latin(const TextView& text) const;

    std::span<const std::uint32_t> expansion(std::uint32_t code) const {
        const std::uint32_t number = code & kCodePoint;
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return {expansions_.data() + begin, ends_[number] - begin};
    }

    // The code of the capital sigma at `place`: the final sigma after a cased letter that no cased letter follows.
    template <class Unit>
    std::uint32_t sigma(const Unit* text, std::size_t n, std::size_t place) const {
        std::size_t before = place, after = place + 1;
        while (before > 0 && context(text[before - 1]) == kIgnored) --before;
        const bool follows_cased = before > 0 && context(text[before - 1]) == kCased;
        if (!follows_cased) return small_sigma_;
        while (after < n && context(text[after]) == kIgnored) ++after;
        return after < n && context(text[after]) == kCased ? small_sigma_ : final_sigma_;
    }

  private:
    static constexpr std::uint32_t kLastCodePoint = 0x10FFFF, kReplacement = 0xFFFD;
    static constexpr std::uint8_t kCased = 1, kIgnored = 2;

    std::uint8_t context(std::uint32_t unit) const {
        if (unit < kPlanes) return sigma_context_[unit];
        return unit - kSupplement < kSupplementSize ? sigma_context_[kPlanes + (unit - kSupplement)] : 0;
    }

    std::vector<std::uint32_t> codes_;
    std::array<std::uint32_t, 256> latin_;
    bool latin_is_whole_ = true;             // otherwise only ASCII is sure to be in it
    std::vector<std::uint32_t> expansions_;  // codes, none of which expands again
    std::vector<std::size_t> ends_;
    std::vector<std::uint8_t> sigma_context_;
    std::uint32_t small_sigma_ = 0, final_sigma_ = 0;
};

// How many characters are parts of words (marks not counted), and how many of these are of unspaced scripts.
struct ScriptCounts {
    std::int64_t word = 0, unspaced = 0;
};

ScriptCounts count_scripts(const CharacterTable& table, const TextView& text);

}  // namespace setwise
