// Choice of instruction set at run time: what is shipped runs on any x86-64, and uses AVX2 where the machine has it.
//
// A kernel is written once as an always-inlined body; SETWISE_TARGET_AVX2 marks the wrapper that compiles that body
// for AVX2. Only such leaf kernels carry the attribute, so no library code is ever compiled for the newer set.
#pragma once

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

}  // namespace setwise
