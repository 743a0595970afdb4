// Probabilities of many sets: a walk over the trie of the sets with a block of documents at a time, one a lane.
//
// A label that joins a set moves the logits of those it speaks to, and only their log(1 + e^logit) change. With
// odds E = e^logit the move is a product with e^V, which is the same for all documents, and
//
//     the sum of log(1 + E) changes by   log prod_j (1 + E_j e^V_j) / (1 + E_j)
//
// so that a label costs a few products a receiver and one logarithm. Odds are held between e^-175 and e^175 at the
// start. Beyond that, log(1 + E) is the logit or zero to rounding, and so it stays as long as feedback adds up to at
// most 135; products of two factors then stay below e^620, and those of all ratios below e^600 where a giver's feedback
// does. A chain whose feedback is larger than any of this goes by logits and logarithms, one by one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "chain_trie.hpp"
#include "setwise/chain.hpp"
#include "setwise/dispatch.hpp"
#include "setwise/logistic.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

constexpr int kLanes = 8;  // documents a block
constexpr double kLargestStart = 175.0, kLargestReceived = 135.0, kLargestGiven = 600.0;

// log x for x > 0 that is neither infinite nor below the normal numbers: x = 2^k m with m in [1, 2).
SETWISE_INLINE double log_of_normal(double x) {
    constexpr double kLn2 = 0.69314718055994530942;
    constexpr std::uint64_t kMantissa = 0x000fffffffffffffu, kOne = 0x3ff0000000000000u;
    constexpr std::uint64_t kTwo52 = 0x4330000000000000u;  // 2^52 as bits: an integer in its mantissa is added to it
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const double exponent = std::bit_cast<double>((bits >> 52) | kTwo52) - (4503599627370496.0 + 1023.0);
    return exponent * kLn2 + log1p_of_unit(std::bit_cast<double>((bits & kMantissa) | kOne) - 1.0);
}

// Both fill `moved`, a row of lanes for each of n receivers, and add to `total` what their sum of log(1 + E) gains.
// Odds: state and moved are E, factor is e^V.
SETWISE_INLINE void move_odds_body(std::int64_t n, const std::int32_t* receiver, const double* factor,
                                   const double* state, double* moved, double* total) {
    double ratio[kLanes];
    for (int k = 0; k < kLanes; ++k) ratio[k] = 1.0;
    std::int64_t e = 0;
    for (; e + 2 <= n; e += 2) {
        const double* a = state + static_cast<std::int64_t>(receiver[e]) * kLanes;
        const double* b = state + static_cast<std::int64_t>(receiver[e + 1]) * kLanes;
        double* out = moved + e * kLanes;
#pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            const double odds_a = a[k] * factor[e], odds_b = b[k] * factor[e + 1];
            out[k] = odds_a;
            out[k + kLanes] = odds_b;
            ratio[k] *= ((1.0 + odds_a) * (1.0 + odds_b)) / ((1.0 + a[k]) * (1.0 + b[k]));
        }
    }
    if (e < n) {
        const double* a = state + static_cast<std::int64_t>(receiver[e]) * kLanes;
        double* out = moved + e * kLanes;
#pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            out[k] = a[k] * factor[e];
            ratio[k] *= (1.0 + out[k]) / (1.0 + a[k]);
        }
    }
#pragma omp simd
    for (int k = 0; k < kLanes; ++k) total[k] += log_of_normal(ratio[k]);
}

// Logits: state and moved are logits, shift is V.
SETWISE_INLINE void move_logits_body(std::int64_t n, const std::int32_t* receiver, const double* shift,
                                     const double* state, double* moved, double* total) {
    for (std::int64_t e = 0; e < n; ++e) {
        const double* a = state + static_cast<std::int64_t>(receiver[e]) * kLanes;
        double* out = moved + e * kLanes;
#pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            out[k] = a[k] + shift[e];
            total[k] += softplus(out[k]) - softplus(a[k]);
        }
    }
}

SETWISE_INLINE void start_body(std::int32_t n_labels, const double* logit, bool by_odds, double* state, double* total) {
    for (int k = 0; k < kLanes; ++k) total[k] = 0.0;
    for (std::int32_t j = 0; j < n_labels; ++j) {
        const double* z = logit + static_cast<std::int64_t>(j) * kLanes;
        double* out = state + static_cast<std::int64_t>(j) * kLanes;
#pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            total[k] += softplus(z[k]);
            const double size = std::abs(z[k]) < kLargestStart ? std::abs(z[k]) : kLargestStart;
            const double small = exp_of_negative(-size);
            out[k] = !by_odds ? z[k] : z[k] > 0.0 ? 1.0 / small : small;
        }
    }
}

SETWISE_TARGET_AVX2 void move_odds_avx2(std::int64_t n, const std::int32_t* receiver, const double* factor,
                                        const double* state, double* moved, double* total) {
    move_odds_body(n, receiver, factor, state, moved, total);
}
SETWISE_TARGET_AVX2 void move_logits_avx2(std::int64_t n, const std::int32_t* receiver, const double* shift,
                                          const double* state, double* moved, double* total) {
    move_logits_body(n, receiver, shift, state, moved, total);
}
SETWISE_TARGET_AVX2 void start_avx2(std::int32_t n_labels, const double* logit, bool by_odds, double* state,
                                    double* total) {
    start_body(n_labels, logit, by_odds, state, total);
}

void move_odds(std::int64_t n, const std::int32_t* receiver, const double* factor, const double* state, double* moved,
               double* total) {
    if (machine_has_avx2()) return move_odds_avx2(n, receiver, factor, state, moved, total);
    move_odds_body(n, receiver, factor, state, moved, total);
}
void move_logits(std::int64_t n, const std::int32_t* receiver, const double* shift, const double* state, double* moved,
                 double* total) {
    if (machine_has_avx2()) return move_logits_avx2(n, receiver, shift, state, moved, total);
    move_logits_body(n, receiver, shift, state, moved, total);
}
void start(std::int32_t n_labels, const double* logit, bool by_odds, double* state, double* total) {
    if (machine_has_avx2()) return start_avx2(n_labels, logit, by_odds, state, total);
    start_body(n_labels, logit, by_odds, state, total);
}

bool is_small(const Feedback& feedback) {
    std::vector<double> received(feedback.n_rows, 0.0);
    double most = 0.0;
    for (std::int32_t l = 0; l < feedback.n_cols; ++l) {
        double given = 0.0;
        for (std::int64_t e = feedback.begin(l); e < feedback.end(l); ++e) {
            given += std::abs(feedback.values[e]);
            received[feedback.indices[e]] += std::abs(feedback.values[e]);
        }
        most = std::max(most, given);
    }
    return most <= kLargestGiven &&
           std::all_of(received.begin(), received.end(), [](double sum) { return sum <= kLargestReceived; });
}

// One block of documents after the other with the same buffers.
class TrieWalk {
  public:
    TrieWalk(const Feedback& feedback, const std::vector<double>& moves, bool by_odds, const SetTrie& trie)
        : feedback_(feedback),
          moves_(moves),
          by_odds_(by_odds),
          trie_(trie),
          logit_(static_cast<std::size_t>(feedback.n_cols) * kLanes, 0.0),
          state_(logit_.size()),
          gain_((static_cast<std::size_t>(trie.depth) + 1) * kLanes, 0.0),
          total_(gain_.size()) {}

    // Documents `first` to first + n - 1, n <= kLanes; writes their rows of `out`.
    void run(const ScoreRows& scores, std::int64_t first, int n, double* out) {
        for (int k = 0; k < n; ++k)
            for (std::int32_t j = 0; j < scores.n_labels; ++j)
                logit_[static_cast<std::size_t>(j) * kLanes + k] = scores.row(first + k)[j];
        start(scores.n_labels, logit_.data(), by_odds_, state_.data(), total_.data());
        write(0, trie_.n_empty, 0, n, out);
        path_.clear();
        top_ = 0;
        for (const TrieNode& node : trie_.nodes) {
            while (static_cast<std::int32_t>(path_.size()) > node.depth) leave();
            enter(node);
            write(node.first, node.end, node.depth + 1, n, out);
        }
    }

  private:
    void enter(const TrieNode& node) {
        const std::int64_t begin = feedback_.begin(node.label), n = feedback_.count(node.label);
        const std::size_t need = top_ + static_cast<std::size_t>(n) * kLanes;
        if (kept_.size() < need) kept_.resize(2 * need);
        const double* gain = &gain_[static_cast<std::size_t>(node.depth) * kLanes];
        const double* total = &total_[static_cast<std::size_t>(node.depth) * kLanes];
        const double* logit = &logit_[static_cast<std::size_t>(node.label) * kLanes];
        double* next_gain = &gain_[static_cast<std::size_t>(node.depth + 1) * kLanes];
        double* next_total = &total_[static_cast<std::size_t>(node.depth + 1) * kLanes];
        for (int k = 0; k < kLanes; ++k) {
            next_gain[k] = gain[k] + (logit[k] + node.feedback);
            next_total[k] = total[k];
        }
        if (n > 0)
            (by_odds_ ? move_odds : move_logits)(n, feedback_.indices + begin, moves_.data() + begin, state_.data(),
                                                 kept_.data() + top_, next_total);
        if (!node.has_children) return;  // nobody will read the state
        swap_receivers(node.label);
        path_.push_back(node.label);
        top_ = need;
    }

    void leave() {
        const std::int32_t label = path_.back();
        path_.pop_back();
        top_ -= static_cast<std::size_t>(feedback_.count(label)) * kLanes;
        swap_receivers(label);
    }

    void swap_receivers(std::int32_t label) {
        double* kept = kept_.data() + top_;
        for (std::int64_t e = feedback_.begin(label); e < feedback_.end(label); ++e, kept += kLanes) {
            double* state = &state_[static_cast<std::size_t>(feedback_.indices[e]) * kLanes];
            double held[kLanes];
            std::memcpy(held, state, sizeof held);
            std::memcpy(state, kept, sizeof held);
            std::memcpy(kept, held, sizeof held);
        }
    }

    void write(std::int32_t first, std::int32_t end, std::int32_t depth, int n, double* out) const {
        const std::size_t at = static_cast<std::size_t>(depth) * kLanes;
        for (std::int32_t s = first; s < end; ++s)
            for (int k = 0; k < n; ++k) out[k * trie_.order.size() + trie_.order[s]] = gain_[at + k] - total_[at + k];
    }

    const Feedback& feedback_;
    const std::vector<double>& moves_;  // as the feedback: V, or e^V where the walk is by odds
    bool by_odds_;
    const SetTrie& trie_;
    std::vector<double> logit_, state_;  // a row of lanes a label: without feedback; with that of the path
    std::vector<double> gain_, total_;   // a row of lanes a depth: sums of logits, and of log(1 + E)
    std::vector<std::int32_t> path_;     // labels whose feedback is in the state
    std::vector<double> kept_;           // what it was before, label after label
    std::size_t top_ = 0;
};

}  // namespace

std::vector<double> chain_log_prob(const Feedback& feedback, const ScoreRows& scores, const SetRows& sets,
                                   int n_threads, const std::atomic<bool>& stop) {
    const SetTrie trie(sets, feedback);
    const bool by_odds = is_small(feedback);
    std::vector<double> moves(feedback.values, feedback.values + feedback.indptr[feedback.n_cols]);
    if (by_odds)
        for (double& move : moves) move = std::exp(move);
    std::vector<double> out(static_cast<std::size_t>(scores.n_rows) * sets.n_sets);
    const std::int64_t n_blocks = (static_cast<std::int64_t>(scores.n_rows) + kLanes - 1) / kLanes;
    share_out(n_threads, n_blocks, 1, [&](Items& items) {
        TrieWalk walk(feedback, moves, by_odds, trie);
        for (const std::int64_t block : items) {
            if (stop) continue;
            const std::int64_t first = block * kLanes;
            const auto n = static_cast<int>(std::min<std::int64_t>(kLanes, scores.n_rows - first));
            walk.run(scores, first, n, out.data() + first * sets.n_sets);
        }
    });
    return out;
}

std::vector<double> chain_log_prob_each(const Feedback& feedback, const ScoreRows& scores, const SetRows& sets,
                                        const std::int32_t* document, int n_threads, const std::atomic<bool>& stop) {
    constexpr int kChunk = 64;  // sets a thread takes at a time
    std::vector<double> out(sets.n_sets);
    share_out(n_threads, sets.n_sets, kChunk, [&](Items& items) {
        std::vector<double> logit(scores.n_labels);
        for (const std::int64_t set : items) {
            if (stop) continue;
            logit.assign(scores.row(document[set]), scores.row(document[set]) + scores.n_labels);
            for (std::int64_t k = sets.indptr[set]; k < sets.indptr[set + 1]; ++k) {
                const std::int32_t label = sets.indices[k];
                for (std::int64_t e = feedback.begin(label); e < feedback.end(label); ++e)
                    logit[feedback.indices[e]] += feedback.values[e];
            }
            // log p(y_j) = -log(1 + e^z) where the label is absent, -log(1 + e^-z) where it is there: nothing cancels.
            for (std::int64_t k = sets.indptr[set]; k < sets.indptr[set + 1]; ++k)
                logit[sets.indices[k]] = -logit[sets.indices[k]];
            out[set] = -sum_softplus(scores.n_labels, logit.data());
        }
    });
    return out;
}

}  // namespace setwise
