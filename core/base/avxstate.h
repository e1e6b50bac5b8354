#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace latchkey::base {

/// Tells the processor that the upper halves of its vector registers hold nothing.
///
/// Code that has used them should say so itself before it returns. The seeded hash of strings and byte arrays that
/// QHash uses does not, where the processor has VAES (seen in Debian 12's Qt 6.4.2), and with glibc's memcpy() for
/// AVX-512 nobody else soon does. From the first such hash on, SSE instructions are slower, which is all there is in
/// code built for any x86-64: a scan of a million keys took 1.4 times the processor's time.
/// One cheap instruction, for the beginning of what is done very often; nothing at all on other processors.
inline void leaveAvxState()
{
#if defined(__AVX__)
    _mm256_zeroupper(); // Debian's libraries are SSE code, however this was built.
#elif defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        asm volatile("vzeroupper"); // In code that knows no AVX nothing lives where this writes.
#endif
}

} // namespace latchkey::base
