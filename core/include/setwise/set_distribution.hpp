// A distribution over given label sets, one a document, and what it says of labels and sizes.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/label_sets.hpp"
#include "setwise/raw_vector.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {

// Turns each row of scores (documents x sets, the log of anything proportional to a probability, -inf for none) into
// probabilities in place.
void softmax_rows(std::int64_t n_documents, std::int32_t n_sets, double* scores, int n_threads,
                  const std::atomic<bool>& stop);

// Calibrated scores: scale * score + bias of the set. Minus infinity stays what it is under any scale.
struct SetScaling {
    double scale;
    const double* bias;  // one per set
};

// Writes the probabilities of one document, the softmax of its calibrated scores.
void calibrated_softmax(std::int32_t n_sets, const double* scores, const SetScaling& scaling, double* probability);

// The same for every document: documents x sets.
void calibrated_softmax_rows(std::int64_t n_documents, std::int32_t n_sets, const double* scores,
                             const SetScaling& scaling, double* probability, int n_threads,
                             const std::atomic<bool>& stop);

// The least probability worth looking at: all sets below it together weigh less than the rounding of one.
double least_probability(std::int32_t n_sets);

// Label sets by size, for sums over the sets of some documents side by side: a document is a lane, and a set is added
// to all lanes at once. What one lane holds does not depend on the others.
class SetLanes {
  public:
    static constexpr std::int32_t kLanes = kDocumentLanes;

    explicit SetLanes(const LabelSets& sets);

    // The sets of one size above zero; they follow one another, and so do the pairs of the size with a label that
    // occur, labels rising.
    struct Size {
        std::int32_t size;
        std::int32_t first_set, end_set;
        std::int64_t first_entry;
        std::int32_t first_pair, end_pair;
    };

    std::int32_t n_sets() const { return static_cast<std::int32_t>(order_.size()); }
    std::int32_t n_labels() const { return n_labels_; }
    const std::vector<Size>& sizes() const { return sizes_; }                      // rising
    const std::vector<std::int32_t>& pair_labels() const { return pair_labels_; }  // of each pair

    // The pair of a label with the size at place g, or -1 where it does not occur.
    std::int32_t pair(std::int32_t label, std::size_t g) const { return pairs_[label * sizes_.size() + g]; }

    // How many blocks of kLanes documents there are.
    static std::int64_t blocks_of(std::int64_t n_documents) { return (n_documents + kLanes - 1) / kLanes; }

    // The sums of a thread, all in lanes: of each pair, of each size and of the empty set. Probabilities are the sums
    // times `share`.
    struct Sums {
        LaneVector pairs, sizes;
        alignas(64) double empty[kLanes], share[kLanes];

        explicit Sums(const SetLanes& lanes)
            : pairs(lanes.pair_labels_.size() * kLanes), sizes(lanes.sizes_.size() * kLanes) {}

        void clear();

        // Puts the first lane of `other` in the place of one of these.
        void take_first(const Sums& other, std::int32_t lane);
    };

    // Adds up `count` documents, at most kLanes, whose rows of probabilities follow one another.
    void add_up(const double* probability, std::int32_t count, Sums& sums) const;

    // Writes the sums of one lane for sizes up to n_sizes into joint (labels x n_sizes): always the same cells, the
    // others are left alone.
    void write(const Sums& sums, std::int32_t lane, std::int32_t n_sizes, double* joint) const;

  private:
    friend class IndependentSets;

    std::int32_t n_labels_, n_empty_ = 0;  // empty sets come first in the order
    std::vector<std::int32_t> order_;      // of the sets, by size
    std::vector<Size> sizes_;
    std::vector<std::int32_t> labels_, pair_of_entry_;  // of the sets in this order
    std::vector<std::int32_t> pair_labels_, pairs_;
    double least_;
};

// Sums over sets of independent labels: the score of a set is the sum of its labels' logits. An exponential per label
// takes the place of one per set. A copy for every thread: it has room for its documents.
class IndependentSets {
  public:
    // All three must outlive it.
    IndependentSets(const LabelSets& sets, const SetLanes& lanes, const SetScaling& scaling);

    // Adds up `count` documents, at most SetLanes::kLanes, whose rows of logits follow one another.
    void add_up(const double* logits, std::int32_t count, SetLanes::Sums& sums);

  private:
    void add_up_alone(const double* logits);

    const LabelSets& sets_;
    const SetLanes& lanes_;
    const SetScaling& scaling_;
    bool factors_are_normal_;
    std::vector<double> factors_, highest_;  // of the sets in the order of the lanes; the highest of each size
    double empty_;                           // of the empty sets together
    LaneVector odds_;
    bool normal_[SetLanes::kLanes];
    std::vector<double> scores_, probability_;  // of a document that is added up alone
    SetLanes::Sums alone_;
};

// From probabilities of the sets: joint[i, l, s - 1] = p(y_l = 1, |y| = s) for sizes up to n_sizes, and empty[i]; both
// come in as zeros.
void size_marginals_of_sets(std::int64_t n_documents, const LabelSets& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop);

}  // namespace setwise
