// Probabilities of many sets: a walk over the trie of the sets with a block of documents at a time, one per lane.
//
// A label that joins a set moves the logits of those it speaks to, and only their log(1 + e^logit) change. With
// odds E = e^logit the move is a product with e^V, which is the same for all documents, and
//
//     the sum of log(1 + E) changes by   log prod_j (1 + E_j e^V_j) / (1 + E_j)
//
// so that a label costs a few products per receiver and one logarithm. Odds are held between e^-175
// and e^175 at the start. Beyond that, log(1 + E) is the logit or zero to rounding, and so it stays as long as feedback
// adds up to at most 135; products of two factors then stay below e^620, and those of all ratios below e^600 where a
// giver's feedback does. A chain whose feedback is larger than any of this goes by logits and logarithms, one by one.
//
// Most labels of a set share no receiver: what such a label does to the sum is computed once per document and looked up
// at every node. Nor does a label change the state where no node below reads it (ChainPlan).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "setwise/chain.hpp"
#include "setwise/dispatch.hpp"
#include "setwise/logistic.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

constexpr int kLanes = 8;  // documents that are scored side by side
constexpr double kLargestStart = 175.0;

// Both fill `moved`, a row of lanes for each of n receivers, and add to `total` what their sum of log(1 + E) gains.
// Odds: state and moved are E, factor is e^V.
SETWISE_INLINE void move_odds(std::int64_t n, const std::int32_t* receiver, const double* factor, const double* state,
                              double* moved, double* total) {
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
SETWISE_INLINE void move_logits(std::int64_t n, const std::int32_t* receiver, const double* shift, const double* state,
                                double* moved, double* total) {
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

// e^z, held between e^-175 and e^175.
SETWISE_INLINE double held_odds(double z) {
    const double size = std::abs(z) < kLargestStart ? std::abs(z) : kLargestStart;
    const double small = exp_of_negative(-size);
    return z > 0.0 ? 1.0 / small : small;
}

// The state that each logit starts with, and its log(1 + E); n is a multiple of kLanes. One loop serves every layout,
// so that a document has the same bits alone as side by side with others.
SETWISE_INLINE void start(std::int64_t n, const double* logit, bool by_odds, double* loss, double* state) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
        loss[i] = softplus(logit[i]);
        state[i] = by_odds ? held_odds(logit[i]) : logit[i];
    }
}

// What a node does to one document: fills `moved` with the odds of its n receivers, and returns the ratio by which the
// product of all (1 + E) grows. The same operations in the same order as in move_odds; only receivers take the place of
// documents side by side. Without the store of the odds the compiler would fuse 1 + a * factor, and round otherwise.
SETWISE_INLINE double move_odds_of_one(std::int64_t n, const std::int32_t* receiver, const double* factor,
                                       const double* state, double* moved) {
    constexpr int kPairs = 4;
    double ratio = 1.0;
    std::int64_t e = 0;
    for (; e + 2 * kPairs <= n; e += 2 * kPairs) {
        double after[2 * kPairs], before[2 * kPairs], quotient[kPairs];
#pragma omp simd
        for (int k = 0; k < 2 * kPairs; ++k) {
            const double odds = state[receiver[e + k]];
            const double next = odds * factor[e + k];
            moved[e + k] = next;
            after[k] = 1.0 + next;
            before[k] = 1.0 + odds;
        }
#pragma omp simd
        for (int k = 0; k < kPairs; ++k)
            quotient[k] = (after[2 * k] * after[2 * k + 1]) / (before[2 * k] * before[2 * k + 1]);
        for (int k = 0; k < kPairs; ++k) ratio *= quotient[k];
    }
    for (; e + 2 <= n; e += 2) {
        const double a = state[receiver[e]], b = state[receiver[e + 1]];
        const double next_a = a * factor[e], next_b = b * factor[e + 1];
        moved[e] = next_a;
        moved[e + 1] = next_b;
        ratio *= ((1.0 + next_a) * (1.0 + next_b)) / ((1.0 + a) * (1.0 + b));
    }
    if (e < n) {
        const double a = state[receiver[e]], next = a * factor[e];
        moved[e] = next;
        ratio *= (1.0 + next) / (1.0 + a);
    }
    return ratio;
}

SETWISE_INLINE void log_each(int n, double* values) {
#pragma omp simd
    for (int i = 0; i < n; ++i) values[i] = log_of_normal(values[i]);
}

// Scores one document by odds. Lanes would be empty, so that the receivers of a node stand side by side instead, and
// the logarithms of many nodes are taken together.
class OneDocumentWalk {
  public:
    explicit OneDocumentWalk(const ChainPlan& plan)
        : feedback_(plan.chain().feedback()),
          moves_(plan.chain().moves()),
          plan_(plan),
          trie_(plan.trie()),
          logit_((static_cast<std::size_t>(moves_.n_cols) + kLanes - 1) / kLanes * kLanes, 0.0),
          loss_(logit_.size()),
          state_(logit_.size()),
          received_(moves_.n_cols),
          alone_(moves_.n_cols, 0.0),
          depth_gain_(static_cast<std::size_t>(trie_.depth()) + 1, 0.0),
          depth_total_(depth_gain_.size()),
          path_(depth_gain_.size()) {}

    void run(const double* scores, double* out) {
        begin(scores);
        const std::vector<ChainTrie::Node>& nodes = trie_.nodes();
        const std::int32_t* order = trie_.order().data();
        std::int32_t s = 0;
        for (; s < trie_.n_empty(); ++s) out[order[s]] = 0.0 - depth_total_[0];
        for (std::size_t first = 0; first < nodes.size(); first += kChunk) {
            const auto n = static_cast<int>(std::min<std::size_t>(kChunk, nodes.size() - first));
            const ChainTrie::Node* chunk = nodes.data() + first;
            const ChainPlan::Step* steps = plan_.steps().data() + first;
            int n_together = 0;
            for (int i = 0; i < n; ++i) {
                while (path_length_ > 0 && path_[path_length_ - 1].depth >= chunk[i].depth) leave();
                gain_[i] = depth_gain_[chunk[i].depth] + (scores[chunk[i].label] + received_[chunk[i].label]);
                depth_gain_[chunk[i].depth + 1] = gain_[i];
                if (!steps[i].is_alone) ratio_[n_together++] = move(chunk[i].label);
                if (steps[i].is_felt) enter(chunk[i], steps[i].is_alone);
            }
            dispatch<log_each>(n_together, ratio_);
            const double* log_ratio = ratio_;
            for (int i = 0; i < n; ++i) {
                const double gain_of_total = steps[i].is_alone ? alone_[chunk[i].label] : *log_ratio++;
                const double total = depth_total_[chunk[i].depth] + gain_of_total;
                depth_total_[chunk[i].depth + 1] = total;
                for (; s < chunk[i].end; ++s) out[order[s]] = gain_[i] - total;
            }
        }
    }

  private:
    void begin(const double* scores) {
        std::copy_n(scores, moves_.n_cols, logit_.begin());
        dispatch<start>(static_cast<std::int64_t>(logit_.size()), logit_.data(), true, loss_.data(), state_.data());
        depth_total_[0] = 0.0;
        for (std::int32_t j = 0; j < moves_.n_cols; ++j) depth_total_[0] += loss_[j];
        std::fill(received_.begin(), received_.end(), 0.0);
        path_length_ = 0;
        top_ = 0;
        const std::vector<std::int32_t>& alone = plan_.alone();
        for (std::size_t first = 0; first < alone.size(); first += kChunk) {
            const auto n = static_cast<int>(std::min<std::size_t>(kChunk, alone.size() - first));
            for (int i = 0; i < n; ++i) ratio_[i] = move(alone[first + i]);
            dispatch<log_each>(n, ratio_);
            for (int i = 0; i < n; ++i) alone_[alone[first + i]] = ratio_[i];
        }
    }

    // Returns the ratio of move_odds_of_one. Sets: moved_.
    double move(std::int32_t label) {
        const std::int64_t begin = moves_.begin(label), n = moves_.count(label);
        if (moved_.size() < static_cast<std::size_t>(n)) moved_.resize(2 * static_cast<std::size_t>(n));
        return dispatch<move_odds_of_one>(n, moves_.indices + begin, moves_.values + begin, state_.data(),
                                          moved_.data());
    }

    // Sets: state_, received_, path_, and the stack saved_ with its top_; moved_ unless it has the node's odds already.
    void enter(const ChainTrie::Node& node, bool has_to_move) {
        if (has_to_move) move(node.label);
        const std::int64_t begin = moves_.begin(node.label), n = moves_.count(node.label);
        const std::size_t need = top_ + static_cast<std::size_t>(n);
        if (saved_.size() < need) saved_.resize(2 * need);
        const std::int32_t* receiver = moves_.indices + begin;
        for (std::int64_t e = 0; e < n; ++e) {
            saved_[top_ + e] = {state_[receiver[e]], received_[receiver[e]]};
            state_[receiver[e]] = moved_[e];
            received_[receiver[e]] += feedback_.values[begin + e];
        }
        path_[path_length_++] = node;
        top_ = need;
    }

    void leave() {
        const std::int32_t label = path_[--path_length_].label;
        top_ -= static_cast<std::size_t>(feedback_.count(label));
        for (std::int64_t e = feedback_.begin(label), k = 0; e < feedback_.end(label); ++e, ++k) {
            state_[feedback_.indices[e]] = saved_[top_ + k].state;
            received_[feedback_.indices[e]] = saved_[top_ + k].received;
        }
    }

    static constexpr int kChunk = 256;  // nodes whose logarithms are taken together

    struct Saved {
        double state, received;
    };

    const Columns<const double*> feedback_, moves_;
    const ChainPlan& plan_;
    const ChainTrie& trie_;
    std::vector<double> logit_, loss_;      // per label: its score, and log(1 + E) at the start; rounded up
    std::vector<double> state_, received_;  // per label: its odds, and the feedback it receives from the path
    std::vector<double> alone_;             // per label: by how much it alone changes the sum of log(1 + E)
    double gain_[kChunk];                   // per node of the chunk: the sum of logits
    double ratio_[kChunk];  // per node of the chunk that is not alone: how the product of all (1 + E) grows
    std::vector<double> depth_gain_, depth_total_;  // per depth of the path: sums of logits, and of log(1 + E)
    std::vector<ChainTrie::Node> path_;             // whose feedback is in the state, path_length_ of them
    std::int32_t path_length_ = 0;
    std::vector<double> moved_;  // odds of one node's receivers
    std::vector<Saved> saved_;   // a stack: the receivers of the path's labels as they were before
    std::size_t top_ = 0;
};

// Scores blocks of kLanes documents, one after the other with the same buffers.
class TrieWalk {
  public:
    explicit TrieWalk(const ChainPlan& plan)
        : feedback_(plan.chain().feedback()),
          moves_(plan.chain().moves()),
          by_odds_(plan.chain().by_odds()),
          plan_(plan),
          trie_(plan.trie()),
          logit_(static_cast<std::size_t>(moves_.n_cols) * kLanes, 0.0),
          loss_(logit_.size()),
          state_(logit_.size()),
          alone_(logit_.size(), 0.0),
          received_(moves_.n_cols, 0.0),
          gain_((static_cast<std::size_t>(trie_.depth()) + 1) * kLanes, 0.0),
          total_(gain_.size()) {}

    // Scores documents `first` to first + n - 1, n <= kLanes, and writes their rows of `out`.
    void run(const ScoreRows& scores, std::int64_t first, int n, double* out) {
        for (int k = 0; k < n; ++k)
            for (std::int32_t j = 0; j < scores.n_labels; ++j)
                logit_[static_cast<std::size_t>(j) * kLanes + k] = scores.row(first + k)[j];
        const auto n_logits = static_cast<std::int64_t>(logit_.size());
        dispatch<start>(n_logits, logit_.data(), by_odds_, loss_.data(), state_.data());
        std::fill_n(total_.begin(), kLanes, 0.0);
        for (std::int64_t e = 0; e < n_logits; ++e) total_[e % kLanes] += loss_[e];
        for (const std::int32_t label : plan_.alone()) {
            double* row = &alone_[static_cast<std::size_t>(label) * kLanes];
            std::fill_n(row, kLanes, 0.0);
            move(label, row);
        }
        write(0, trie_.n_empty(), 0, n, out);
        std::int32_t begin = trie_.n_empty();
        const ChainPlan::Step* step = plan_.steps().data();
        for (const ChainTrie::Node& node : trie_.nodes()) {
            while (!path_.empty() && path_.back().depth >= node.depth) leave();
            add(node, *step);
            if (step->is_felt) enter(node);
            write(begin, node.end, node.depth + 1, n, out);
            begin = node.end;
            ++step;
        }
        while (!path_.empty()) leave();
    }

  private:
    // Adds what the node's label changes to the sums of its depth. Sets: gain_, total_, and what move() does where the
    // node is entered afterwards.
    void add(const ChainTrie::Node& node, const ChainPlan::Step& step) {
        const double* gain = &gain_[static_cast<std::size_t>(node.depth) * kLanes];
        const double* total = &total_[static_cast<std::size_t>(node.depth) * kLanes];
        const double* logit = &logit_[static_cast<std::size_t>(node.label) * kLanes];
        double* next_gain = &gain_[static_cast<std::size_t>(node.depth + 1) * kLanes];
        double* next_total = &total_[static_cast<std::size_t>(node.depth + 1) * kLanes];
        const double* alone = &alone_[static_cast<std::size_t>(node.label) * kLanes];
        for (int k = 0; k < kLanes; ++k) {
            next_gain[k] = gain[k] + (logit[k] + received_[node.label]);
            next_total[k] = total[k] + (step.is_alone ? alone[k] : 0.0);
        }
        if (!step.is_alone) {
            move(node.label, next_total);
        } else if (step.is_felt) {
            double unused[kLanes] = {};
            move(node.label, unused);
        }
    }

    // Adds to `total` what the label changes, and leaves the new states of its receivers above the top of the stack.
    void move(std::int32_t label, double* total) {
        const std::int64_t begin = moves_.begin(label), n = moves_.count(label);
        const std::size_t need = top_ + static_cast<std::size_t>(n);
        if (saved_received_.size() < need) {
            saved_received_.resize(2 * need);
            saved_state_.resize(2 * need * kLanes);
        }
        if (n == 0) return;
        const std::int32_t* receiver = moves_.indices + begin;
        double* moved = saved_state_.data() + top_ * kLanes;
        if (by_odds_)
            dispatch<move_odds>(n, receiver, moves_.values + begin, state_.data(), moved, total);
        else
            dispatch<move_logits>(n, receiver, moves_.values + begin, state_.data(), moved, total);
    }

    // Puts the states that move() left in place. Sets: state_, received_, path_, and the stacks with their top_.
    void enter(const ChainTrie::Node& node) {
        const std::int64_t begin = feedback_.begin(node.label), n = feedback_.count(node.label);
        for (std::int64_t e = 0; e < n; ++e) {
            double& received = received_[feedback_.indices[begin + e]];
            saved_received_[top_ + e] = received;
            received += feedback_.values[begin + e];
        }
        swap_states(node.label);
        path_.push_back(node);
        top_ += static_cast<std::size_t>(n);
    }

    void leave() {
        const std::int32_t label = path_.back().label;
        path_.pop_back();
        top_ -= static_cast<std::size_t>(feedback_.count(label));
        for (std::int64_t e = feedback_.begin(label), k = 0; e < feedback_.end(label); ++e, ++k)
            received_[feedback_.indices[e]] = saved_received_[top_ + k];
        swap_states(label);
    }

    // Exchanges the states of the label's receivers with those above the top of the stack.
    void swap_states(std::int32_t label) {
        double* saved = saved_state_.data() + top_ * kLanes;
        for (std::int64_t e = feedback_.begin(label); e < feedback_.end(label); ++e, saved += kLanes) {
            double* state = &state_[static_cast<std::size_t>(feedback_.indices[e]) * kLanes];
            double before[kLanes];
            std::memcpy(before, state, sizeof before);
            std::memcpy(state, saved, sizeof before);
            std::memcpy(saved, before, sizeof before);
        }
    }

    void write(std::int32_t begin, std::int32_t end, std::int32_t depth, int n, double* out) const {
        const std::size_t at = static_cast<std::size_t>(depth) * kLanes;
        for (std::int32_t s = begin; s < end; ++s)
            for (int k = 0; k < n; ++k)
                out[k * static_cast<std::size_t>(trie_.n_sets()) + trie_.order()[s]] = gain_[at + k] - total_[at + k];
    }

    const Columns<const double*> feedback_, moves_;
    const bool by_odds_;
    const ChainPlan& plan_;
    const ChainTrie& trie_;
    // One row of lanes per label: its score, log(1 + E) at the start, and its odds or logit with the feedback of the
    // path.
    std::vector<double> logit_, loss_, state_;
    std::vector<double> alone_;           // the same: by how much the label alone changes the sum of log(1 + E)
    std::vector<double> received_;        // per label: the feedback it receives from the path
    std::vector<double> gain_, total_;    // one row of lanes per depth: sums of logits, and of log(1 + E)
    std::vector<ChainTrie::Node> path_;   // those whose feedback is in the state
    std::vector<double> saved_received_;  // a stack: for each receiver of the path's labels, its value before
    std::vector<double> saved_state_;     // the same, one row of lanes per receiver
    std::size_t top_ = 0;                 // of both stacks, in receivers
};

}  // namespace

std::vector<double> chain_log_prob(const ChainPlan& plan, const ScoreRows& scores, int n_threads,
                                   const std::atomic<bool>& stop) {
    constexpr int kFew = 3;  // so many documents or fewer are scored faster one by one
    const ChainTrie& trie = plan.trie();
    std::vector<double> out(static_cast<std::size_t>(scores.n_rows) * trie.n_sets());
    const std::int64_t n_blocks = (static_cast<std::int64_t>(scores.n_rows) + kLanes - 1) / kLanes;
    share_out(n_threads, n_blocks, 1, [&](Items& items) {
        std::optional<TrieWalk> side_by_side;
        for (const std::int64_t block : items) {
            if (stop) continue;
            const std::int64_t first = block * kLanes;
            const auto n = static_cast<int>(std::min<std::int64_t>(kLanes, scores.n_rows - first));
            if (n <= kFew && plan.chain().by_odds()) {
                OneDocumentWalk walk(plan);
                for (std::int64_t i = first; i < first + n; ++i)
                    walk.run(scores.row(i), out.data() + i * trie.n_sets());
            } else {
                if (!side_by_side) side_by_side.emplace(plan);
                side_by_side->run(scores, first, n, out.data() + first * trie.n_sets());
            }
        }
    });
    return out;
}

std::vector<double> chain_log_prob_each(const Chain& chain, const ScoreRows& scores, const LabelSets& label_sets,
                                        const std::int32_t* document, int n_threads, const std::atomic<bool>& stop) {
    constexpr int kChunk = 64;  // sets a thread takes at a time
    const Columns<const double*> feedback = chain.feedback();
    const Columns<Ones> sets = label_sets.columns();
    std::vector<double> out(sets.n_cols);
    share_out(n_threads, sets.n_cols, kChunk, [&](Items& items) {
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
