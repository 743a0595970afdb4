#include "setwise/text_characters.hpp"

#include <stdexcept>

namespace setwise {
namespace {

constexpr std::uint32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

CharacterTable::CharacterTable(const CharacterClasses& classes, std::span<const std::int32_t> mapped,
                               std::span<const std::uint32_t> expansions, std::span<const std::int64_t> ends,
                               std::span<const std::uint8_t> sigma_context)
    : codes_(kRows), sigma_context_(sigma_context.begin(), sigma_context.end()) {
    for (const auto& one : {classes.word, classes.space, classes.mark, classes.unspaced})
        require(one.size() == kRows, "a class must have one entry per character of the table");
    require(mapped.size() == kRows, "mapped must have one entry per character of the table");
    require(sigma_context.empty() || sigma_context.size() == kRows, "sigma_context has the wrong length");

    const auto code_of = [&](std::uint32_t point) {
        require(point <= kLastCodePoint, "a code point is out of range");
        std::size_t row = point;
        if (point >= kPlanes) {
            if (point - kSupplement >= kSupplementSize) return point;
            row = kPlanes + (point - kSupplement);
        }
        return point | (classes.word[row] ? kWord : 0) | (classes.space[row] ? kSpace : 0) |
               (classes.mark[row] ? kMark : 0) | (classes.unspaced[row] ? kUnspaced : 0);
    };
    expansions_.reserve(expansions.size());
    for (const std::uint32_t point : expansions) expansions_.push_back(code_of(point));
    std::int64_t begin = 0;
    ends_.reserve(ends.size());
    for (const std::int64_t end : ends) {
        require(end >= begin && static_cast<std::size_t>(end) <= expansions.size(), "expansions must rise in ends");
        ends_.push_back(static_cast<std::size_t>(end));
        begin = end;
    }
    for (std::size_t row = 0; row < kRows; ++row) {
        const std::int32_t to = mapped[row];
        if (to >= 0) {
            codes_[row] = code_of(static_cast<std::uint32_t>(to));
        } else {
            const auto number = static_cast<std::uint32_t>(-1 - to);
            require(number < ends_.size(), "mapped names an expansion that is not there");
            codes_[row] = number | kExpands;
        }
    }
    if (!sigma_context_.empty()) {
        small_sigma_ = code_of(kSmallSigma);
        final_sigma_ = code_of(kFinalSigma);
        codes_[kCapitalSigma] = kExpands | kSigma;
    }
    for (std::size_t unit = 0; unit < latin_.size(); ++unit) {
        const std::uint32_t code = codes_[unit], point = code & kCodePoint;
        const bool fits = !(code & (kExpands | kMark | kUnspaced)) && point < 0x800;
        latin_[unit] = ' ';
        if (!fits) {
            require(unit >= 0x80, "an ASCII character must become a character of at most two bytes");
            latin_is_whole_ = false;
        } else if (code & kWord) {
            latin_[unit] =
                point < 0x80 ? point | 1u << 16 : 0xC0 | point >> 6 | (0x80 | (point & 0x3F)) << 8 | 2u << 16;
        }
    }
}

bool CharacterTable::is_latin(const TextView& text) const {
    if (text.width == 1 && latin_is_whole_) return true;
    const std::uint32_t n_sure = latin_is_whole_ ? 0x100 : 0x80;
    bool found_other = false;
    with_units(text, [&](const auto* units, std::size_t n) {
        for (std::size_t i = 0; i < n && !found_other; ++i)
            found_other =
                units[i] >= n_sure && (units[i] < 0x100 || (code(units[i]) & (kWord | kMark | kUnspaced | kExpands)));
    });
    return !found_other;
}

ScriptCounts count_scripts(const CharacterTable& table, const TextView& text) {
    ScriptCounts counts;
    with_units(text, [&](const auto* units, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = table.code(units[i]);
            if (code & CharacterTable::kExpands) continue;
            counts.word += (code & CharacterTable::kWord) != 0;
            counts.unspaced += (code & CharacterTable::kUnspaced) != 0;
        }
    });
    return counts;
}

}  // namespace setwise
