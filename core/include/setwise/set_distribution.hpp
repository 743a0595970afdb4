// A distribution over given label sets, one a document, and what it says of labels and sizes.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/matrix.hpp"

namespace setwise {

// Turns each row of scores (documents x sets, the log of anything proportional to a probability, -inf for none) into
// probabilities in place.
void softmax_rows(std::int64_t n_documents, std::int32_t n_sets, double* scores, int n_threads,
                  const std::atomic<bool>& stop);

// The least probability worth looking at: all sets below it together weigh less than the rounding of one.
double least_probability(std::int32_t n_sets);

// Sets in the order of their sizes, so that a loop over them can foresee how long each is. Sets of one size keep their
// order, and with it a sum its bits. Sets of more than n_sizes labels are left out.
class SetsBySize {
  public:
    SetsBySize(const Columns<Ones>& sets, std::int32_t n_sizes);

    // Adds the sets of one document at or above `least` to joint (labels x sizes) and returns p(y = 0).
    double add_to(const double* probability, double least, double* joint) const;

  private:
    std::int32_t n_sizes_;
    std::vector<std::int64_t> first_;  // where the sets of a size begin in order_, sizes from 0 up
    std::vector<std::int32_t> order_;
    std::vector<std::int64_t> cells_;  // of joint, those of one set after those of another
};

// From probabilities of the sets: joint[i, l, s - 1] = p(y_l = 1, |y| = s) for sizes up to n_sizes, and empty[i]; both
// come in as zeros. "Column" s of `sets` is set s.
void size_marginals_of_sets(std::int64_t n_documents, const Columns<Ones>& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop);

}  // namespace setwise
