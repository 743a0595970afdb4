// A distribution over given label sets, one a document, and what it says of labels and sizes.
#pragma once

#include <atomic>
#include <cstdint>

#include "setwise/matrix.hpp"

namespace setwise {

// Turns each row of scores (documents x sets, the log of anything proportional to a probability, -inf for none) into
// probabilities in place.
void softmax_rows(std::int64_t n_documents, std::int32_t n_sets, double* scores, int n_threads,
                  const std::atomic<bool>& stop);

// The least probability worth looking at: all sets below it together weigh less than the rounding of one.
double least_probability(std::int32_t n_sets);

// Adds the sets of one document at or above `least` to joint (labels x sizes up to n_sizes) and returns p(y = 0).
double add_sets(const Columns<Ones>& sets, const double* probability, double least, std::int32_t n_sizes,
                double* joint);

// From probabilities of the sets: joint[i, l, s - 1] = p(y_l = 1, |y| = s) for sizes up to n_sizes, and empty[i]; both
// come in as zeros. "Column" s of `sets` is set s.
void size_marginals_of_sets(std::int64_t n_documents, const Columns<Ones>& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop);

}  // namespace setwise
