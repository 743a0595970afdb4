#include "smooth_solver.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lane_gradients.hpp"
#include "lane_passes.hpp"
#include "lane_table.hpp"
#include "setwise/dispatch.hpp"
#include "setwise/losses.hpp"
#include "setwise/parallel.hpp"
#include "smooth_label.hpp"

namespace setwise {
namespace {

// The labels that a thread fits, and those that follow.
template <class Loss>
class LabelQueue {
  public:
    using Label = SmoothLabel<Loss>;

    // Begins up to `n_at_once` labels; each makes room for another one when it is over.
    template <class MakeLabel>
    LabelQueue(Items& items, std::size_t n_at_once, std::vector<BinaryFit>& fits, std::size_t n_fits, MakeLabel make)
        : next_(items.begin()), fits_(fits), n_fits_(n_fits) {
        while (begun_.size() < n_at_once && has_next()) {
            begun_.push_back(make());
            begin_next(*begun_.back());
        }
    }

    std::vector<std::unique_ptr<Label>>& begun() { return begun_; }
    bool has_next() const { return next_ != Items::End{}; }

    void begin_next(Label& label) {
        const auto at = static_cast<std::size_t>(*next_);
        label.begin(static_cast<std::int32_t>(at), &fits_[at * n_fits_]);
        ++next_;
    }

    // Begins the next label in place of each that is over, or forgets it.
    void replace_finished() {
        for (auto& label : begun_)
            while (label->needs() == Needs::nothing && has_next()) begin_next(*label);
        std::erase_if(begun_, [](const auto& label) { return label->needs() == Needs::nothing; });
    }

  private:
    Items::Iterator next_;
    std::vector<BinaryFit>& fits_;
    const std::size_t n_fits_;
    std::vector<std::unique_ptr<Label>> begun_;
};

// Gives labels what they need, in passes for up to kWidth of them.
template <class Values, class Loss, int kWidth>
class LaneServer {
  public:
    using Label = SmoothLabel<Loss>;

    LaneServer(const FeatureMatrix<Values>& features, const SolverOptions& options)
        : columns_(features.columns),
          rows_(features.rows),
          gradients_(features, options.max_sweeps),
          by_feature_(static_cast<std::size_t>(kWidth) * rows_.n_rows),
          diagonal_(by_feature_.size()),
          by_document_(static_cast<std::size_t>(kWidth) * rows_.n_cols),
          curvature_(by_document_.size()) {}

    // Serves the labels of the queue until all are over, or those that are left fit into half the lanes.
    void run(LabelQueue<Loss>& queue, const std::atomic<bool>& stop) {
        const auto& labels = queue.begun();
        while (!stop && !labels.empty()) {
            const bool is_too_wide = kWidth > 1 && !queue.has_next() && labels.size() <= kWidth / 2;
            const auto n_running = static_cast<std::size_t>(gradients_.n_running());
            // A pass for few lanes costs as much as one for many: labels wait until they are half of them.
            if (n_running > 0 && (labels.size() - n_running < n_running || is_too_wide)) {
                gradients_.run_round();
                continue;
            }
            place(labels);
            finish_directions();
            if (is_too_wide) return;  // no label has anything here any more
            find_scores();
            find_gradients();
            queue.replace_finished();
        }
    }

  private:
    // Gives each label a lane; those whose systems run keep theirs. Sets: lanes_.
    void place(const std::vector<std::unique_ptr<Label>>& labels) {
        for (Label*& lane : lanes_) {
            const auto is_here = [&](const auto& label) { return label.get() == lane; };
            if (std::none_of(labels.begin(), labels.end(), is_here)) lane = nullptr;
        }
        for (const auto& label : labels)
            if (std::find(lanes_.begin(), lanes_.end(), label.get()) == lanes_.end())
                *std::find(lanes_.begin(), lanes_.end(), nullptr) = label.get();
    }

    // The lanes whose labels wait for `needs`.
    std::vector<int> waiting_for(Needs needs) const {
        std::vector<int> lanes;
        for (int l = 0; l < kWidth; ++l)
            if (lanes_[l] != nullptr && lanes_[l]->needs() == needs && !gradients_.is_running(l)) lanes.push_back(l);
        return lanes;
    }

    std::vector<LaneSystem> systems_of(const std::vector<int>& lanes) const {
        std::vector<LaneSystem> systems;
        for (const int l : lanes) systems.push_back({l, lanes_[l]->model(), lanes_[l]->target()});
        return systems;
    }

    void finish_directions() {
        const std::vector<int> lanes = waiting_for(Needs::direction);
        if (lanes.empty()) return;
        std::vector<double*> steps;
        for (const int l : lanes) steps.push_back(lanes_[l]->step().data());
        gradients_.finish(systems_of(lanes), steps);
        for (const int l : lanes) lanes_[l]->continue_with_direction(gradients_.intercept_step(l));
    }

    void find_scores() {
        const std::vector<int> lanes = waiting_for(Needs::scores);
        if (lanes.empty()) return;
        by_feature_.fill(0.0);
        for_each_place(rows_.n_rows, lanes,
                       [&](std::int32_t j, int l, std::size_t at) { by_feature_[at] = lanes_[l]->weights()[j]; });
        dispatch<score_kernel<kWidth, Values>>(rows_, by_feature_.data(), by_document_.data());
        for_each_place(rows_.n_cols, lanes,
                       [&](std::int32_t i, int l, std::size_t at) { lanes_[l]->products()[i] = by_document_[at]; });
        for (const int l : lanes) lanes_[l]->continue_with_scores();
    }

    // Computes gradients, and starts the systems of the directions that then are needed: the diagonals of the Hessians
    // come with the gradients.
    void find_gradients() {
        const std::vector<int> lanes = waiting_for(Needs::gradient);
        if (lanes.empty()) return;
        by_document_.fill(0.0);
        curvature_.fill(0.0f);
        for_each_place(rows_.n_cols, lanes, [&](std::int32_t i, int l, std::size_t at) {
            by_document_[at] = lanes_[l]->residual()[i];
            curvature_[at] = static_cast<float>(lanes_[l]->curvature()[i]);
        });
        dispatch<derivative_kernel<kWidth, Values>>(
            columns_,
            DerivativePass<kWidth>{by_document_.data(), curvature_.data(), by_feature_.data(), diagonal_.data()});
        for_each_place(rows_.n_rows, lanes,
                       [&](std::int32_t j, int l, std::size_t at) { lanes_[l]->gradient()[j] = by_feature_[at]; });
        std::vector<int> starting;
        for (const int l : lanes) {
            lanes_[l]->for_each_barred([&](std::int32_t j) {
                lanes_[l]->gradient()[j] = 0.0;
                diagonal_[static_cast<std::size_t>(kWidth) * j + l] = 0.0f;
            });
            lanes_[l]->continue_with_gradient();
            if (lanes_[l]->needs() == Needs::direction) starting.push_back(l);
        }
        if (!starting.empty()) gradients_.start(systems_of(starting), diagonal_);
    }

    // Calls visit(k, lane, place in a table) for every k below n and every lane, in the order of a table.
    template <class Visit>
    static void for_each_place(std::int32_t n, const std::vector<int>& lanes, Visit visit) {
        for (std::int32_t k = 0; k < n; ++k)
            for (const int l : lanes) visit(k, l, static_cast<std::size_t>(kWidth) * k + l);
    }

    const Columns<Values>& columns_;
    const Columns<Values>& rows_;
    LaneGradients<Values, kWidth> gradients_;
    std::array<Label*, kWidth> lanes_{};
    LaneTable<double> by_feature_;   // weights or gradients, features x lanes
    LaneTable<float> diagonal_;      // of the Hessians, features x lanes
    LaneTable<double> by_document_;  // products or residuals, documents x lanes
    LaneTable<float> curvature_;     // documents x lanes
};

// Fits labels with passes as wide as there are labels.
template <class Values, class Loss>
class SmoothSolver {
  public:
    SmoothSolver(const FeatureMatrix<Values>& features, const BinaryTargets& targets, const BinaryStart& start,
                 const SolverOptions& options, const std::atomic<bool>& stop)
        : features_(features), targets_(targets), start_(start), options_(options), stop_(stop) {}

    // Fits some of the labels: those that this thread gets. `fits` has path.size() + 1 places per label.
    void fit(Items& items, std::vector<BinaryFit>& fits) {
        const auto n_threads = static_cast<std::int64_t>(options_.n_threads);
        const std::int64_t share = (targets_.y.n_cols + n_threads - 1) / n_threads;
        const auto n_at_once = static_cast<std::size_t>(std::min<std::int64_t>(share, kWidest));
        LabelQueue<Loss> queue(items, n_at_once, fits, options_.path.size() + 1, [&] {
            return std::make_unique<SmoothLabel<Loss>>(features_.columns.n_rows, features_.columns.n_cols,
                                                       features_.caller_order, targets_, start_, options_);
        });
        run<kWidest>(queue);
    }

  private:
    // Labels at once. More of them share a reading, but need more memory: each has some fifteen vectors of all
    // features.
    static constexpr int kWidest = 8;

    template <int kWidth>
    void run(LabelQueue<Loss>& queue) {
        if (queue.has_next() || 2 * queue.begun().size() > kWidth)
            LaneServer<Values, Loss, kWidth>(features_, options_).run(queue, stop_);
        if constexpr (kWidth > 1)
            if (!stop_ && !queue.begun().empty()) run<kWidth / 2>(queue);
    }

    const FeatureMatrix<Values>& features_;
    const BinaryTargets& targets_;
    const BinaryStart& start_;
    const SolverOptions& options_;
    const std::atomic<bool>& stop_;
};

}  // namespace

template <class Values, class Loss>
std::vector<BinaryFit> fit_smooth(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop) {
    std::vector<BinaryFit> fits(targets.y.n_cols * (options.path.size() + 1));
    share_out(options.n_threads, targets.y.n_cols, 1, [&](Items& items) {
        if (!stop) SmoothSolver<Values, Loss>(features, targets, start, options, stop).fit(items, fits);
    });
    return fits;
}

#define SETWISE_FIT_SMOOTH(Values, Loss)                                                                         \
    template std::vector<BinaryFit> fit_smooth<Values, Loss>(const FeatureMatrix<Values>&, const BinaryTargets&, \
                                                             const BinaryStart&, const SolverOptions&,           \
                                                             const std::atomic<bool>&)
SETWISE_FIT_SMOOTH(Ones, LogisticLoss);
SETWISE_FIT_SMOOTH(const float*, LogisticLoss);
SETWISE_FIT_SMOOTH(const double*, LogisticLoss);
SETWISE_FIT_SMOOTH(Ones, SquaredHinge);
SETWISE_FIT_SMOOTH(const float*, SquaredHinge);
SETWISE_FIT_SMOOTH(const double*, SquaredHinge);
#undef SETWISE_FIT_SMOOTH

}  // namespace setwise
