#include "setwise/step_memory.hpp"

#include <algorithm>

#include "setwise/dispatch.hpp"
#include "setwise/parallel.hpp"

namespace setwise {
namespace {

// Sums are taken in parts of this many and then part by part, so that threads do not change their bits.
constexpr std::int64_t kPart = 8192;
constexpr std::int64_t kPartsAtOnce = 4;  // fewer are not worth another thread

SETWISE_INLINE double move(std::int64_t n, double* direction, double factor, const float* addend, const float* probe) {
    double total = 0.0;
    if (addend != nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) direction[i] += factor * addend[i];
    }
    if (probe != nullptr) {
#pragma omp simd reduction(+ : total)
        for (std::int64_t i = 0; i < n; ++i) total += direction[i] * probe[i];
    }
    return total;
}

}  // namespace

StepMemory::StepMemory(std::int64_t size, std::int32_t capacity, int n_threads)
    : size_(size), capacity_(static_cast<std::size_t>(capacity)), n_threads_(n_threads) {}

template <class Part>
double StepMemory::sum_parts(Part part) const {
    const std::int64_t n_parts = (size_ + kPart - 1) / kPart;
    std::vector<double> sums(n_parts);
    share_out(n_threads_, n_parts, kPartsAtOnce, [&](Items& items) {
        for (const std::int64_t p : items) sums[p] = part(p * kPart, std::min(kPart, size_ - p * kPart));
    });
    double total = 0.0;
    for (const double sum : sums) total += sum;
    return total;
}

bool StepMemory::remember(const double* before, const double* after, const double* gradient_before,
                          const double* gradient_after, double least) {
    Pair pair;
    if (pairs_.size() == capacity_) {  // its arrays serve again
        pair = std::move(pairs_.front());
        pairs_.pop_front();
    }
    pair.moved.resize(size_);
    pair.turned.resize(size_);
    pair.curvature = sum_parts([&](std::int64_t first, std::int64_t n) {
        double total = 0.0;
        for (std::int64_t i = first; i < first + n; ++i) {
            pair.moved[i] = static_cast<float>(after[i] - before[i]);
            pair.turned[i] = static_cast<float>(gradient_after[i] - gradient_before[i]);
            total += static_cast<double>(pair.moved[i]) * pair.turned[i];
        }
        return total;
    });
    const double square = sum_parts([&](std::int64_t first, std::int64_t n) {
        double total = 0.0;
        for (std::int64_t i = first; i < first + n; ++i) total += static_cast<double>(pair.turned[i]) * pair.turned[i];
        return total;
    });
    if (!(pair.curvature > least * square)) return false;
    pair.scale = pair.curvature / square;
    pairs_.push_back(std::move(pair));
    return true;
}

double StepMemory::move_and_probe(std::vector<double>& direction, double factor, const float* addend,
                                  const float* probe) const {
    return sum_parts([&](std::int64_t first, std::int64_t n) {
        return dispatch<move>(n, direction.data() + first, factor, addend ? addend + first : nullptr,
                              probe ? probe + first : nullptr);
    });
}

std::vector<double> StepMemory::direction(const double* gradient) const {
    std::vector<double> direction(size_);
    for (std::int64_t i = 0; i < size_; ++i) direction[i] = -gradient[i];
    if (pairs_.empty()) return direction;
    // Each pass changes the direction and takes the product that the next one needs.
    const auto n = static_cast<std::int64_t>(pairs_.size());
    std::vector<double> share(n);
    double product = move_and_probe(direction, 0.0, nullptr, pairs_[n - 1].moved.data());
    for (std::int64_t p = n - 1; p >= 0; --p) {
        share[p] = product / pairs_[p].curvature;
        product =
            move_and_probe(direction, -share[p], pairs_[p].turned.data(), p > 0 ? pairs_[p - 1].moved.data() : nullptr);
    }
    for (double& value : direction) value *= pairs_[n - 1].scale;
    product = move_and_probe(direction, 0.0, nullptr, pairs_[0].turned.data());
    for (std::int64_t p = 0; p < n; ++p)
        product = move_and_probe(direction, share[p] - product / pairs_[p].curvature, pairs_[p].moved.data(),
                                 p + 1 < n ? pairs_[p + 1].turned.data() : nullptr);
    return direction;
}

}  // namespace setwise
