#include "setwise/text_words.hpp"

#include <algorithm>
#include <cstring>

namespace setwise {

// The state of one scan: `out_` is where the words are written, `n_points_` counts the characters of the current word,
// and `units_` are the bounds of the current run's units. At most one of the two is not empty.
template <TokenRule kRule, bool kKeepRanges>
class WordCutter {
    static constexpr bool kUnicode = kRule == TokenRule::kUnicode;
    using Table = CharacterTable;
    using Kind = WordTerms::Kind;

  public:
    WordCutter(WordTerms& terms, std::size_t n) : terms_(terms), n_(n) {
        out_ = terms_.words_.begin();
        run_out_ = terms_.runs_.begin();
        require_room(0, 0);
    }

    // Letters of up to two bytes that are nothing but parts of words.
    template <class Unit>
    std::size_t take_plain(const Table& table, const Unit* units, std::size_t i, std::size_t n) {
        constexpr std::uint32_t kTwoBytes = 0x7FF;
        constexpr std::uint32_t kLookAt =
            Table::kWord | Table::kUnspaced | Table::kMark | Table::kExpands | (Table::kCodePoint & ~kTwoBytes);
        if constexpr (kUnicode)
            if (!units_.empty()) return i;
        const std::size_t first = i;
        char* out = out_;
        for (; i < n; ++i) {
            const std::uint32_t code = table.code(units[i]);
            if ((code & kLookAt) != Table::kWord) break;
            const std::uint32_t point = code & kTwoBytes;
            if (point >= 0x80) *out++ = static_cast<char>(0xC0 | point >> 6);
            *out++ = static_cast<char>(point < 0x80 ? point : 0x80 | (point & 0x3F));
        }
        if (i > first) {
            if constexpr (kKeepRanges) note_range(first, i - 1);
            if (n_points_ == 0) begin_ = out_;
            n_points_ += i - first;
            out_ = out;
        }
        return i;
    }

    void put(std::uint32_t code, std::size_t i) {
        if (kUnicode && (code & Table::kUnspaced)) {
            if (n_points_ > 0) end_word();
            units_.push_back({run_size(), run_size()});
            put_in_run(code);
            if constexpr (kKeepRanges) unit_ranges_.push_back(here(i, i));
        } else if (kUnicode && (code & Table::kMark) && !units_.empty()) {
            put_in_run(code);
            if constexpr (kKeepRanges) unit_ranges_.back().end = static_cast<std::int64_t>(i) + 1;
        } else if (code & (kUnicode ? Table::kWord | Table::kMark : Table::kWord)) {
            if (kUnicode && !units_.empty()) end_run(i);
            if constexpr (kKeepRanges) note_range(i, i);
            if (n_points_ == 0) begin_ = out_;
            ++n_points_;
            out_ = put_utf8(code & Table::kCodePoint, out_);
        } else {
            if (n_points_ > 0) end_word();
            if (kUnicode && !units_.empty()) end_run(i);
        }
    }

    void make_room(std::size_t n_codes, std::size_t i) {
        expanding_ = std::max(expanding_, n_codes);
        require_room(0, i);
    }
    void end_text() {
        if (n_points_ > 0) end_word();
        if (kUnicode && !units_.empty()) end_run(n_);
    }

  private:
    // Room for `extra` bytes and what comes from character i on: a letter and a space for each character, and for each
    // that a character may become.
    void require_room(std::size_t extra, std::size_t i) {
        const std::size_t more = extra + (expanding_ + (n_ - i) + 1) * (kMaxUtf8Bytes + 1);
        const std::ptrdiff_t into_word = n_points_ > 0 ? out_ - begin_ : 0;
        out_ = terms_.words_.with_room(out_, more);
        begin_ = out_ - into_word;
    }

    static CharacterRange here(std::size_t first, std::size_t last) {
        return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last) + 1};
    }
    void note_range(std::size_t first, std::size_t last) {
        if (n_points_ == 0) word_range_.begin = static_cast<std::int64_t>(first);
        word_range_.end = static_cast<std::int64_t>(last) + 1;
    }

    void end_word() {
        const std::string_view word(begin_, static_cast<std::size_t>(out_ - begin_));
        const bool is_kept = n_points_ >= WordTerms::kMinCharacters && !terms_.is_stop_word(word);
        n_points_ = 0;
        if (is_kept)
            keep_token(begin_, Kind::kWord, word_range_);
        else
            out_ = begin_;
    }

    // Makes what was written from `begin` on a token.
    void keep_token(const char* begin, Kind kind, CharacterRange range) {
        const char* const buffer = terms_.words_.begin();
        terms_.tokens_.push_back(
            {static_cast<std::uint32_t>(begin - buffer), static_cast<std::uint32_t>(out_ - buffer), kind});
        if constexpr (kKeepRanges) terms_.token_ranges_.push_back(range);
        *out_++ = ' ';
    }

    std::uint32_t run_size() { return static_cast<std::uint32_t>(run_out_ - terms_.runs_.begin()); }

    void put_in_run(std::uint32_t code) {
        run_out_ = terms_.runs_.with_room(run_out_, kMaxUtf8Bytes);
        run_out_ = put_utf8(code & Table::kCodePoint, run_out_);
        units_.back().end = run_size();
    }

    // `i` is the character that ended the run.
    void end_run(std::size_t i) {
        const std::size_t n_units = units_.size(), n_bytes = units_.back().end - units_.front().begin;
        // Every byte is written twice, in two pairs, and every pair is followed by a space.
        require_room(2 * n_bytes + n_units, i);
        for (std::size_t u = 0; u < n_units; ++u) {
            if (!terms_.is_stop_word(run_bytes(u, u))) {
                terms_.singles_.push_back(units_[u]);
                if constexpr (kKeepRanges) terms_.single_ranges_.push_back(unit_ranges_[u]);
            }
        }
        if (n_units == 1) {
            put_token(0, 0, Kind::kLone);
        } else {
            for (std::size_t u = 0; u + 1 < n_units; ++u) put_token(u, u + 1, Kind::kPair);
            terms_.has_pairs_ = true;
        }
        units_.clear();
        unit_ranges_.clear();
    }

    std::string_view run_bytes(std::size_t first, std::size_t last) {
        return {terms_.runs_.begin() + units_[first].begin, units_[last].end - units_[first].begin};
    }

    void put_token(std::size_t first, std::size_t last, Kind kind) {
        const std::string_view bytes = run_bytes(first, last);
        if (terms_.is_stop_word(bytes)) return;
        const char* const begin = out_;
        std::memcpy(out_, bytes.data(), bytes.size());
        out_ += bytes.size();
        CharacterRange range;
        if constexpr (kKeepRanges) range = {unit_ranges_[first].begin, unit_ranges_[last].end};
        keep_token(begin, kind, range);
    }

    WordTerms& terms_;
    const std::size_t n_;
    std::size_t expanding_ = 0;  // the most characters that one has become so far
    char* out_;
    char* begin_ = nullptr;
    std::size_t n_points_ = 0;
    CharacterRange word_range_;

    char* run_out_;
    std::vector<WordTerms::Token> units_;
    std::vector<CharacterRange> unit_ranges_;
};

// Every character is handled by the same instructions, whether a word goes on, begins or ends there: a branch that the
// processor cannot foresee costs more than the characters of a word. Every character writes its bytes and its place,
// and they stay written where the character belongs to a word (or is the first behind it) or is the edge of one. The
// places of a long text would take eight times its memory, so it is read in blocks.
template <class Unit>
void WordTerms::read_latin(const Unit* units, std::size_t n) {
    char* const out = words_.with_room(words_.begin(), 2 * n + 2);
    const std::size_t block = std::min(n, kBlock);
    if (edges_.size() < block + 3) edges_.resize(block + 3);
    const std::uint32_t* const latin = table_->latin().data();
    constexpr std::uint32_t kNoWord = ' ';
    std::uint64_t* edge = edges_.data();
    std::uint64_t at = 0, was_word = 0;
    std::size_t n_all_words = 0;
    for (std::size_t first = 0; first < n; first += block) {
        const std::size_t last = std::min(n, first + block);
        for (std::size_t i = first; i < last; ++i) {
            const std::uint64_t code = units[i] < 0x100 ? latin[units[i]] : kNoWord;
            const std::uint64_t size = code >> 16, is_word = size != 0;
            out[at] = static_cast<char>(code);
            out[at + 1] = static_cast<char>(code >> 8);
            *edge = at << 32 | i;
            edge += is_word ^ was_word;
            at += size + (was_word & ~is_word);
            was_word = is_word;
        }
        if (last == n) {
            out[at] = ' ';
            *edge = at << 32 | n;
            edge += was_word;
        }
        const auto n_edges = static_cast<std::size_t>(edge - edges_.data()), n_words = n_edges / 2;
        const std::size_t n_before = tokens_.size();
        tokens_.resize(n_before + n_words);
        Token* token = tokens_.data() + n_before;
        for (std::size_t w = 0; w < n_words; ++w) {
            const std::uint64_t begin = edges_[2 * w], end = edges_[2 * w + 1];
            *token = {static_cast<std::uint32_t>(begin >> 32), static_cast<std::uint32_t>(end >> 32)};
            token += static_cast<std::uint32_t>(end) - static_cast<std::uint32_t>(begin) >= kMinCharacters;
        }
        tokens_.resize(static_cast<std::size_t>(token - tokens_.data()));
        n_all_words += n_words;
        edges_[0] = edges_[2 * n_words];  // a word that goes on in the next block
        edge = edges_.data() + n_edges % 2;
    }
    if (stop_words_)
        std::erase_if(tokens_, [&](const Token& one) { return is_stop_word({out + one.begin, one.end - one.begin}); });
    if (joined_ && tokens_.size() < n_all_words) {
        std::uint32_t place = 0;
        for (Token& one : tokens_) {
            const std::uint32_t size = one.end - one.begin;
            std::memmove(out + place, out + one.begin, size + 1);  // with the space behind it
            one = {place, place + size};
            place += size + 1;
        }
    }
}

void WordTerms::read(const TextView& text) {
    tokens_.clear();
    singles_.clear();
    token_ranges_.clear();
    single_ranges_.clear();
    has_pairs_ = false;
    const bool is_latin = !keep_ranges_ && table_->is_latin(text);
    with_units(text, [&]<class Unit>(const Unit* units, std::size_t n) {
        if (is_latin) return read_latin(units, n);
        const auto cut = [&]<class Cutter>(Cutter cutter) { scan(*table_, units, n, cutter); };
        if (rule_ == TokenRule::kScikitLearn) {
            keep_ranges_ ? cut(WordCutter<TokenRule::kScikitLearn, true>(*this, n))
                         : cut(WordCutter<TokenRule::kScikitLearn, false>(*this, n));
        } else {
            keep_ranges_ ? cut(WordCutter<TokenRule::kUnicode, true>(*this, n))
                         : cut(WordCutter<TokenRule::kUnicode, false>(*this, n));
        }
    });
}

}  // namespace setwise
