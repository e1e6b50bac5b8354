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

/// Direct system calls. The library replaces functions of the C library and cannot call them for its own use. These
/// calls do not change errno, so signal handlers need not restore it.
namespace kernel {

/// Converts an argument to the register value that the kernel expects.
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
    // NOLINTBEGIN(misc-const-correctness): the instruction writes to the result. For a constant, the compiler might not
    // use the given register.
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

/// Makes a system call. Returns the result, or the negative errno.
template<typename A = long, typename B = long, typename C = long, typename D = long, typename E = long,
         typename F = long>
[[nodiscard]] long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0)
{
    return raw(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

/// Converts to the convention of the C library: -1, and errno is set.
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
