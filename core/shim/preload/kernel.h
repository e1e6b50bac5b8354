#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <sys/syscall.h>
#include <type_traits>

#include <linux/futex.h>

#ifndef __x86_64__
#error Written and measured for x86-64 alone.
#endif

namespace latchkey::shim::preload { // NOLINT(modernize-concat-nested-namespaces): a header says its folder's.

/// System calls as the kernel has them. The library stands in front of the C library's functions, and cannot go through
/// what it stands in front of; nor is errno touched, which a signal handler would have to put back.
namespace kernel {

template<typename T>
[[nodiscard]] inline long word(T value)
{
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<long>(value);
    else
        return static_cast<long>(value);
}
[[nodiscard]] inline long word(std::nullptr_t)
{
    return 0;
}

[[nodiscard]] inline long raw(long number, long a, long b, long c, long d, long e, long f)
{
    // NOLINTBEGIN(misc-const-correctness): the instruction writes to the one; and the compiler is free to take a
    // constant for a value that need not be in its register.
    long result = 0;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    // NOLINTEND(misc-const-correctness)
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

/// The result, or minus the errno.
template<typename A = long, typename B = long, typename C = long, typename D = long, typename E = long,
         typename F = long>
[[nodiscard]] long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0)
{
    return raw(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

/// As the C library gives it: -1, and errno.
template<typename T = int>
[[nodiscard]] T asResult(long result)
{
    if (result >= 0)
        return static_cast<T>(result);
    errno = static_cast<int>(-result);
    return -1;
}

[[nodiscard]] inline int processId()
{
    return static_cast<int>(call(SYS_getpid));
}
[[nodiscard]] inline int threadId()
{
    return static_cast<int>(call(SYS_gettid));
}

} // namespace kernel

} // namespace latchkey::shim::preload
