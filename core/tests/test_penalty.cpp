// The elastic net on one coordinate, against searches over a grid.
#include "setwise/penalty.hpp"
#include "test_main.hpp"

using setwise::ElasticNet;

TEST(value_is_the_printed_formula_without_a_half) {
    const ElasticNet penalty(0.5, 0.2);
    CHECK_NEAR(penalty.value(3.0), 0.5 * (0.2 * 3.0 + 0.8 * 9.0), 1e-15);
    CHECK_NEAR(penalty.value(-3.0), penalty.value(3.0), 0.0);
    CHECK(penalty.value(0.0) == 0.0);
}

TEST(minimiser_is_the_best_point_of_a_grid) {
    for (double strength : {0.0, 0.3, 2.0})
        for (double l1_ratio : {0.0, 0.5, 1.0})
            for (double v : {-1.5, 0.0, 0.7})
                for (double gradient : {-2.0, -0.1, 0.0, 0.4, 3.0})
                    for (double curvature : {0.5, 1.0, 4.0}) {
                        const ElasticNet penalty(strength, l1_ratio);
                        double best = 0.0, least = INFINITY;
                        for (int k = -8000; k <= 8000; ++k) {
                            const double u = k * 1e-3, step = u - v;
                            const double cost = gradient * step + 0.5 * curvature * step * step + penalty.value(u);
                            if (cost < least) {
                                least = cost;
                                best = u;
                            }
                        }
                        CHECK_NEAR(penalty.minimiser(v, gradient, curvature), best, 1e-3);
                    }
}

TEST(without_curvature_the_l1_part_decides) {
    const ElasticNet penalty(1.0, 1.0);
    CHECK(penalty.minimiser(5.0, 0.0, 0.0) == 0.0);
    CHECK(penalty.minimiser(-5.0, 0.9, 0.0) == 0.0);
    CHECK(penalty.minimiser(5.0, -1.5, 0.0) == 5.0);  // the lower the further away: no minimum
    CHECK(ElasticNet(0.0, 1.0).minimiser(5.0, 0.0, 0.0) == 5.0);
    CHECK(ElasticNet(1.0, 0.5).minimiser(5.0, 0.0, 0.0) == 0.0);
}

// Of f(u) = curvature / 2 (u - centre)^2 + value(u).
TEST(violation_is_zero_at_the_optimum_and_grows_away_from_it) {
    for (double strength : {0.0, 0.3, 2.0})
        for (double l1_ratio : {0.0, 0.5, 1.0})
            for (double centre : {-3.0, -0.2, 0.0, 0.5, 2.0})
                for (double curvature : {0.5, 1.0, 4.0}) {
                    const ElasticNet penalty(strength, l1_ratio);
                    const double best = penalty.minimiser(centre, 0.0, curvature);
                    const auto violation = [&](double u) { return penalty.violation(u, curvature * (u - centre)); };
                    CHECK_NEAR(violation(best), 0.0, 1e-14);
                    for (double away : {-1.0, -1e-3, 1e-3, 1.0})
                        CHECK(violation(best + away) >= 0.999 * curvature * std::abs(away));
                }
}

TEST(weights_that_should_be_zero_are_exactly_zero) {
    const ElasticNet penalty(1.0, 1.0);
    CHECK(penalty.minimiser(0.1, 0.2, 1.0) == 0.0);
    CHECK(penalty.minimiser(-0.1, -1.1, 1.0) == 0.0);
    CHECK(penalty.minimiser(0.0, 1.0, 1.0) == 0.0);
    CHECK(penalty.minimiser(0.0, 1.5, 1.0) == -0.5);
}
