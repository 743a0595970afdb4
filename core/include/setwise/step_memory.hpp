// The memory of a quasi-Newton method: the last steps and what the gradient did along them, which stand for the
// curvature (L-BFGS: Liu and Nocedal 1989).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace setwise {

class StepMemory {
  public:
    StepMemory(std::int64_t size, std::int32_t capacity, int n_threads);

    std::int64_t size() const { return size_; }
    bool empty() const { return pairs_.empty(); }
    std::size_t n_steps() const { return pairs_.size(); }
    void clear() { pairs_.clear(); }

    // Remembers the way from `before` to `after`, where its curvature is above `least` times the gradient change's
    // square; the oldest step is then forgotten if there are too many.
    bool remember(const double* before, const double* after, const double* gradient_before,
                  const double* gradient_after, double least);

    // Minus the inverse curvature times the gradient, by the two loops of L-BFGS.
    std::vector<double> direction(const double* gradient) const;

  private:
    struct Pair {
        std::vector<float> moved, turned;  // single precision: half the traffic, and curvature needs no more
        double curvature, scale;           // moved . turned, and that by turned . turned
    };

    // direction += factor * addend, and then the product of direction and probe; either pointer may be null.
    double move_and_probe(std::vector<double>& direction, double factor, const float* addend, const float* probe) const;

    template <class Part>
    double sum_parts(Part part) const;

    const std::int64_t size_;
    const std::size_t capacity_;
    const int n_threads_;
    std::deque<Pair> pairs_;  // the oldest first
};

}  // namespace setwise
