// A probabilistic classifier chain: one logit per label, to which the labels before it add their feedback.
//
//     p(y | x) = prod_j p(y_j | x, y_1 .. y_{j-1}),     logit_j = score_j(x) + sum over l < j with y_l = 1 of V_jl
//
// so that log p(y | x) = sum over j in y of logit_j - sum over all j of log(1 + e^{logit_j}). Labels are numbered by
// their place in the chain. The result for a document does not depend, in any bit, on the other documents, on the other
// sets, or on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "setwise/label_sets.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

// The feedback V of a chain, with what scoring needs of it computed once. Column l has the labels after l whose logits
// label l changes (its receivers), and by how much.
class Chain {
  public:
    // Throws std::invalid_argument unless the arrays describe feedback from each label to later ones alone.
    Chain(std::vector<std::int64_t> indptr, std::vector<std::int32_t> indices, std::vector<double> values);

    std::int32_t n_labels() const { return static_cast<std::int32_t>(indptr_.size()) - 1; }
    Columns<const double*> feedback() const { return columns(values_); }

    // Whether feedback is so small that log p can be computed from products of odds; see chain_log_prob.cpp.
    bool by_odds() const { return by_odds_; }

    // What feedback does to the state of a receiver: e^V, a factor of its odds, where by_odds(); else V.
    Columns<const double*> moves() const { return columns(moves_); }

  private:
    Columns<const double*> columns(const std::vector<double>& values) const {
        return {n_labels(), n_labels(), indptr_.data(), indices_.data(), values.data()};
    }

    std::vector<std::int64_t> indptr_;
    std::vector<std::int32_t> indices_;
    std::vector<double> values_;
    std::vector<double> moves_;
    bool by_odds_;
};

// Label sets as a trie whose nodes are in depth-first order: sets that begin alike share the work of their beginning.
class ChainTrie {
  public:
    struct Node {
        std::int32_t label;
        std::int32_t depth;  // labels before this one
        std::int32_t end;    // sets that end here: from the end of the node before to this, in order()
    };

    // `order` has the labels of the sets in the order of the chain; a node's label is a place in it.
    ChainTrie(const LabelSets& sets, std::span<const std::int32_t> order);

    std::int32_t n_sets() const { return static_cast<std::int32_t>(order_.size()); }
    std::int32_t n_labels() const { return n_labels_; }
    std::int64_t n_entries() const { return n_entries_; }
    std::int32_t depth() const { return depth_; }
    std::int32_t n_empty() const { return n_empty_; }
    const std::vector<std::int32_t>& order() const { return order_; }
    const std::vector<Node>& nodes() const { return nodes_; }

  private:
    std::int32_t n_labels_;
    std::int64_t n_entries_;           // labels of all sets together
    std::int32_t depth_;               // labels of the largest set
    std::int32_t n_empty_ = 0;         // empty sets; they come first in the order
    std::vector<std::int32_t> order_;  // the sets, each after those it begins with
    std::vector<Node> nodes_;          // each parent right before its first child
};

// What a walk over a trie needs to do at each node, which no document changes: computed once for a chain and a trie.
// Both have to outlive it.
class ChainPlan {
  public:
    struct Step {
        // None of the label's receivers receives anything from the labels before it in the set, so that the label does
        // to them what it would do alone. Always false where the chain is not by_odds().
        bool is_alone;
        // A node below reads a logit that this label changes.
        bool is_felt;
    };

    ChainPlan(const Chain& chain, const ChainTrie& trie);

    const Chain& chain() const { return *chain_; }
    const ChainTrie& trie() const { return *trie_; }
    const std::vector<Step>& steps() const { return steps_; }  // one per node of the trie

    // Labels with receivers that are alone at some node, rising.
    const std::vector<std::int32_t>& alone() const { return alone_; }

  private:
    const Chain* chain_;
    const ChainTrie* trie_;
    std::vector<Step> steps_;
    std::vector<std::int32_t> alone_;
};

// Scores of documents, one row per document and one column per label.
struct ScoreRows {
    std::int32_t n_rows;
    std::int32_t n_labels;
    const double* values;
    const double* row(std::int64_t i) const { return values + i * n_labels; }
};

// log p of every set for every document, documents x sets.
std::vector<double> chain_log_prob(const ChainPlan& plan, const ScoreRows& scores, int n_threads,
                                   const std::atomic<bool>& stop);

// log p of set k for document[k], one number per set. Labels of the sets are numbered by their place in the chain.
std::vector<double> chain_log_prob_each(const Chain& chain, const ScoreRows& scores, const LabelSets& sets,
                                        const std::int32_t* document, int n_threads, const std::atomic<bool>& stop);

// The result of a beam search for each document.
struct Beams {
    std::vector<std::int64_t> first;   // sets first[i] to first[i + 1] - 1 are those of document i
    std::vector<std::int64_t> indptr;  // of the sets
    std::vector<std::int32_t> indices;
    std::vector<double> pruned;  // largest log p of a prefix that was pruned; -infinity where none was
};

// Follows the chain with the `width` most probable prefixes of a set, and returns the sets they end in. A set that is
// not among these is at most as probable as `pruned` says, because one of its prefixes was pruned.
Beams chain_beams(const Chain& chain, const ScoreRows& scores, std::int32_t width, int n_threads,
                  const std::atomic<bool>& stop);

struct Samples {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
};

// The samples of each document that one of several chains draws.
struct ChainDraws {
    const Chain* chain;
    const std::int32_t* order;  // the label at each place of the chain
    ScoreRows scores;
    std::vector<std::int32_t> samples;  // rising
};

// Draws sets for every document, label by label along the chain: of each document, sample k has the label at place j
// where uniform[k * n_labels + j] < p(y_j | ...). All documents share the uniform numbers. Set i * n_samples + k of the
// result is sample k of document i, labels rising; each sample has to belong to one chain.
Samples chain_samples(const std::vector<ChainDraws>& chains, std::int32_t n_samples, const double* uniform,
                      int n_threads, const std::atomic<bool>& stop);

}  // namespace setwise
