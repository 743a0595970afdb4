// Choice of instruction set at run time: what is shipped runs on any x86-64, and uses AVX2 where the machine has it.
//
// A kernel is written once, as a function marked SETWISE_INLINE, and called as dispatch<kernel>(arguments...): that
// compiles it twice, for AVX2 and for every machine, and runs the one that suits. Only kernels are compiled for AVX2,
// so no library code ever is.
#pragma once

#include <utility>

#define SETWISE_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__) && defined(__GNUC__)
#define SETWISE_HAS_AVX2_PATH 1
#define SETWISE_TARGET_AVX2 [[gnu::target("avx2,fma")]]
#else
#define SETWISE_HAS_AVX2_PATH 0
#define SETWISE_TARGET_AVX2
#endif

namespace setwise {

inline bool machine_has_avx2() {
#if SETWISE_HAS_AVX2_PATH
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
#else
    return false;
#endif
}

namespace detail {

template <auto kernel>
struct Dispatched;

template <class Result, class... Args, Result (*kernel)(Args...)>
struct Dispatched<kernel> {
    SETWISE_TARGET_AVX2 static Result with_avx2(Args... args) { return kernel(std::forward<Args>(args)...); }
    static Result run(Args... args) {
        if (machine_has_avx2()) return with_avx2(std::forward<Args>(args)...);
        return kernel(std::forward<Args>(args)...);
    }
};

}  // namespace detail

template <auto kernel, class... Args>
SETWISE_INLINE decltype(auto) dispatch(Args&&... args) {
    return detail::Dispatched<kernel>::run(std::forward<Args>(args)...);
}

}  // namespace setwise
