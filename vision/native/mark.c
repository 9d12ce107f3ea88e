/* Which sources the library was built from (the compiler is told their number), and what this processor can run. */

#include <stdint.h>

uint32_t mark(void)
{
    return MARK;
}

/* Whether the processor runs what was compiled with -mavx2 -mfma -mbmi -mbmi2. */
int runs_avx2(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}
