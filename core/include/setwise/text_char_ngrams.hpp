// The character n-grams within the words of one text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "setwise/text_scan.hpp"

namespace setwise {

// Cuts one text after another, in the same memory. Words here are what whitespace separates (rule "scikit-learn"), or
// words and runs of unspaced characters of any length (rule "unicode").
//
// Each word has a space before and after it that counts as one of its characters. In the buffer neighbors share that
// space, and `points_` has the place of every character.
class CharTerms {
  public:
    // The table must outlive this.
    CharTerms(const CharacterTable* table, TokenRule rule, bool keep_ranges)
        : table_(table), rule_(rule), keep_ranges_(keep_ranges) {}

    void read(const TextView& text);

    // Calls emit(term, place) for the n-grams of the shortest length. A shorter word is a term as a whole.
    template <class Emit>
    void each_shortest(NgramRange lengths, Emit emit) const {
        for (const Word& word : words_) ngrams(word, static_cast<std::size_t>(lengths.shortest), emit);
    }

    // Calls emit(term, place) for longer n-grams, in words that have more than one n-gram of the length before.
    template <class Emit>
    void each_longer(NgramRange lengths, Emit emit) const {
        for (const Word& word : words_)
            for (int n = lengths.shortest + 1; n <= lengths.longest; ++n) {
                const auto length = static_cast<std::size_t>(n);
                if (word.n_points < length) break;
                ngrams(word, length, emit);
            }
    }

    // The characters of a term, if ranges are kept; the spaces around a word are no characters of the text.
    CharacterRange range(TermPlace place) const {
        const std::int64_t begin = ranges_[place.first].begin;
        return {begin, place.last < place.first ? begin : ranges_[place.last].end};
    }

  private:
    template <TokenRule kRule, bool kKeepRanges>
    friend class CharCutter;

    struct Word {
        std::size_t first, n_points;  // with the spaces on both sides
    };

    // A place leaves the spaces out; of a term that is a space alone, the last character comes before the first.
    template <class Emit>
    void ngrams(const Word& word, std::size_t n, Emit& emit) const {
        const std::size_t length = std::min(n, word.n_points), end = word.first + word.n_points;
        for (std::size_t from = word.first, to = from + length; to <= end; ++from, ++to)
            emit(std::string_view(bytes_.begin() + points_[from], points_[to] - points_[from]),
                 TermPlace{std::max(from, word.first + 1), std::min(to - 1, end - 2)});
    }

    const CharacterTable* table_;
    TokenRule rule_;
    bool keep_ranges_;

    ByteBuffer bytes_;
    std::vector<std::size_t> points_;     // where each character of the buffer begins, and the end of the last
    std::vector<CharacterRange> ranges_;  // of each character of the buffer
    std::vector<Word> words_;
};

}  // namespace setwise
