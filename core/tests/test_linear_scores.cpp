// Scores against plain sums: features with many weights, with few and with none, in documents of any order.
#include <atomic>
#include <random>

#include "setwise/linear_scores.hpp"
#include "test_main.hpp"

namespace {

const std::atomic<bool> kGoOn{false};

struct RandomScores {
    std::int32_t n_features = 40, n_labels, n_documents = 150;
    std::vector<std::int64_t> indptr{0}, document_indptr{0};
    std::vector<std::int32_t> indices, document_indices;
    std::vector<double> values, intercept, x;

    explicit RandomScores(std::int32_t labels) : n_labels(labels) {
        std::mt19937_64 random(labels);
        std::normal_distribution<double> normal;
        for (std::int32_t l = 0; l < n_labels; ++l) {
            for (std::int32_t j = n_features - 1; j >= 0; --j) {
                if (static_cast<std::int32_t>(random() % 40) < j) continue;  // from all labels to almost none
                for (int times = random() % 9 == 0 ? 2 : 1; times > 0; --times) {
                    indices.push_back(j);
                    values.push_back(normal(random));
                }
            }
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
            intercept.push_back(normal(random));
        }
        for (std::int32_t i = 0; i < n_documents; ++i) {
            for (std::uint64_t k = random() % 30; k > 0; --k) {
                document_indices.push_back(static_cast<std::int32_t>(random() % 40));
                x.push_back(normal(random));
            }
            document_indptr.push_back(static_cast<std::int64_t>(document_indices.size()));
        }
    }

    std::vector<double> scores(std::int32_t first, std::int32_t n) const {
        const setwise::LinearWeights weights({n_features, n_labels, indptr.data(), indices.data(), values.data()},
                                             intercept);
        std::vector<std::int64_t> starts(document_indptr.begin() + first, document_indptr.begin() + first + n + 1);
        const std::int64_t begin = starts.front();
        for (std::int64_t& start : starts) start -= begin;
        std::vector<double> out(static_cast<std::size_t>(n) * n_labels);
        setwise::linear_scores(weights,
                               setwise::Columns<const double*>{n_features, n, starts.data(),
                                                               document_indices.data() + begin, x.data() + begin},
                               kGoOn, out.data());
        return out;
    }

    double expected(std::int32_t i, std::int32_t l) const {
        long double sum = intercept[l];
        for (std::int64_t e = document_indptr[i]; e < document_indptr[i + 1]; ++e)
            for (std::int64_t w = indptr[l]; w < indptr[l + 1]; ++w)
                if (indices[w] == document_indices[e]) sum += static_cast<long double>(x[e]) * values[w];
        return static_cast<double>(sum);
    }
};

}  // namespace

TEST(scores_are_plain_sums) {
    for (const std::int32_t n_labels : {1, 2, 15, 16, 17, 48, 50, 130}) {
        const RandomScores random(n_labels);
        const auto found = random.scores(0, random.n_documents);
        for (std::int32_t i = 0; i < random.n_documents; ++i)
            for (std::int32_t l = 0; l < n_labels; ++l)
                CHECK_NEAR(found[static_cast<std::size_t>(i) * n_labels + l], random.expected(i, l), 1e-12);
    }
}

TEST(other_documents_change_no_bit) {
    const RandomScores random(70);
    const auto together = random.scores(0, random.n_documents);
    for (const std::int32_t i : {0, 63, 64, 149}) {
        const auto alone = random.scores(i, 1);
        for (std::int32_t l = 0; l < 70; ++l) CHECK(alone[l] == together[static_cast<std::size_t>(i) * 70 + l]);
    }
}

TEST(no_features_and_no_documents) {
    const RandomScores random(5);
    CHECK(random.scores(3, 0).empty());
    const std::vector<std::int64_t> none{0, 0}, nothing{0};
    const setwise::LinearWeights weights({4, 1, none.data(), nullptr, nullptr}, {0.5});
    double out = 0.0;
    setwise::linear_scores(weights, setwise::Columns<const double*>{4, 1, none.data(), nullptr, nullptr}, kGoOn, &out);
    CHECK_NEAR(out, 0.5, 0.0);
}
