// A distribution over given label sets, one a document, and what it says of labels and sizes.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/label_sets.hpp"
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

// Sums over sets for some documents side by side: a document is a lane, and a set is added to all lanes at once. What
// one lane holds does not depend on the others. Sets of more than n_sizes labels are left out.
class SetLanes {
  public:
    static constexpr std::int32_t kLanes = kDocumentLanes;

    SetLanes(const LabelSets& sets, std::int32_t n_sizes);

    std::int32_t n_sizes() const { return n_sizes_; }

    // How many blocks of kLanes documents there are.
    static std::int64_t blocks_of(std::int64_t n_documents) { return (n_documents + kLanes - 1) / kLanes; }

    // The sums of a thread: of each pair of a label and a size that occurs, and of the empty set.
    struct Sums {
        std::vector<double> pairs;  // pairs x kLanes
        double empty[kLanes];

        explicit Sums(const SetLanes& lanes) : pairs(lanes.cells_.size() * kLanes) {}

        // Puts the first lane of `other` in the place of one of these.
        void take_first(const Sums& other, std::int32_t lane);
    };

    // Adds up `count` documents, at most kLanes, whose rows of probabilities follow one another.
    void add_up(const double* probability, std::int32_t count, Sums& sums) const;

    // The same where the probability of a set is proportional to its factor times the odds of its labels; odds are
    // labels x kLanes, and no product may leave the normal numbers.
    void add_up_products(const double* factors, const double* odds, Sums& sums) const;

    // Writes the sums of one lane into joint (labels x sizes): always the same cells, the others are left alone.
    void write(const Sums& sums, std::int32_t lane, double* joint) const;

  private:
    Columns<Ones> sets_;
    std::int32_t n_sizes_;
    double least_;
    std::vector<std::int32_t> pair_;   // of each entry of the sets
    std::vector<std::int64_t> cells_;  // of joint, one a pair
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
    bool products_are_normal(const double* logits) const;
    void add_up_alone(const double* logits);

    const LabelSets& sets_;
    const SetLanes& lanes_;
    const SetScaling& scaling_;
    double largest_logit_;  // products of odds are normal up to it
    std::vector<double> factors_, odds_;
    std::vector<double> scores_, probability_;  // of a document whose products are not
    SetLanes::Sums alone_;
};

// From probabilities of the sets: joint[i, l, s - 1] = p(y_l = 1, |y| = s) for sizes up to n_sizes, and empty[i]; both
// come in as zeros.
void size_marginals_of_sets(std::int64_t n_documents, const LabelSets& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop);

}  // namespace setwise
