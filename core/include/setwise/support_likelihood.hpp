// The likelihood of a conditional random field whose partition function runs over given label sets.
//
//     score(s; x) = bias_s + sum_{l in s} z_l        z = W'x + b        p(s | x) = e^{score(s; x)} / sum_t e^{score(t;
//     x)}
//
// Documents x sets is never held whole: a block of documents meets all sets, and leaves what it expects of labels.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/binary.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

// Sets and what their score has of its own: "column" s of `labels` is set s.
struct WeighedSets {
    Columns<Ones> labels;
    const double* bias;
};

// What the distribution over the sets says of one document each. Null where it is not asked for.
struct SupportSums {
    double* log_partition;
    std::int32_t* best;  // the most probable set, the first of equals
    double* expected;    // p(l in set), `stride` values a document
};

// `scores` has `stride` values a document, labels first. A document's bits depend on nothing but its own scores.
// `set_mass`, where not null, receives the probability of each set added up over the documents.
void sum_over_sets(const WeighedSets& sets, std::int32_t n_documents, std::int64_t stride, const double* scores,
                   const SupportSums& sums, double* set_mass, int n_threads, const std::atomic<bool>& stop);

struct LikelihoodGradient {
    double loss = 0.0;              // mean of -log p(own set)
    std::vector<double> weights;    // features x stride, in the order of the matrix's columns
    std::vector<double> intercept;  // stride
    std::vector<double> set_mass;   // mean of p(s | x) less the share of documents that have s: the gradient of bias
};

// `own_set[i]` is the set of document i; `weights` are features x stride, `intercept` has stride values, and whatever
// lies beyond the labels is zero.
template <class Values>
LikelihoodGradient support_likelihood(const FeatureMatrix<Values>& features, const WeighedSets& sets,
                                      const std::int32_t* own_set, std::int64_t stride, const double* weights,
                                      const double* intercept, int n_threads, const std::atomic<bool>& stop);

}  // namespace setwise
