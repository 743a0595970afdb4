// The words of one text and their n-grams.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "setwise/text_scan.hpp"
#include "setwise/text_terms.hpp"

namespace setwise {

// Cuts one text after another, in the same memory.
//
// The tokens of a text lie in one buffer with a space after each, so that an n-gram is a piece of the buffer. Under the
// rule "unicode" the tokens of a run of unspaced characters are its pairs of units, where a unit is a character with
// its marks. Its single units lie in a buffer of their own: they are terms, but no parts of n-grams. Only a unit alone
// in its run is both.
class WordTerms {
  public:
    static constexpr std::size_t kMinCharacters = 2;  // shorter words are left out, as in scikit-learn

    // Both pointers must outlive this; without stop words, `stop_words` is null. Tokens are only `joined` for n-grams.
    WordTerms(const CharacterTable* table, TokenRule rule, const TermTable* stop_words, bool joined, bool keep_ranges)
        : table_(table), stop_words_(stop_words), rule_(rule), joined_(joined), keep_ranges_(keep_ranges) {}

    void read(const TextView& text);

    // Calls emit(term, place) for the terms that coverage counts: words and single units, or, where n-grams begin at
    // two words or more, the shortest of these.
    template <class Emit>
    void each_shortest(NgramRange lengths, Emit emit) const {
        if (lengths.shortest > 1) return ngrams(lengths.shortest, emit);
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].kind == Kind::kWord) emit(term(i, i), TermPlace{i, i});
        for (std::size_t i = 0; i < singles_.size(); ++i) {
            const std::string_view single(runs_.begin() + singles_[i].begin, singles_[i].end - singles_[i].begin);
            emit(single, TermPlace{tokens_.size() + i, tokens_.size() + i});
        }
    }

    // Calls emit(term, place) for all other terms.
    template <class Emit>
    void each_longer(NgramRange lengths, Emit emit) const {
        if (lengths.shortest == 1 && has_pairs_)
            for (std::size_t i = 0; i < tokens_.size(); ++i)
                if (tokens_[i].kind == Kind::kPair) emit(term(i, i), TermPlace{i, i});
        const auto most = static_cast<int>(std::min<std::size_t>(lengths.longest, tokens_.size()));
        for (int n = lengths.shortest + 1; n <= most; ++n) ngrams(n, emit);
    }

    // The characters of a term, if ranges are kept.
    CharacterRange range(TermPlace place) const {
        if (place.first >= tokens_.size()) return single_ranges_[place.first - tokens_.size()];
        return {token_ranges_[place.first].begin, token_ranges_[place.last].end};
    }

  private:
    template <TokenRule kRule, bool kKeepRanges>
    friend class WordCutter;

    static constexpr std::size_t kBlock = 1 << 16;  // characters

    enum class Kind : std::uint8_t { kWord, kPair, kLone };  // kLone: a unit alone in its run
    struct Token {
        std::uint32_t begin, end;
        Kind kind = Kind::kWord;
    };

    template <class Unit>
    void read_latin(const Unit* units, std::size_t n);
    bool is_stop_word(std::string_view word) const { return stop_words_ && stop_words_->contains(word); }

    std::string_view term(std::size_t first, std::size_t last) const {
        return {words_.begin() + tokens_[first].begin, tokens_[last].end - tokens_[first].begin};
    }

    template <class Emit>
    void ngrams(int n, Emit& emit) const {
        const auto more = static_cast<std::size_t>(n - 1);
        for (std::size_t i = 0; i + more < tokens_.size(); ++i) emit(term(i, i + more), TermPlace{i, i + more});
    }

    const CharacterTable* table_;
    const TermTable* stop_words_;
    TokenRule rule_;
    bool joined_, keep_ranges_;

    ByteBuffer words_, runs_;
    std::vector<Token> tokens_, singles_;
    std::vector<CharacterRange> token_ranges_, single_ranges_;
    std::vector<std::uint64_t> edges_;
    bool has_pairs_ = false;
};

}  // namespace setwise
