// The last solutions of a path of strengths, and where they lead.
//
// Without an L1 part the optimum has strength * w = -gradient / 2, which changes little from one strength to the next:
// it is the intercept and strength * w that are continued, by the polynomial in log(strength) through the last
// solutions. The scores are linear in both, so they are continued too, and no product with the features is needed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace setwise {

struct Solution {
    double strength, intercept;
    std::vector<double> weights;   // one per feature
    std::vector<double> products;  // of the features with the weights, one per document
};

class SolutionTrail {
  public:
    explicit SolutionTrail(int longest) : longest_(static_cast<std::size_t>(longest)) {}

    void clear() { solutions_.clear(); }
    bool empty() const { return solutions_.empty(); }
    const Solution& last() const { return solutions_.back(); }

    void add(Solution solution) {
        if (solutions_.size() == longest_) solutions_.pop_front();
        solutions_.push_back(std::move(solution));
    }

    void predict(double strength, double& intercept, std::vector<double>& weights,
                 std::vector<double>& products) const {
        intercept = 0.0;
        std::fill(weights.begin(), weights.end(), 0.0);
        std::fill(products.begin(), products.end(), 0.0);
        for (const Solution& solution : solutions_) {
            const double share = share_of(solution, strength);
            const double scaled = share * solution.strength / strength;
            intercept += share * solution.intercept;
            for (std::size_t j = 0; j < weights.size(); ++j) weights[j] += scaled * solution.weights[j];
            for (std::size_t i = 0; i < products.size(); ++i) products[i] += scaled * solution.products[i];
        }
    }

  private:
    // Lagrange's: the value at `strength` of the polynomial that is 1 at the solution and 0 at the others.
    double share_of(const Solution& solution, double strength) const {
        double share = 1.0;
        for (const Solution& other : solutions_)
            if (&other != &solution)
                share *= std::log(strength / other.strength) / std::log(solution.strength / other.strength);
        return share;
    }

    std::size_t longest_;
    std::deque<Solution> solutions_;  // oldest first
};

}  // namespace setwise
