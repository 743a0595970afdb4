// What scoring needs of a chain and of the sets, computed once.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "setwise/chain.hpp"

namespace setwise {
namespace {

// The bounds under which products of odds neither overflow nor vanish; see chain_log_prob.cpp.
constexpr double kLargestReceived = 135.0, kLargestGiven = 600.0;

bool is_small(const Columns<const double*>& feedback) {
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

}  // namespace

Chain::Chain(std::vector<std::int64_t> indptr, std::vector<std::int32_t> indices, std::vector<double> values)
    : indptr_(std::move(indptr)), indices_(std::move(indices)), values_(std::move(values)) {
    check_columns(n_labels(), indptr_, indices_);
    if (values_.size() != indices_.size()) throw std::invalid_argument("values and indices differ in length.");
    for (std::int32_t l = 0; l < n_labels(); ++l)
        if (indptr_[l] < indptr_[l + 1] && indices_[indptr_[l]] <= l)
            throw std::invalid_argument("indices must name labels later in the chain.");
    by_odds_ = is_small(feedback());
    moves_ = values_;
    if (by_odds_)
        for (double& move : moves_) move = std::exp(move);
}

ChainTrie::ChainTrie(const LabelSets& label_sets, std::span<const std::int32_t> order)
    : n_labels_(label_sets.n_labels()),
      n_entries_(label_sets.n_entries()),
      depth_(label_sets.largest_size()),
      order_(label_sets.n_sets()) {
    const LabelSets placed = label_sets.permuted(order);
    const Columns<Ones> sets = placed.columns();
    const auto begin = [&](std::int32_t set) { return sets.indices + sets.begin(set); };
    const auto end = [&](std::int32_t set) { return sets.indices + sets.end(set); };
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
        return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
    });
    std::vector<std::int32_t> path;   // labels of the set before
    std::vector<std::int32_t> nodes;  // and their nodes
    for (std::int32_t k = 0; k < sets.n_cols; ++k) {
        const std::int32_t* labels = begin(order_[k]);
        const auto size = static_cast<std::size_t>(sets.count(order_[k]));
        std::size_t shared = 0;
        while (shared < path.size() && shared < size && path[shared] == labels[shared]) ++shared;
        path.resize(shared);
        nodes.resize(shared);
        for (std::size_t d = shared; d < size; ++d) {
            nodes.push_back(static_cast<std::int32_t>(nodes_.size()));
            nodes_.push_back({labels[d], static_cast<std::int32_t>(d), k});
            path.push_back(labels[d]);
        }
        (size == 0 ? n_empty_ : nodes_[nodes.back()].end) = k + 1;
    }
}

ChainPlan::ChainPlan(const Chain& chain, const ChainTrie& trie)
    : chain_(&chain), trie_(&trie), steps_(trie.nodes().size(), Step{false, false}) {
    const Columns<const double*> feedback = chain.feedback();
    const std::vector<ChainTrie::Node>& nodes = trie.nodes();
    std::vector<std::vector<std::int32_t>> givers(chain.n_labels());  // per label: nodes of the path that it hears of
    std::vector<std::int32_t> path;                                   // nodes
    std::vector<bool> is_alone(chain.n_labels(), false);
    std::int32_t n_unfelt = 0;  // nodes of the path that are not felt so far
    const auto feel = [&](std::int32_t node) {
        n_unfelt -= !steps_[node].is_felt;
        steps_[node].is_felt = true;
    };
    const auto leave = [&] {
        const std::int32_t label = nodes[path.back()].label;
        n_unfelt -= !steps_[path.back()].is_felt;
        for (std::int64_t e = feedback.begin(label); e < feedback.end(label); ++e)
            givers[feedback.indices[e]].pop_back();
        path.pop_back();
    };
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        while (static_cast<std::int32_t>(path.size()) > nodes[k].depth) leave();
        const std::int32_t label = nodes[k].label;
        for (const std::int32_t giver : givers[label]) feel(giver);
        bool hears = false;
        for (std::int64_t e = feedback.begin(label); e < feedback.end(label) && !(hears && n_unfelt == 0); ++e) {
            for (const std::int32_t giver : givers[feedback.indices[e]]) feel(giver);
            hears = hears || !givers[feedback.indices[e]].empty();
        }
        steps_[k].is_alone = chain.by_odds() && !hears;
        if (steps_[k].is_alone && feedback.count(label) > 0) is_alone[label] = true;
        for (std::int64_t e = feedback.begin(label); e < feedback.end(label); ++e)
            givers[feedback.indices[e]].push_back(static_cast<std::int32_t>(k));
        path.push_back(static_cast<std::int32_t>(k));
        ++n_unfelt;
    }
    for (std::int32_t l = 0; l < chain.n_labels(); ++l)
        if (is_alone[l]) alone_.push_back(l);
}

}  // namespace setwise
