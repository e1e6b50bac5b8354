#pragma once

#include <atomic>
#include <dlfcn.h>

namespace latchkey::shim::preload {

/// The next definition of a replaced function: that of the C library or of another preloaded library. Used for waits
/// without a timeout, and for waits that the page does not control. Both remain unchanged.
template<typename Function>
class Next final
{
public:
    constexpr explicit Next(const char *name)
        : m_name(name)
    {}

    template<typename... Arguments>
    auto operator()(Arguments... arguments)
    {
        Function *function = m_function.load(std::memory_order_relaxed);
        if (function == nullptr) {
            function = reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, m_name));
            m_function.store(function, std::memory_order_relaxed);
        }
        return function(arguments...);
    }

private:
    const char *m_name;
    std::atomic<Function *> m_function {nullptr};
};

} // namespace latchkey::shim::preload
