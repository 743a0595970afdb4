// The probability of given sets. Eight documents are taken at a time, with the document as the fastest index, so that
// a set's sum of logits reads whole vectors and gathers nothing.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "setwise/dispatch.hpp"
#include "setwise/mixture.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

constexpr std::int32_t kLanes = kDocumentLanes;
constexpr std::int32_t kSetsAtATime = 128;  // scored side by side, then written out document by document
constexpr double kNever = -std::numeric_limits<double>::infinity();

SETWISE_INLINE void subtract_softplus(std::int32_t width, const double* z, double* total) {
#pragma omp simd
    for (std::int32_t j = 0; j < width; ++j) total[j] -= softplus(z[j]);
}

// Writes none + sum of the set's logits for every set, lanes fastest: a mixture of one component. Spelt out by halves,
// since left alone the compiler gathers over labels.
SETWISE_INLINE void score_sets_of_one(const double* none, const double* z, const Columns<Ones>& sets, double* out) {
    const HalfLanes* start = reinterpret_cast<const HalfLanes*>(none);  // `auto` would forget the alignment
    const HalfLanes* logits = reinterpret_cast<const HalfLanes*>(z);
    HalfLanes* found = reinterpret_cast<HalfLanes*>(out);
    for (std::int32_t s = 0; s < sets.n_cols; ++s, found += 2) {
        HalfLanes low = start[0], high = start[1];
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) {
            const HalfLanes* of_label = logits + std::int64_t{2} * sets.indices[e];
            low += of_label[0];
            high += of_label[1];
        }
        found[0] = low;
        found[1] = high;
    }
}

// Writes log sum_k exp(none[k] + sum of the set's logits) for every set, lanes fastest; `none` has log pi_k less the
// softplus of all labels. `part` is room for the components of one set.
SETWISE_INLINE void score_sets(std::int32_t n_components, const double* none, const double* z,
                               const Columns<Ones>& sets, double* part, double* out) {
    if (n_components == 1) return score_sets_of_one(none, z, sets, out);
    const std::int64_t width = std::int64_t{n_components} * kLanes;
    for (std::int32_t s = 0; s < sets.n_cols; ++s, out += kLanes) {
        for (std::int64_t j = 0; j < width; ++j) part[j] = none[j];
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) {
            const double* of_label = z + sets.indices[e] * width;
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j) part[j] += of_label[j];
        }
        double top[kLanes], total[kLanes] = {};
        std::fill_n(top, kLanes, kNever);
        for (std::int64_t j = 0; j < width; j += kLanes) {
#pragma omp simd
            for (std::int32_t lane = 0; lane < kLanes; ++lane)
                top[lane] = part[j + lane] > top[lane] ? part[j + lane] : top[lane];
        }
        for (std::int64_t j = 0; j < width; j += kLanes) {
#pragma omp simd
            for (std::int32_t lane = 0; lane < kLanes; ++lane)
                total[lane] += exp_of_negative(part[j + lane] - top[lane]);
        }
#pragma omp simd
        for (std::int32_t lane = 0; lane < kLanes; ++lane) out[lane] = top[lane] + log_of_normal(total[lane]);
    }
}

// Eight documents side by side; lanes beyond the last document hold zeros.
class Block {
  public:
    Block(const Mixture& mixture, const LabelSets& sets)
        : mixture_(mixture),
          sets_(sets.columns()),
          width_(mixture.n_components * kLanes),
          z_(static_cast<std::size_t>(width_) * mixture.n_labels),
          none_(width_),
          part_(width_),
          found_(kSetsAtATime * kLanes) {}

    void score(std::int64_t first, double* out) {
        const auto n_lanes = static_cast<std::int32_t>(std::min<std::int64_t>(kLanes, mixture_.n_documents - first));
        load(first, n_lanes);
        for (std::int32_t s = 0; s < sets_.n_cols; s += kSetsAtATime) {
            const std::int32_t n_some = std::min(kSetsAtATime, sets_.n_cols - s);
            const Columns<Ones> some{sets_.n_rows, n_some, sets_.indptr + s, sets_.indices, Ones{}};
            dispatch<score_sets>(mixture_.n_components, none_.data(), z_.data(), some, part_.data(), found_.data());
            for (std::int32_t lane = 0; lane < n_lanes; ++lane) {
                double* row = out + (first + lane) * sets_.n_cols + s;
                if (closed_[lane])
                    std::fill_n(row, n_some, kNever);
                else
                    for (std::int32_t e = 0; e < n_some; ++e) row[e] = found_[e * kLanes + lane];
            }
        }
    }

  private:
    // A document whose gates are all closed gets open ones, and its scores are put right when they are written.
    void load(std::int64_t first, std::int32_t n_lanes) {
        std::fill(z_.begin(), z_.end(), 0.0);
        std::fill(none_.begin(), none_.end(), 0.0);
        for (std::int32_t lane = 0; lane < n_lanes; ++lane) {
            const double* log_gate = mixture_.log_gate_of(first + lane);
            closed_[lane] = std::count(log_gate, log_gate + mixture_.n_components, kNever) == mixture_.n_components;
            for (std::int32_t k = 0; k < mixture_.n_components; ++k) {
                const double* logits = mixture_.logits_of(first + lane, k);
                none_[k * kLanes + lane] = closed_[lane] ? 0.0 : log_gate[k];
                for (std::int32_t l = 0; l < mixture_.n_labels; ++l)
                    z_[static_cast<std::size_t>(l) * width_ + k * kLanes + lane] = logits[l];
            }
        }
        for (std::int32_t l = 0; l < mixture_.n_labels; ++l) {
            const double* z = z_.data() + static_cast<std::size_t>(l) * width_;
            dispatch<subtract_softplus>(width_, z, none_.data());
        }
    }

    const Mixture& mixture_;
    const Columns<Ones> sets_;
    std::int32_t width_;
    std::vector<double> z_, none_, part_, found_;
    bool closed_[kLanes] = {};
};

}  // namespace

void mixture_log_prob(const Mixture& mixture, const LabelSets& sets, int n_threads, const std::atomic<bool>& stop,
                      double* out) {
    const std::int64_t n_blocks = (mixture.n_documents + kLanes - 1) / kLanes;
    share_out(n_threads, n_blocks, 1, [&](Items& items) {
        Block block(mixture, sets);
        for (const std::int64_t b : items)
            if (!stop) block.score(b * kLanes, out);
    });
}

}  // namespace setwise
