#pragma once

#include "core/explore/shim/preload/kernel.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>

// Files below /proc, read without the C library's allocations.

namespace latchkey::shim::preload {

/// A path below /proc.
class ProcPath final
{
public:
    /// Appends a text or a number. The whole path has at most 127 characters.
    ProcPath &operator<<(const char *text)
    {
        while (*text != '\0' && m_length + 1 < m_text.size())
            m_text[m_length++] = *text++;
        return *this;
    }
    ProcPath &operator<<(std::uint64_t number)
    {
        if (number >= 10)
            *this << number / 10;
        const char digit[] = {static_cast<char>('0' + number % 10), '\0'};
        return *this << digit;
    }
    [[nodiscard]] const char *text() const { return m_text.data(); }

private:
    std::array<char, 128> m_text {};
    std::size_t m_length = 0;
};

/// The lines of a file. A line of more than 4095 characters is divided.
class ProcLines final
{
public:
    explicit ProcLines(const char *path)
        : m_file(static_cast<int>(kernel::call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC)))
    {}
    ProcLines(const ProcLines &) = delete;
    ProcLines &operator=(const ProcLines &) = delete;
    ~ProcLines()
    {
        if (m_file >= 0)
            (void)kernel::call(SYS_close, m_file);
    }

    [[nodiscard]] bool isOpen() const { return m_file >= 0; }
    [[nodiscard]] int descriptor() const { return m_file; }
    /// Returns the next line, valid until the next call; null at the end.
    [[nodiscard]] char *next()
    {
        for (;;) {
            char *const begin = m_text.data() + m_begin;
            if (auto *const end = static_cast<char *>(std::memchr(begin, '\n', m_end - m_begin))) {
                *end = '\0';
                m_begin = static_cast<std::size_t>(end + 1 - m_text.data());
                return begin;
            }
            std::memmove(m_text.data(), begin, m_end - m_begin);
            m_end -= m_begin;
            m_begin = 0;
            const std::size_t space = m_text.size() - 1 - m_end;
            const long count = space == 0 ? 0 : kernel::call(SYS_read, m_file, m_text.data() + m_end, space);
            if (count <= 0 && m_end == 0)
                return nullptr;
            if (count <= 0)
                m_text[m_end++] = '\n'; // The end of a divided line or of the file.
            else
                m_end += static_cast<std::size_t>(count);
        }
    }

private:
    const int m_file;
    std::array<char, 4096> m_text {};
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
};

/// Calls act(number, folder) for each entry of a folder whose name is a number, such as /proc/self/fd, until it returns
/// false. `folder`: the descriptor of the folder. Returns false if act() did or if the folder cannot be read.
template<typename Act>
[[nodiscard]] bool forEachNumber(const char *path, Act act)
{
    struct Entry // The kernel's.
    {
        std::uint64_t inode;
        std::int64_t offset;
        std::uint16_t length;
        std::uint8_t type;
        char name[1];
    };
    const auto folder = static_cast<int>(kernel::call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0)
        return false;
    alignas(Entry) std::array<char, 2048> entries {};
    bool isFine = true;
    for (long count = 0;
         isFine && (count = kernel::call(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
        for (long at = 0; isFine && at < count;) {
            const auto *const entry = reinterpret_cast<const Entry *>(entries.data() + at);
            at += entry->length;
            const char *const name = entries.data() + (reinterpret_cast<const char *>(&entry->name) - entries.data());
            isFine = name[0] == '.' || act(static_cast<int>(std::strtol(name, nullptr, 10)), folder);
        }
    }
    (void)kernel::call(SYS_close, folder);
    return isFine;
}

} // namespace latchkey::shim::preload
