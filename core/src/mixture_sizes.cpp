// Labels and sizes together, exactly. Within a component labels are independent, so the size is a Poisson-binomial:
//
//     f[s] = p(|y| = s)                  labels join one at a time:   f'[s] = q f[s] + p f[s - 1]
//     g[s] = p(s of the other labels)    one label leaves again:      f[s] = q g[s] + p g[s - 1]
//     p(y_l = 1, |y| = s) = p g[s - 1]
//
// with p the label's probability and q = 1 - p. A label leaves upwards from size 0 where p <= 1/2 and downwards from
// the largest size where p > 1/2: an error is then multiplied by p / q <= 1 or q / p <= 1 from one size to the next,
// and never grows. Sixteen labels leave at a time, one a lane.
#include <algorithm>
#include <cmath>

#include "setwise/dispatch.hpp"
#include "setwise/mixture.hpp"
#include "setwise/parallel.hpp"
#include "setwise/poisson_binomial.hpp"

namespace setwise {
namespace {

constexpr std::int32_t kLanes = 16;

// out[step][lane] = (f[s] - ratio out[step - 1]) / divisor, s = from, from + by, ...; `scale` is 1 / divisor.
SETWISE_INLINE void remove_labels(std::int32_t n_steps, std::int32_t from, std::int32_t by, const double* f,
                                  const double* scale, const double* ratio, double* out) {
    double g[kLanes] = {};
    for (std::int32_t step = 0; step < n_steps; ++step) {
        const double at = f[from + step * by];
        double* row = out + static_cast<std::size_t>(step) * kLanes;
#pragma omp simd
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
            g[lane] = at * scale[lane] - ratio[lane] * g[lane];
            row[lane] = g[lane];
        }
    }
}

class SizeCounter {
  public:
    SizeCounter(const Mixture& mixture, std::int32_t max_size)
        : mixture_(mixture),
          n_labels_(mixture.n_labels),
          max_size_(max_size),
          p_(n_labels_),
          q_(n_labels_),
          without_(static_cast<std::size_t>(n_labels_ + 1) * kLanes),
          sizes_(n_labels_) {}

    void count(std::int64_t i, double* joint, double* empty) {
        double nothing = 0.0;
        for (std::int32_t k = 0; k < mixture_.n_components; ++k) {
            const double share = std::exp(mixture_.log_gate_of(i)[k]);
            if (share == 0.0) continue;
            find_probabilities(mixture_.logits_of(i, k));
            double none = share;
            for (const double q : q_) none *= q;
            nothing += none;
            if (max_size_ > 0) add_component(share, joint + i * n_labels_ * max_size_);
        }
        empty[i] = nothing;
    }

  private:
    void find_probabilities(const double* z) { dispatch<label_probabilities>(n_labels_, z, p_.data(), q_.data()); }

    void add_component(double share, double* joint) {
        add_labels();
        rising_.clear();
        falling_.clear();
        for (std::int32_t l = 0; l < n_labels_; ++l) (p_[l] > 0.5 ? falling_ : rising_).push_back(l);
        const auto in_groups = [](const std::vector<std::int32_t>& labels, auto take_out) {
            for (std::size_t at = 0; at < labels.size(); at += kLanes)
                take_out(labels.data() + at,
                         static_cast<std::int32_t>(std::min<std::size_t>(kLanes, labels.size() - at)));
        };
        in_groups(rising_, [&](const auto* labels, auto n) { take_out_upwards(labels, n, share, joint); });
        in_groups(falling_, [&](const auto* labels, auto n) { take_out_downwards(labels, n, share, joint); });
    }

    void add_labels() {
        sizes_.clear();
        for (std::int32_t l = 0; l < n_labels_; ++l) sizes_.add(p_[l], q_[l]);
        low_ = sizes_.low();
        high_ = sizes_.high();
    }

    // Sizes of the other labels from low_ up; g[s - 1] is in row s - 1 - low_.
    void take_out_upwards(const std::int32_t* labels, std::int32_t n, double share, double* joint) {
        const std::int32_t largest = std::min({high_ + 1, n_labels_, max_size_});
        const std::int32_t n_steps = largest - low_;
        if (n_steps <= 0) return;
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
            const std::int32_t l = lane < n ? labels[lane] : labels[0];
            scale_[lane] = 1.0 / q_[l];
            ratio_[lane] = p_[l] * scale_[lane];
        }
        leave(n_steps, low_, 1);
        for (std::int32_t lane = 0; lane < n; ++lane) {
            double* row = joint + static_cast<std::int64_t>(labels[lane]) * max_size_;
            const double factor = share * p_[labels[lane]];
            for (std::int32_t step = 0; step < n_steps; ++step) row[low_ + step] += factor * positive(step, lane);
        }
    }

    // Sizes of all labels from high_ down; g[s - 1] is in row high_ - s.
    void take_out_downwards(const std::int32_t* labels, std::int32_t n, double share, double* joint) {
        const std::int32_t smallest = std::max(low_, 1);
        const std::int32_t n_steps = high_ - smallest + 1;
        if (n_steps <= 0) return;
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
            const std::int32_t l = lane < n ? labels[lane] : labels[0];
            scale_[lane] = 1.0 / p_[l];
            ratio_[lane] = q_[l] * scale_[lane];
        }
        leave(n_steps, high_, -1);
        for (std::int32_t lane = 0; lane < n; ++lane) {
            double* row = joint + static_cast<std::int64_t>(labels[lane]) * max_size_;
            const double factor = share * p_[labels[lane]];
            for (std::int32_t s = smallest; s <= std::min(high_, max_size_); ++s)
                row[s - 1] += factor * positive(high_ - s, lane);
        }
    }

    void leave(std::int32_t n_steps, std::int32_t from, std::int32_t by) {
        dispatch<remove_labels>(n_steps, from, by, sizes_.sizes(), scale_, ratio_, without_.data());
    }

    // Rounding can leave a size that cannot be a little below zero.
    double positive(std::int32_t step, std::int32_t lane) const {
        return std::max(without_[static_cast<std::size_t>(step) * kLanes + lane], 0.0);
    }

    const Mixture& mixture_;
    std::int32_t n_labels_, max_size_, low_ = 0, high_ = 0;
    std::vector<double> p_, q_, without_;
    PoissonBinomial sizes_;
    std::vector<std::int32_t> rising_, falling_;
    double scale_[kLanes], ratio_[kLanes];
};

}  // namespace

void mixture_size_marginals(const Mixture& mixture, std::int32_t max_size, int n_threads, const std::atomic<bool>& stop,
                            double* joint, double* empty) {
    share_out(n_threads, mixture.n_documents, 1, [&](Items& items) {
        SizeCounter counter(mixture, max_size);
        for (const std::int64_t i : items)
            if (!stop) counter.count(i, joint, empty);
    });
}

}  // namespace setwise
