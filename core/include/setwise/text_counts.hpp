// The terms of the training texts: counted once, then selected, then turned into features without a second look at the
// texts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "setwise/text_features.hpp"

namespace setwise {

// The bytes of terms, one after another, and where each ends.
struct PackedTerms {
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> ends;
};

class TermCounts {
  public:
    TermCounts(const TextAnalyzer& analyzer, std::span<const TextView> texts, int n_threads,
               const std::atomic<bool>& stop);
    TermCounts(TermCounts&&) = default;  // a copy would be large, and nobody needs one
    TermCounts& operator=(TermCounts&&) = default;

    // Selects the terms that `low` to `high` texts have, and gives them columns: word n-grams in the order of their
    // bytes, then character n-grams in theirs. It replaces the selection before.
    void select(double low, double high, int n_threads);

    std::size_t n_texts() const { return rows_.size(); }
    std::size_t n_entries() const;
    std::size_t n_terms() const { return kinds_[0].all.terms.size() + kinds_[1].all.terms.size(); }
    std::size_t n_words() const { return kinds_[0].selected.size(); }
    std::size_t n_selected() const { return n_words() + kinds_[1].selected.size(); }

    // One value per selected term: how many texts have it, and how often all of them do.
    std::vector<std::int64_t> document_frequency() const;
    std::vector<std::int64_t> totals() const;

    // Both take a flag per selected term; the terms without it are left out, and the columns move up.
    PackedTerms packed(std::span<const std::uint8_t> kept) const;
    SparseRows tfidf(std::span<const std::uint8_t> kept, std::span<const float> idf, std::span<const float> frequencies,
                     int n_threads, const std::atomic<bool>& stop) const;

  private:
    static constexpr std::size_t kKinds = 2;  // word n-grams and character n-grams

    // How many texts have a term, and how often all of them do.
    struct Tally {
        std::int64_t n_texts = 0, count = 0;
    };

    // Distinct terms of a kind with their tallies.
    struct Block {
        TermTable terms;
        std::vector<Tally> tallies;  // one per term, at least
    };

    struct Kind {
        Block all;
        std::vector<std::uint32_t> selected;  // numbers of terms, in the order of the columns

        void sort_selected(int n_threads);
    };

    struct Entry {
        std::uint32_t term, count;
    };

    // What one thread counted. `merged` has the number of each of its terms among the terms of all threads; it is empty
    // where they are the same.
    struct Part {
        std::vector<Entry> entries;
        std::array<RawVector<std::uint32_t>, kKinds> merged;
    };

    // The entries of a text: word n-grams from `begin` on, character n-grams from `middle` to `end`.
    struct Row {
        std::size_t part = 0, begin = 0, middle = 0, end = 0;
    };

    using Counted = std::array<Block, kKinds>;
    static RawVector<std::uint32_t> merge(Block& all, const Block& more);
    std::vector<std::int64_t> of_selected(std::int64_t Tally::* value) const;

    std::array<Kind, kKinds> kinds_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::vector<Row> rows_;
};

}  // namespace setwise
