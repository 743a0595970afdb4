// Mixtures of independent labels: p(y | x) = sum_k pi_k(x) prod_l b_kl(y_l | x). With one component it is BR.
//
// Every function takes each document by itself: the result has the same bits whatever the number of threads and
// whatever other documents come along.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/label_sets.hpp"

namespace setwise {

struct Mixture {
    std::int64_t n_documents;
    std::int32_t n_components, n_labels;
    const double* logits;    // documents by components by labels: the finite logit of b_kl(y_l = 1 | x)
    const double* log_gate;  // documents by components: log pi_k(x), -inf where a component has no part

    const double* logits_of(std::int64_t i, std::int32_t k) const { return logits + (i * n_components + k) * n_labels; }
    const double* log_gate_of(std::int64_t i) const { return log_gate + i * n_components; }
};

// out[i, s] = log p(set s | x_i).
void mixture_log_prob(const Mixture& mixture, const LabelSets& sets, int n_threads, const std::atomic<bool>& stop,
                      double* out);

// joint[i, l, s - 1] = p(y_l = 1, |y| = s | x_i) for sizes up to max_size, and empty[i] = p(y = 0 | x_i). `joint` comes
// in as zeros.
void mixture_size_marginals(const Mixture& mixture, std::int32_t max_size, int n_threads, const std::atomic<bool>& stop,
                            double* joint, double* empty);

struct MixtureMode {
    std::vector<std::int32_t> labels;  // rising
    double log_prob = 0.0;
    bool exact = false;  // no set is more probable
};

// The most probable set of each document, or with `non_empty` the most probable of all sets but the empty one. The
// search of a document lists at most max_steps sets; 0 sets no limit.
std::vector<MixtureMode> mixture_mode(const Mixture& mixture, bool non_empty, std::int64_t max_steps, int n_threads,
                                      const std::atomic<bool>& stop);

}  // namespace setwise
