// TF-IDF features of texts, as rows of a sparse matrix.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "setwise/raw_vector.hpp"
#include "setwise/text_char_ngrams.hpp"
#include "setwise/text_terms.hpp"
#include "setwise/text_words.hpp"

namespace setwise {

// How texts become terms: word n-grams, character n-grams, or both. What the pointers point to must outlive this.
struct TextAnalyzer {
    const CharacterTable* table;
    TokenRule rule = TokenRule::kUnicode;
    std::optional<NgramRange> words, chars;
    const TermTable* stop_words = nullptr;

    WordTerms word_terms(bool keep_ranges = false) const {
        return {table, rule, stop_words, words && words->longest > 1, keep_ranges};
    }
    CharTerms char_terms(bool keep_ranges = false) const { return {table, rule, keep_ranges}; }
};

// Hands every term of one text to `use(table, key)`: first those of the shortest length, whose number is
// returned, then, after a call of `between()`, the others. Throws Stopped soon after `stop` is set.
template <class Terms, class Table, class Use, class Between>
std::size_t each_term(const Terms& terms, NgramRange lengths, Table& table, const std::atomic<bool>& stop, Use use,
                      Between between) {
    TermBatch batch(table, use, stop);
    std::size_t n_shortest = 0;
    terms.each_shortest(lengths, [&](std::string_view term, TermPlace) {
        batch.add(term);
        ++n_shortest;
    });
    batch.flush();
    between();
    terms.each_longer(lengths, [&](std::string_view term, TermPlace) { batch.add(term); });
    batch.flush();
    return n_shortest;
}

// How often each term occurs in the current document. Two levels of bits say which occur: to go through them in order
// takes less time than to sort them.
class TermFrequencies {
  public:
    void resize(std::size_t n_terms) {
        counts_.resize(n_terms);
        occurs_.resize(n_terms / 64 + 1);
        any_occurs_.resize(n_terms / 4096 + 1);
    }
    std::size_t size() const { return counts_.size(); }

    void add(std::uint32_t id, std::uint32_t count = 1) {
        counts_[id] += count;
        occurs_[id / 64] |= std::uint64_t{1} << id % 64;
        any_occurs_[id / 4096] |= std::uint64_t{1} << id / 64 % 64;
    }

    // Calls `use(id, count)` for each term that occurs, in rising order, and forgets them.
    template <class Use>
    void take_all(Use use) {
        for (std::size_t top = 0; top < any_occurs_.size(); ++top) {
            for (; any_occurs_[top] != 0; any_occurs_[top] &= any_occurs_[top] - 1) {
                const std::size_t middle = 64 * top + static_cast<std::size_t>(std::countr_zero(any_occurs_[top]));
                for (; occurs_[middle] != 0; occurs_[middle] &= occurs_[middle] - 1) {
                    const std::size_t id = 64 * middle + static_cast<std::size_t>(std::countr_zero(occurs_[middle]));
                    use(static_cast<std::uint32_t>(id), counts_[id]);
                    counts_[id] = 0;
                }
            }
        }
    }

  private:
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint64_t> occurs_, any_occurs_;
};

// How many entries (of a text and a term that it has) a thread will find in its share of usual texts. Who makes room
// for them at once touches half the memory of a vector that grows and copies what it has.
std::size_t usual_entries(std::span<const TextView> texts, int n_threads);

// How counts become values.
struct TermWeights {
    std::span<const float> idf;  // one per column
    // Term frequencies of the counts 1, 2, ...; larger ones are computed as 1 + log(count). Empty: the count itself.
    // They come from the caller so that they equal the logarithms of the caller to the last bit.
    std::span<const float> frequencies;
    std::size_t n_words;  // columns of word n-grams; character n-grams follow

    float value(std::uint32_t column, std::uint32_t count) const {
        if (frequencies.empty()) return static_cast<float>(count) * idf[column];
        return (count <= frequencies.size() ? frequencies[count - 1] : unlisted(count)) * idf[column];
    }

    // Scales the values of a row to unit length. Where a row has word and character n-grams, each of the two gets unit
    // length before.
    void normalize(std::span<const std::int32_t> columns, std::span<float> values) const;

  private:
    static float unlisted(std::uint32_t count);
};

struct SparseRows {
    std::vector<std::int64_t> indptr;
    RawVector<std::int32_t> indices;  // rising within a row
    RawVector<float> values;
};

struct TextFeatures {
    SparseRows rows;
    std::vector<double> coverage;  // share of the shortest terms that are in the vocabulary, per text
};

TextFeatures tfidf(const TextAnalyzer& analyzer, const Vocabulary& vocabulary, std::span<const float> idf,
                   std::span<const float> frequencies, std::span<const TextView> texts, int n_threads,
                   const std::atomic<bool>& stop);

// Where a term of the vocabulary occurs in a text.
struct TermSpan {
    std::int32_t column;
    CharacterRange range;
};

// In the order of the text: by begin, then by end, then by column.
std::vector<TermSpan> term_spans(const TextAnalyzer& analyzer, const Vocabulary& vocabulary, const TextView& text,
                                 const std::atomic<bool>& stop);

}  // namespace setwise
