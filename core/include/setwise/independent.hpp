// The best label sets for independent labels: p(y | x) = prod_l p(y_l | x). A best set has the k most probable labels
// for some k, so that L + 1 sets are compared, not 2^L (Nan et al. 2012; Quevedo et al. 2012).
//
// Every function takes each document by itself: the result has the same bits whatever the number of threads and
// whatever other documents come along. Ties go to the smaller set, and between labels to the first.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/gfm.hpp"
#include "setwise/label_sets.hpp"

namespace setwise {

struct IndependentLabels {
    std::int64_t n_documents;
    std::int32_t n_labels;
    const double* logits;  // documents by labels: the logit of p(y_l = 1 | x)
    // Whether the set is known to have a label. Labels are then independent but for that: the empty set is worth
    // nothing, and all others what they were worth divided by p(y != 0).
    bool excludes_empty;

    const double* logits_of(std::int64_t i) const { return logits + i * n_labels; }
};

// The set of highest expected F_beta; two empty sets have F 1.
std::vector<BestSet> maximize_expected_f(const IndependentLabels& labels, double beta, int n_threads,
                                         const std::atomic<bool>& stop);

// The expected F_beta of one given set per document.
std::vector<double> expected_f(const IndependentLabels& labels, const LabelSets& sets, double beta, int n_threads,
                               const std::atomic<bool>& stop);

// The set of highest expected Jaccard index, |both| / |either|; that of two empty sets is 1.
std::vector<BestSet> maximize_expected_jaccard(const IndependentLabels& labels, int n_threads,
                                               const std::atomic<bool>& stop);

}  // namespace setwise
