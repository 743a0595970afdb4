// A probabilistic classifier chain: a logit for each label, to which the labels before it add their feedback.
//
//     p(y | x) = prod_j p(y_j | x, y_1 .. y_{j-1}),     logit_j = score_j(x) + sum over l < j with y_l = 1 of V_jl
//
// so that log p(y | x) = sum over j in y of logit_j - sum over all j of log(1 + e^{logit_j}). Labels are numbered by
// their place in the chain. Whatever is asked of a document, its bits do not depend on the other documents, on the
// other sets, or on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/matrix.hpp"

namespace setwise {

// The feedback V by giver: column l has the labels after l that l speaks to, and what it adds to their logits.
using Feedback = Columns<const double*>;

// Scores of documents, row by row, a label each.
struct ScoreRows {
    std::int32_t n_rows;
    std::int32_t n_labels;
    const double* values;
    const double* row(std::int64_t i) const { return values + i * n_labels; }
};

// Label sets: the labels of each, rising.
struct SetRows {
    std::int32_t n_sets;
    const std::int64_t* indptr;
    const std::int32_t* indices;
};

// log p of every set for every document, documents x sets. Sets that begin alike share the work of their beginning.
std::vector<double> chain_log_prob(const Feedback& feedback, const ScoreRows& scores, const SetRows& sets,
                                   int n_threads, const std::atomic<bool>& stop);

// log p of set k for document[k], a number a set.
std::vector<double> chain_log_prob_each(const Feedback& feedback, const ScoreRows& scores, const SetRows& sets,
                                        const std::int32_t* document, int n_threads, const std::atomic<bool>& stop);

// What a beam search leaves of each document.
struct Beams {
    std::vector<std::int64_t> first;   // sets first[i] to first[i + 1] - 1 are those of document i
    std::vector<std::int64_t> indptr;  // of the sets
    std::vector<std::int32_t> indices;
    std::vector<double> pruned;  // largest log p of a beginning that was given up; -infinity where none was
};

// Follows the chain with the `width` most probable beginnings of a set, and keeps the sets they end in. A set that is
// not among these is no more probable than `pruned` says, for it began with something that was given up.
Beams chain_beams(const Feedback& feedback, const ScoreRows& scores, std::int32_t width, int n_threads,
                  const std::atomic<bool>& stop);

struct Samples {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
};

// Draws sets for one document, label by label: sample k has label j where uniform[k * n_labels + j] < p(y_j | ...).
Samples chain_samples(const Feedback& feedback, const double* score, std::int32_t n_samples, const double* uniform);

}  // namespace setwise
