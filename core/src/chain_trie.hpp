// Label sets as a trie, laid out in the order of a walk that goes deep first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "setwise/chain.hpp"

namespace setwise {

// A beginning of sets: what its parent has, and `label`.
struct TrieNode {
    std::int32_t label;
    std::int32_t depth;       // labels before this one
    double feedback;          // what they add to its logit
    std::int32_t first, end;  // the sets that end here: a range of SetTrie::order
    bool has_children;
};

struct SetTrie {
    std::vector<std::int32_t> order;  // sets, each right after those it begins with
    std::vector<TrieNode> nodes;      // each parent right before its first child
    std::int32_t n_empty = 0;         // these come first in the order
    std::int32_t depth = 0;           // labels of the largest set

    SetTrie(const SetRows& sets, const Feedback& feedback) : order(sets.n_sets) {
        const auto begin = [&](std::int32_t set) { return sets.indices + sets.indptr[set]; };
        const auto end = [&](std::int32_t set) { return sets.indices + sets.indptr[set + 1]; };
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
        });
        std::vector<std::int32_t> path;    // labels
        std::vector<std::int32_t> within;  // their nodes
        for (std::int32_t k = 0; k < sets.n_sets; ++k) {
            const std::int32_t* labels = begin(order[k]);
            const auto size = static_cast<std::size_t>(end(order[k]) - labels);
            std::size_t shared = 0;
            while (shared < path.size() && shared < size && path[shared] == labels[shared]) ++shared;
            path.resize(shared);
            within.resize(shared);
            for (std::size_t d = shared; d < size; ++d) {
                if (d > 0) nodes[within.back()].has_children = true;
                within.push_back(static_cast<std::int32_t>(nodes.size()));
                nodes.push_back(
                    {labels[d], static_cast<std::int32_t>(d), received(feedback, path, labels[d]), k, k, false});
                path.push_back(labels[d]);
            }
            if (size == 0)
                n_empty = k + 1;
            else
                nodes[within.back()].end = k + 1;
            depth = std::max(depth, static_cast<std::int32_t>(size));
        }
    }

  private:
    static double received(const Feedback& feedback, const std::vector<std::int32_t>& path, std::int32_t label) {
        double sum = 0.0;
        for (const std::int32_t giver : path) {
            const std::int32_t* end = feedback.indices + feedback.end(giver);
            const std::int32_t* found = std::lower_bound(feedback.indices + feedback.begin(giver), end, label);
            if (found != end && *found == label) sum += feedback.values[found - feedback.indices];
        }
        return sum;
    }
};

}  // namespace setwise
