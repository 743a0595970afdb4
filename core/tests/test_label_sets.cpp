// Label sets are checked once, where they are laid out.
#include <stdexcept>

#include "setwise/label_sets.hpp"
#include "test_main.hpp"

using setwise::LabelSets;

TEST(sizes_and_columns) {
    const LabelSets sets(4, {0, 0, 3, 4}, {0, 1, 3, 2});
    CHECK(sets.n_sets() == 3 && sets.n_labels() == 4 && sets.largest_size() == 3 && sets.n_entries() == 4);
    const auto columns = sets.columns();
    CHECK(columns.n_cols == 3 && columns.n_rows == 4);
    CHECK(columns.count(0) == 0 && columns.count(1) == 3 && columns.indices[columns.begin(2)] == 2);
    CHECK(LabelSets(0, {0}, {}).n_sets() == 0);
}

TEST(broken_structures_are_refused) {
    CHECK_THROWS(LabelSets(3, {0, 1}, {3}), std::invalid_argument);
    CHECK_THROWS(LabelSets(3, {0, 1}, {-1}), std::invalid_argument);
    CHECK_THROWS(LabelSets(3, {0, 2}, {1, 0}), std::invalid_argument);
    CHECK_THROWS(LabelSets(3, {0, 2}, {1, 1}), std::invalid_argument);
    CHECK_THROWS(LabelSets(3, {0, 2}, {1}), std::invalid_argument);
    CHECK_THROWS(LabelSets(3, {0, 9, 2}, {0, 1}), std::invalid_argument);
    CHECK_THROWS(LabelSets(3, {}, {}), std::invalid_argument);
    CHECK_THROWS(LabelSets(-1, {0}, {}), std::invalid_argument);
}

TEST(permuted_labels_rise_again) {
    const std::vector<std::int32_t> order{2, 0, 3, 1};
    const auto placed = LabelSets(4, {0, 2, 2, 5}, {0, 1, 0, 2, 3}).permuted(order);
    const auto columns = placed.columns();
    const std::vector<std::int32_t> labels(columns.indices, columns.indices + columns.n_entries());
    CHECK(labels == (std::vector<std::int32_t>{1, 3, 0, 1, 2}));
    CHECK_THROWS(placed.permuted(std::vector<std::int32_t>{0, 1, 2}), std::invalid_argument);
    CHECK_THROWS(placed.permuted(std::vector<std::int32_t>{0, 1, 2, 2}), std::invalid_argument);
    CHECK_THROWS(placed.permuted(std::vector<std::int32_t>{0, 1, 2, 4}), std::invalid_argument);
}
