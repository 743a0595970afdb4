// Elementary functions that vectorise: branch free, inlined into the loops that use them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "setwise/dispatch.hpp"

namespace setwise {

// Documents that kernels over sets take side by side.
constexpr std::int32_t kDocumentLanes = 8;

// Half of the lanes, wherever they stand: in one register where the machine has one as wide.
using HalfLanes
    [[gnu::vector_size(kDocumentLanes / 2 * sizeof(double)), gnu::may_alias, gnu::aligned(alignof(double))]] = double;

// exp(x) for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, then a Taylor polynomial whose first left-out term is below
// 5e-18. Below -708 the answer is held at exp(-708), about 3e-308.
SETWISE_INLINE double exp_of_negative(double x) {
    constexpr double kLowest = -708.0;
    constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer kept in the low bits
    constexpr double kLog2E = 1.4426950408889634074;
    constexpr double kLn2High = 6.93147180369123816490e-01;
    constexpr double kLn2Low = 1.90821492927058770002e-10;
    x = x < kLowest ? kLowest : x;
    const double shifted = x * kLog2E + kRounder;
    const double k = shifted - kRounder;
    const double r = (x - k * kLn2High) - k * kLn2Low;
    double poly = 1.0 / 6227020800.0;
    poly = poly * r + 1.0 / 479001600.0;
    poly = poly * r + 1.0 / 39916800.0;
    poly = poly * r + 1.0 / 3628800.0;
    poly = poly * r + 1.0 / 362880.0;
    poly = poly * r + 1.0 / 40320.0;
    poly = poly * r + 1.0 / 5040.0;
    poly = poly * r + 1.0 / 720.0;
    poly = poly * r + 1.0 / 120.0;
    poly = poly * r + 1.0 / 24.0;
    poly = poly * r + 1.0 / 6.0;
    poly = poly * r + 0.5;
    poly = poly * r + 1.0;
    poly = poly * r + 1.0;
    const auto power_of_two = std::bit_cast<double>((std::bit_cast<std::int64_t>(shifted) + 1023) << 52);
    return poly * power_of_two;
}

// log(1 + e) for e in [0, 1] by the series of atanh: with m = 1 + e, log m = 2 atanh((m - 1) / (m + 1)). Above sqrt(2)
// the argument is halved first, so |s| <= 0.172 and eleven terms reach full precision.
SETWISE_INLINE double log1p_of_unit(double e) {
    constexpr double kSqrt2Minus1 = 0.41421356237309504880;
    constexpr double kLn2 = 0.69314718055994530942;
    const bool upper = e > kSqrt2Minus1;
    const double s = upper ? (e - 1.0) / (e + 3.0) : e / (e + 2.0);
    const double t = s * s;
    double series = 1.0 / 21.0;
    series = series * t + 1.0 / 19.0;
    series = series * t + 1.0 / 17.0;
    series = series * t + 1.0 / 15.0;
    series = series * t + 1.0 / 13.0;
    series = series * t + 1.0 / 11.0;
    series = series * t + 1.0 / 9.0;
    series = series * t + 1.0 / 7.0;
    series = series * t + 1.0 / 5.0;
    series = series * t + 1.0 / 3.0;
    series = series * t + 1.0;
    return 2.0 * s * series + (upper ? kLn2 : 0.0);
}

// log x for x > 0 that is neither infinite nor below the normal numbers: x = 2^k m with m in [1, 2).
SETWISE_INLINE double log_of_normal(double x) {
    constexpr double kLn2 = 0.69314718055994530942;
    constexpr std::uint64_t kMantissa = 0x000fffffffffffffu, kOne = 0x3ff0000000000000u;
    constexpr std::uint64_t kTwo52 = 0x4330000000000000u;  // 2^52 as bits: an integer in its mantissa is added to it
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const double exponent = std::bit_cast<double>((bits >> 52) | kTwo52) - (4503599627370496.0 + 1023.0);
    return exponent * kLn2 + log1p_of_unit(std::bit_cast<double>((bits & kMantissa) | kOne) - 1.0);
}

// log(1 + e^z), which neither overflows nor cancels.
SETWISE_INLINE double softplus(double z) {
    return log1p_of_unit(exp_of_negative(-std::abs(z))) + (z > 0.0 ? z : 0.0);
}

}  // namespace setwise
