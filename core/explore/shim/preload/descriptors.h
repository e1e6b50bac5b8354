#pragma once

#include "core/explore/shim/preload/processstate.h"

#include <array>
#include <cstdint>

// The open descriptors of a process that forks others, and their replacements in a forked process: a forked descriptor
// shares its state with that of the other process.

namespace latchkey::shim::preload {

/// The open descriptors of this process that a forked process needs anew.
class Descriptors final
{
public:
    /// The permitted descriptors of a process: files for reading, or also the objects of an event loop.
    enum class Kinds : std::uint8_t { Files, EventLoops };

    /// Notes all descriptors. Returns false if a forked process could not have the same ones, independent of those of
    /// this process. `control`: a descriptor that is not noted.
    [[nodiscard]] bool note(const ProcessState &here, int control, Kinds kinds);
    /// Opens the descriptors anew, in a forked process. `output`: the pipe for standard output and standard error.
    /// Returns false if the system refuses it.
    [[nodiscard]] bool renew(int output) const;

private:
    enum class Kind : std::uint8_t { File, Pipe, EventCount, EventSet };

    struct Descriptor
    {
        int number = -1;
        Kind kind = Kind::File;
        int flags = 0; ///< Including the access mode.
        bool closesOnExec = false;
        std::uint64_t inode = 0;
        std::int64_t state = 0; ///< Position of a file, or value of an event count.
    };

    /// An element of an event set.
    struct Watched
    {
        int set = -1;
        int number = -1;
        std::uint32_t events = 0;
        std::uint64_t data = 0;
    };

    [[nodiscard]] bool add(int number, std::uint64_t inode, std::uint32_t mode, Kinds kinds);
    [[nodiscard]] bool addObject(Descriptor &descriptor, std::uint32_t mode);
    [[nodiscard]] bool addWatched(int set);
    [[nodiscard]] bool hasBothEnds(const Descriptor &pipe) const;
    [[nodiscard]] bool areNotedCompletely() const;
    [[nodiscard]] bool replace(long own, const Descriptor &by) const;
    [[nodiscard]] bool renew(const Descriptor &descriptor) const;
    [[nodiscard]] bool renewPipe(const Descriptor &end) const;

    std::array<Descriptor, 64> m_descriptors {};
    std::size_t m_count = 0;
    std::array<Watched, 64> m_watched {};
    std::size_t m_watchedCount = 0;
    int m_outputFlags = 0;
};

} // namespace latchkey::shim::preload
