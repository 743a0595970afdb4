// Classifier chains at the door: probabilities of sets, beams, samples.
#include "setwise/chain.hpp"

#include <limits>

#include "arrays.hpp"
#include "parts.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();

// The feedback of a chain, checked once and kept alive: by giver, to labels after it.
class Chain {
  public:
    Chain(In<std::int64_t> indptr, In<std::int32_t> indices, In<double> values)
        : indptr_(indptr), indices_(indices), values_(values) {
        require(indptr.shape(0) >= 1 && indptr.shape(0) <= kMost, "indptr has the wrong length");
        const auto n_labels = static_cast<std::int32_t>(indptr.shape(0) - 1);
        check_compressed(indptr, indices, values.shape(0), n_labels, n_labels);
        for (std::int32_t l = 0; l < n_labels; ++l)
            require(indptr.data()[l] == indptr.data()[l + 1] || indices.data()[indptr.data()[l]] > l,
                    "feedback goes to later labels alone");
    }

    setwise::Feedback view() const {
        const auto n_labels = static_cast<std::int32_t>(indptr_.shape(0) - 1);
        return {n_labels, n_labels, indptr_.data(), indices_.data(), values_.data()};
    }

    setwise::ScoreRows check(const InMatrix<double>& scores) const {
        require(scores.shape(0) <= kMost && scores.shape(1) == indptr_.shape(0) - 1, "scores have the wrong shape");
        return {static_cast<std::int32_t>(scores.shape(0)), static_cast<std::int32_t>(scores.shape(1)), scores.data()};
    }

    setwise::SetRows check(const In<std::int64_t>& indptr, const In<std::int32_t>& indices) const {
        require(indptr.shape(0) >= 1 && indptr.shape(0) <= kMost, "indptr has the wrong length");
        const auto n_sets = static_cast<std::int32_t>(indptr.shape(0) - 1);
        check_compressed(indptr, indices, indices.shape(0), n_sets, view().n_cols);
        return {n_sets, indptr.data(), indices.data()};
    }

  private:
    In<std::int64_t> indptr_;
    In<std::int32_t> indices_;
    In<double> values_;
};

Out<double> log_prob(const Chain& chain, InMatrix<double> scores, In<std::int64_t> indptr, In<std::int32_t> indices,
                     int n_threads) {
    const auto rows = chain.check(scores);
    const auto sets = chain.check(indptr, indices);
    const Effort effort{times(10, scores.shape(0), indices.shape(0) + indptr.shape(0) + scores.shape(1)), n_threads};
    auto out = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_log_prob(chain.view(), rows, sets, threads, stop);
    });
    return give(std::move(out), {scores.shape(0), indptr.shape(0) - 1});
}

Out<double> log_prob_each(const Chain& chain, InMatrix<double> scores, In<std::int64_t> indptr,
                          In<std::int32_t> indices, In<std::int32_t> document, int n_threads) {
    const auto rows = chain.check(scores);
    const auto sets = chain.check(indptr, indices);
    require(document.shape(0) == indptr.shape(0) - 1, "document has the wrong length");
    for (std::size_t k = 0; k < document.shape(0); ++k)
        require(document.data()[k] >= 0 && document.data()[k] < rows.n_rows, "document is out of range");
    const Effort effort{times(20, indptr.shape(0), scores.shape(1)), n_threads};
    return give(run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_log_prob_each(chain.view(), rows, sets, document.data(), threads, stop);
    }));
}

nb::tuple beams(const Chain& chain, InMatrix<double> scores, std::int32_t width, int n_threads) {
    const auto rows = chain.check(scores);
    require(width >= 1, "width must be positive");
    const Effort effort{times(20, scores.shape(0), scores.shape(1), width), n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_beams(chain.view(), rows, width, threads, stop);
    });
    return nb::make_tuple(give(std::move(found.first)), give(std::move(found.indptr)), give(std::move(found.indices)),
                          give(std::move(found.pruned)));
}

nb::tuple samples(const Chain& chain, In<double> score, InMatrix<double> uniform) {
    const auto n_labels = static_cast<std::size_t>(chain.view().n_cols);
    require(score.shape(0) == n_labels && uniform.shape(1) == n_labels && uniform.shape(0) <= kMost,
            "score or uniform has the wrong shape");
    setwise::Samples drawn;
    {
        nb::gil_scoped_release unlocked;
        drawn = setwise::chain_samples(chain.view(), score.data(), static_cast<std::int32_t>(uniform.shape(0)),
                                       uniform.data());
    }
    return nb::make_tuple(give(std::move(drawn.indptr)), give(std::move(drawn.indices)));
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<Chain>(m, "Chain")
        .def(nb::init<In<std::int64_t>, In<std::int32_t>, In<double>>(), "indptr"_a, "indices"_a, "values"_a)
        .def("log_prob", &log_prob, "scores"_a, "indptr"_a, "indices"_a, "n_threads"_a)
        .def("log_prob_each", &log_prob_each, "scores"_a, "indptr"_a, "indices"_a, "document"_a, "n_threads"_a)
        .def("beams", &beams, "scores"_a, "width"_a, "n_threads"_a)
        .def("samples", &samples, "score"_a, "uniform"_a);
}

}  // namespace setwise::door
