// A distribution over given label sets, one a document, and what it says of labels and sizes.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/label_sets.hpp"

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
    static constexpr std::int32_t kLanes = 8;

    SetLanes(const LabelSets& sets, std::int32_t n_sizes);

    // How many blocks of kLanes documents there are.
    static std::int64_t blocks_of(std::int64_t n_documents) { return (n_documents + kLanes - 1) / kLanes; }

    // The sums of a thread: of each pair of a label and a size that occurs, and of the empty set.
    struct Sums {
        std::vector<double> pairs;  // pairs x kLanes
        double empty[kLanes];

        explicit Sums(const SetLanes& lanes) : pairs(lanes.cells_.size() * kLanes) {}
    };

    // Adds up `count` documents, at most kLanes, whose rows of probabilities follow one another.
    void add_up(const double* probability, std::int32_t count, Sums& sums) const;

    // Writes the sums of one lane into joint (labels x sizes): always the same cells, the others are left alone.
    void write(const Sums& sums, std::int32_t lane, double* joint) const;

  private:
    Columns<Ones> sets_;
    std::int32_t n_sizes_;
    double least_;
    std::vector<std::int32_t> pair_;   // of each entry of the sets
    std::vector<std::int64_t> cells_;  // of joint, one a pair
};

// From probabilities of the sets: joint[i, l, s - 1] = p(y_l = 1, |y| = s) for sizes up to n_sizes, and empty[i]; both
// come in as zeros.
void size_marginals_of_sets(std::int64_t n_documents, const LabelSets& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop);

}  // namespace setwise
