#pragma once

namespace latchkey::base {

/// Tells the processor that the upper halves of its vector registers hold nothing.
///
/// Code that has used them should say so itself before it returns. Qt's hash of strings longer than 16 bytes does not
/// where the processor has VAES (seen in 6.4), and glibc's memcpy() for AVX-512, which uses other registers, has
/// nothing to say. From the first such hash on everything that was built for any x86-64, which is all of Debian, runs
/// slower until somebody does: a scan of a million keys took 1.4 times the processor's time. One cheap instruction; for
/// the beginning of what is done very often. Nothing at all on other processors.
inline void leaveAvxState()
{
#if defined(__x86_64__) && !defined(__AVX__)
    if (__builtin_cpu_supports("avx"))
        asm volatile("vzeroupper"); // In code that knows no AVX nothing lives where this writes.
#endif
}

} // namespace latchkey::base
