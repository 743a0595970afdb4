// The label set of highest expected F (Waegeman et al. 2014; the paper's Algorithm 1), for any F_beta.
//
// The expected F_beta of a set h of k labels is the sum over its labels of
//
//     Delta_l(k) = sum_s p(y_l = 1, |y| = s) (1 + beta^2) / (beta^2 s + k)
//
// so for each k the best set is made of the k largest, and the empty set is worth p(y = 0).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/label_sets.hpp"
#include "setwise/set_distribution.hpp"

namespace setwise {

struct BestSet {
    std::vector<std::int32_t> labels;  // rising
    double expected = 0.0;
};

// `joint` is documents x labels x sizes from 1 up, `empty` one value per document. No cap on the set's size; ties go to
// the smaller set, and between labels to the first. A document's bits depend on nothing but its own numbers.
std::vector<BestSet> maximize_expected_f(std::int64_t n_documents, std::int32_t n_labels, std::int32_t n_sizes,
                                         const double* joint, const double* empty, double beta, int n_threads,
                                         const std::atomic<bool>& stop);

// The same from the probabilities of given sets, documents x sets, without a matrix of labels and sizes for every
// document.
std::vector<BestSet> maximize_expected_f_over_sets(std::int64_t n_documents, const LabelSets& sets,
                                                   const double* probability, double beta, int n_threads,
                                                   const std::atomic<bool>& stop);

// The same from scores of given sets, documents x sets. The bits are those of `calibrated_softmax_rows` and the
// function above, but the probabilities of a few documents at a time never leave the cache.
std::vector<BestSet> maximize_expected_f_over_scores(std::int64_t n_documents, const LabelSets& sets,
                                                     const double* scores, const SetScaling& scaling, double beta,
                                                     int n_threads, const std::atomic<bool>& stop);

// The same from the logits of independent labels, documents x labels: the score of a set is the sum of its labels'
// logits. No score of a set is ever written.
std::vector<BestSet> maximize_expected_f_over_logits(std::int64_t n_documents, const LabelSets& sets,
                                                     const double* logits, const SetScaling& scaling, double beta,
                                                     int n_threads, const std::atomic<bool>& stop);

}  // namespace setwise
