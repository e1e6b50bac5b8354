#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace latchkey::base {

/// Tells the processor that the upper halves of its vector registers are empty.
///
/// Code that has used them should do this itself before it returns. The seeded hash of strings and byte arrays that
/// QHash uses does not, if the processor has VAES (seen in Qt 6.4.2 of Debian 12). With glibc's memcpy() for AVX-512,
/// no other code does it soon after. From the first such hash on, SSE instructions are slower, and code built for any
/// x86-64 has only those: a scan of a million keys took 1.4 times the CPU time. One cheap instruction, for the
/// beginning of very frequent work; does nothing on other processors.
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
