#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace latchkey::base {

/// Clears the upper halves of the processor's vector registers (VZEROUPPER).
///
/// Code that uses AVX registers should execute VZEROUPPER before it returns. Qt's seeded hash of strings and byte
/// arrays does not, on processors with VAES (seen in Qt 6.4.2 of Debian 12). If glibc uses its memcpy() for AVX-512, no
/// other code clears the registers soon afterwards. SSE instructions then stay slower, and code built for any x86-64
/// uses only SSE: a scan of a million keys took 1.4 times the CPU time. Call this function at the beginning of very
/// frequent work: it is one cheap instruction, and does nothing on processors without AVX.
inline void leaveAvxState()
{
#if defined(__AVX__)
    _mm256_zeroupper(); // Debian's libraries are SSE code, whatever the options of this build.
#elif defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        asm volatile("vzeroupper"); // Code built without AVX keeps no data in these halves.
#endif
}

} // namespace latchkey::base
