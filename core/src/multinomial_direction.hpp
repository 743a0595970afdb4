// The direction of one proximal Newton iteration of the multinomial: the quadratic
//
//     gradient . d + 1/2 sum_i mass_i u_i' (diag p_i - p_i p_i') u_i + penalty(w + d),     u_i = d_0 + sum_j x_ij d_j
//
// over the classes of a working set of features and of the intercept. With an L1 part by block coordinate descent, a
// block being the classes of one feature; without, by conjugate gradients over all of them.
//
// Within a block diag p - p p' lies below diag p, so the classes move at once, each by its own curvature, and the
// quadratic never rises. And it does not feel a shift of all classes alike, so that for every shift c
//
//     1/2 d' (diag p - p p') d  <=  1/2 (d - c)' diag p (d - c)
//
// of which the best is taken: the bound is then tight but for how p differs between documents, and what a shift alone
// can save of the penalty is saved at once. Without it a probable class crawls, as does a shift under a weak penalty.
// Single precision beside an exact gradient, as in newton_direction.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "class_kernels.hpp"
#include "conjugate_gradients.hpp"
#include "outer_loop.hpp"
#include "setwise/binary.hpp"
#include "setwise/penalty.hpp"

namespace setwise {

// The problem around the current point; matrices with the padding of class_kernels.hpp, the intercept last.
struct ClassModel {
    const double* weights;      // features x classes
    const double* gradient;     // features x classes
    const double* probability;  // documents x classes
    const double* mass;         // one per document
};

template <class Values>
class MultinomialDirection {
  public:
    MultinomialDirection(const FeatureMatrix<Values>& features, std::int32_t n_classes, const SolverOptions& options,
                         bool shifts)
        : X_(features.columns),
          classes_(n_classes),
          stride_(padded(n_classes)),
          peak_(features.column_peak),
          options_(options),
          penalty_(options.strength, options.l1_ratio),
          shifts_(shifts),
          block_(n_classes) {}

    // Fills step, zero on entry.
    void solve(const std::vector<std::int32_t>& working_set, const ClassModel& model, const Effort& effort,
               double* step, const std::atomic<bool>& stop) {
        prepare(working_set, model);
        max_move_ = effort.max_move;
        if (penalty_.l1 == 0.0)
            conjugate(effort.target, options_.max_sweeps, step, stop);
        else
            sweep(effort.target, effort.max_sweeps, step, stop);
    }

  private:
    std::size_t at(std::int64_t block) const { return static_cast<std::size_t>(block) * stride_; }
    std::int64_t feature(std::size_t a) const { return a < work_->size() ? (*work_)[a] : X_.n_cols; }
    std::size_t n_blocks() const { return work_->size() + 1; }

    // Sets: work_, model_, probability_, mass_, diagonal_; clears bent_.
    void prepare(const std::vector<std::int32_t>& working_set, const ClassModel& model) {
        work_ = &working_set;
        model_ = &model;
        const std::size_t n = static_cast<std::size_t>(X_.n_rows);
        probability_.assign(model.probability, model.probability + n * stride_);
        mass_.assign(model.mass, model.mass + n);
        bent_.assign(n * stride_, 0.0f);
        diagonal_.assign(n_blocks() * stride_, 0.0f);
        for (std::size_t a = 0; a < n_blocks(); ++a) measure(a);
    }

    // diagonal_a,k = sum_i mass_i x_ij^2 p_ik, an upper bound of the block's Hessian.
    void measure(std::size_t a) {
        float* out = diagonal_.data() + a * stride_;
        const auto add = [&](std::int64_t i, float square) {
            const float* p = probability_.data() + at(i);
            for (std::int32_t k = 0; k < classes_; ++k) out[k] += square * p[k];
        };
        if (feature(a) == X_.n_cols) {
            for (std::int32_t i = 0; i < X_.n_rows; ++i) add(i, mass_[i]);
            return;
        }
        const auto j = static_cast<std::int32_t>(feature(a));
        for (std::int64_t e = X_.begin(j); e < X_.end(j); ++e) {
            const float x = static_cast<float>(X_.values[e]);
            add(X_.indices[e], mass_[X_.indices[e]] * x * x);
        }
    }

    // sum_i x_ij rows_i for the feature, or the intercept, of place a.
    void gather(std::size_t a, const float* rows, float* out) const {
        std::fill(out, out + stride_, 0.0f);
        if (feature(a) < X_.n_cols) return column_times(X_, static_cast<std::int32_t>(feature(a)), stride_, rows, out);
        for (std::int64_t i = 0; i < X_.n_rows; ++i)
            for (std::int32_t k = 0; k < stride_; ++k) out[k] += rows[i * stride_ + k];
    }

    void bend(std::size_t a, const float* change) {
        if (feature(a) < X_.n_cols)
            return column_bend(X_, static_cast<std::int32_t>(feature(a)), stride_, probability_.data(), mass_.data(),
                               change, bent_.data());
        for (std::int64_t i = 0; i < X_.n_rows; ++i)
            detail::bend_row(stride_, 1.0f, probability_.data() + at(i), mass_[i], change, bent_.data() + at(i));
    }

    // Sets: step, bent_, pulled_, change_.
    void sweep(double target, int max_sweeps, double* step, const std::atomic<bool>& stop) {
        pulled_.resize(stride_);
        change_.assign(stride_, 0.0f);
        std::vector<std::size_t> alive(n_blocks());
        const auto revive = [&] {
            alive.resize(n_blocks());
            for (std::size_t a = 0; a < alive.size(); ++a) alive[a] = a;
        };
        revive();
        bool all_alive = true;
        for (int round = 0; round < max_sweeps && !stop; ++round) {
            double worst = 0.0;
            std::size_t kept = 0;
            for (const std::size_t a : alive) {
                gather(a, bent_.data(), pulled_.data());
                bool in_use = false;
                const double moved = move_block(a, step, in_use);
                worst = std::max(worst, moved);
                if (in_use) alive[kept++] = a;
                if (moved > 0.0) bend(a, change_.data());
            }
            alive.resize(kept);
            if (worst <= target) {
                if (all_alive) return;
                revive();
                all_alive = true;
            } else {
                all_alive = false;
            }
        }
    }

    // Moves the classes of a block to their minima and puts the moves, but for what all share, into change_; returns
    // the largest violation met. Sets: block_, change_, and the step.
    double move_block(std::size_t a, double* step, bool& in_use) {
        const std::int64_t j = feature(a);
        const bool is_intercept = j == X_.n_cols;
        const double reach = is_intercept ? max_move_ : max_move_ / peak_[j];
        for (std::int32_t k = 0; k < classes_; ++k) {
            const double start = model_->weights[at(j) + k];
            block_[k] = {start + step[at(j) + k],
                         model_->gradient[at(j) + k] + pulled_[k],
                         diagonal_[a * stride_ + k],
                         start - reach,
                         start + reach,
                         0.0};
        }
        const ElasticNet penalty = is_intercept ? ElasticNet(0.0, 0.0) : penalty_;
        const double excess = shift_block(penalty, 0.0);
        double worst = 0.0;
        for (const ClassMove& c : block_)
            worst = std::max(worst, std::abs(c.moved - c.value) * (c.curvature + penalty.l2));
        const double shift = is_intercept || !shifts_ ? 0.0 : best_shift(penalty, excess, worst);
        for (std::int32_t k = 0; k < classes_; ++k) {
            const double moved = block_[k].moved - block_[k].value;
            change_[k] = static_cast<float>(moved - shift);
            step[at(j) + k] += moved;
            in_use = in_use || block_[k].moved != 0.0 || moved != 0.0;
        }
        return worst;
    }

    // A class of a block: its value, the gradient there, the bound of its curvature, its limits, and where it moves.
    struct ClassMove {
        double value, gradient, curvature, low, high, moved;
    };

    // Moves each class to its minimum where all were shifted alike before. Returns sum_k curvature_k (what class k
    // moves beyond the shift): above zero a larger shift lowers the bound, below zero a smaller one. Sets: moved in
    // block_.
    double shift_block(const ElasticNet& penalty, double shift) {
        double excess = 0.0;
        for (ClassMove& c : block_) {
            const double shifted = c.value + shift;
            const double least = penalty.l1 > 0.0 || penalty.l2 > 0.0
                                     ? penalty.minimiser(shifted, c.gradient, c.curvature)
                                 : c.curvature > 0.0 ? shifted - c.gradient / c.curvature
                                                     : shifted;
            c.moved = std::clamp(least, c.low, c.high);
            excess += c.curvature * (c.moved - shifted);
        }
        return excess;
    }

    // The best shift, with where the classes then move in block_; `excess` is that of no shift. It is piecewise linear
    // and falls as the shift grows, so that its root is found by walking from one bend to the next: a bend is where a
    // class becomes zero, or ceases to be.
    double best_shift(const ElasticNet& penalty, double excess, double worst) {
        constexpr double kEnough = 0.05;   // of the largest violation may remain
        constexpr int kMaxBends = 32;      // short of the root, a shift is not the best, but better than none
        constexpr double kBeyond = 1e-12;  // so far beyond a bend, relative to the way there
        const double side = excess > 0.0 ? 1.0 : -1.0;
        double shift = 0.0;
        for (int bend = 0; bend < kMaxBends && side * excess > kEnough * worst; ++bend) {
            double stiffness = 0.0, way = std::numeric_limits<double>::infinity();
            for (const ClassMove& c : block_) {
                const double pull = side * (c.curvature * (c.value + shift) - c.gradient);
                const bool is_zero = -penalty.l1 <= pull && pull < penalty.l1;
                if (is_zero)
                    stiffness += c.curvature;
                else
                    stiffness +=
                        c.curvature + penalty.l2 > 0.0 ? c.curvature * penalty.l2 / (c.curvature + penalty.l2) : 0.0;
                if (pull < penalty.l1 && c.curvature > 0.0)
                    way = std::min(way, ((is_zero ? penalty.l1 : -penalty.l1) - pull) / c.curvature);
            }
            way *= 1.0 + kBeyond;
            const double to_root =
                stiffness > 0.0 ? side * excess / stiffness : std::numeric_limits<double>::infinity();
            const double next = shift + side * std::min(way, to_root);
            if (!std::isfinite(next) || next == shift) break;
            const double next_excess = shift_block(penalty, next);
            if (side * next_excess < -kEnough * worst) break;  // a limit stood in the way
            shift = next;
            excess = next_excess;
        }
        shift_block(penalty, shift);
        return shift;
    }

    // Sets: residual_, bent_, and the step.
    void conjugate(double target, int max_rounds, double* step, const std::atomic<bool>& stop) {
        residual_.resize(n_blocks() * stride_);
        for (std::size_t k = 0; k < residual_.size(); ++k) residual_[k] = static_cast<float>(-slope_of(k));
        const auto times = [&](const std::vector<float>& move, std::vector<float>& product) {
            multiply(move, product);
        };
        const auto take = [&](double length, const std::vector<float>& move) {
            for (std::size_t k = 0; k < move.size(); ++k) step[k] += length * move[k];
        };
        const DampedSystem system{diagonal_, static_cast<float>(penalty_.l2), n_damped()};
        conjugate_.solve(system, target, max_rounds, residual_, times, take, stop);
    }

    // Weights before the intercepts of the classes.
    std::size_t n_damped() const { return work_->size() * static_cast<std::size_t>(stride_); }

    double slope_of(std::size_t place) const {
        return model_->gradient[place] + (place < n_damped() ? penalty_.l2 * model_->weights[place] : 0.0);
    }

    void multiply(const std::vector<float>& move, std::vector<float>& product) {
        std::fill(bent_.begin(), bent_.end(), 0.0f);
        for (std::size_t a = 0; a < n_blocks(); ++a) bend(a, move.data() + a * stride_);
        for (std::size_t a = 0; a < n_blocks(); ++a) gather(a, bent_.data(), product.data() + a * stride_);
        for (std::size_t k = 0; k < n_damped(); ++k) product[k] += static_cast<float>(penalty_.l2) * move[k];
    }

    const Columns<Values>& X_;
    const std::int32_t classes_, stride_;
    const double* peak_;
    const SolverOptions& options_;
    const ElasticNet penalty_;
    const bool shifts_;

    const std::vector<std::int32_t>* work_ = nullptr;
    const ClassModel* model_ = nullptr;
    double max_move_ = 0.0;
    std::vector<float> probability_, mass_, bent_;  // documents
    ConjugateGradients conjugate_;
    std::vector<float> diagonal_, residual_;  // working set and intercept x classes
    std::vector<float> pulled_, change_;      // classes
    std::vector<ClassMove> block_;            // classes
};

}  // namespace setwise
