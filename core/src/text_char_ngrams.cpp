#include "setwise/text_char_ngrams.hpp"

#include <algorithm>

namespace setwise {

// The state of one scan: `n_points_` counts the characters of the current word or run.
template <TokenRule kRule, bool kKeepRanges>
class CharCutter {
    static constexpr bool kUnicode = kRule == TokenRule::kUnicode;
    using Table = CharacterTable;

  public:
    CharCutter(CharTerms& terms, std::size_t n) : terms_(terms), n_(n) {
        out_ = terms_.bytes_.begin();
        make_room(0, 0);
        put_space(0);
    }

    // ASCII characters that are nothing but parts of words.
    template <class Unit>
    std::size_t take_plain(const Table& table, const Unit* units, std::size_t i, std::size_t n) {
        constexpr std::uint32_t kOneByte = 0x7F;
        constexpr std::uint32_t kWanted = kUnicode ? Table::kWord : 0;
        constexpr std::uint32_t kLookAt = (kUnicode ? Table::kWord | Table::kUnspaced | Table::kMark : Table::kSpace) |
                                          Table::kExpands | (Table::kCodePoint & ~kOneByte);
        if (in_run_) return i;
        const std::size_t first = i;
        char* out = out_;
        std::size_t* point = points_;
        auto at = static_cast<std::size_t>(out - terms_.bytes_.begin());
        for (; i < n; ++i) {
            const std::uint32_t code = table.code(units[i]);
            if ((code & kLookAt) != kWanted) break;
            *out++ = static_cast<char>(code & kOneByte);
            *point++ = at++;
            if constexpr (kKeepRanges) note(i, i + 1);
        }
        n_points_ += i - first;
        out_ = out;
        points_ = point;
        return i;
    }

    void put(std::uint32_t code, std::size_t i) {
        if constexpr (kUnicode) {
            const bool is_mark = code & Table::kMark, is_unspaced = code & Table::kUnspaced;
            if (is_unspaced || (code & Table::kWord) || is_mark) {
                if (n_points_ > 0 && !is_mark && is_unspaced != in_run_) end_word();
                if (n_points_ == 0) in_run_ = is_unspaced;
                put_point(code, i);
            } else if (n_points_ > 0) {
                end_word();
            }
        } else {
            if (!(code & Table::kSpace))
                put_point(code, i);
            else if (n_points_ > 0)
                end_word();
        }
    }

    // Room for what comes from character i on: a letter and a space for each character, and for each that a character
    // may become.
    void make_room(std::size_t n_codes, std::size_t i) {
        const std::size_t more = 2 * (n_codes + (n_ - i) + 2);
        const auto used = points_ ? static_cast<std::size_t>(points_ - terms_.points_.data()) : 0;
        if (terms_.points_.size() < used + more) terms_.points_.resize(2 * used + more);
        points_ = terms_.points_.data() + used;
        out_ = terms_.bytes_.with_room(out_, more * kMaxUtf8Bytes);
    }

    void end_text() {
        if (n_points_ > 0) end_word();
        *points_ = static_cast<std::size_t>(out_ - terms_.bytes_.begin());
    }

  private:
    void note(std::size_t begin, std::size_t end) {
        terms_.ranges_.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)});
    }

    void put_space(std::size_t i) {
        *points_++ = static_cast<std::size_t>(out_ - terms_.bytes_.begin());
        *out_++ = ' ';
        if constexpr (kKeepRanges) note(i, i);
    }

    void put_point(std::uint32_t code, std::size_t i) {
        *points_++ = static_cast<std::size_t>(out_ - terms_.bytes_.begin());
        out_ = put_utf8(code & Table::kCodePoint, out_);
        if constexpr (kKeepRanges) note(i, i + 1);
        ++n_points_;
    }

    void end_word() {
        const auto n_written = static_cast<std::size_t>(points_ - terms_.points_.data());
        terms_.words_.push_back({n_written - n_points_ - 1, n_points_ + 2});
        n_points_ = 0;
        in_run_ = false;
        put_space(kKeepRanges ? static_cast<std::size_t>(terms_.ranges_.back().end) : 0);
    }

    CharTerms& terms_;
    const std::size_t n_;
    char* out_;
    std::size_t* points_ = nullptr;
    std::size_t n_points_ = 0;
    bool in_run_ = false;
};

void CharTerms::read(const TextView& text) {
    words_.clear();
    ranges_.clear();
    with_units(text, [&]<class Unit>(const Unit* units, std::size_t n) {
        const auto cut = [&]<class Cutter>(Cutter cutter) { scan(*table_, units, n, cutter); };
        if (rule_ == TokenRule::kScikitLearn) {
            keep_ranges_ ? cut(CharCutter<TokenRule::kScikitLearn, true>(*this, n))
                         : cut(CharCutter<TokenRule::kScikitLearn, false>(*this, n));
        } else {
            keep_ranges_ ? cut(CharCutter<TokenRule::kUnicode, true>(*this, n))
                         : cut(CharCutter<TokenRule::kUnicode, false>(*this, n));
        }
    });
}

}  // namespace setwise
