#pragma once

#include "core/stage/resource.h"
#include "core/stage/toldstory.h"

namespace latchkey::stage {

/// What a server holds under a key, as it was just read.
struct KeySeen
{
    base::Key key;
    int server = 0;
    bool exists = false;
    std::optional<std::chrono::milliseconds> left; ///< Absent: it has no lifetime, or is not there.
    std::optional<QByteArray> value;               ///< Of a string.
    std::map<QByteArray, QByteArray> fields;       ///< Of a hash.

    /// `exists, 4,980 ms left, holds "x"`, for people.
    [[nodiscard]] base::Text toText() const;
};

/// All that an expectation can be held against.
struct Scene
{
    QString outcome;                 ///< Of the step; empty where nothing was answered.
    playground::ClientReport report; ///< That answered it.
    QString lastCommand;             ///< That the step's client sent, with its reply; empty: none.
    QString lastReply;
    QStringList inside;
    std::map<QString, bool> believes;
    std::map<QString, base::OwnerToken> tokens; ///< What each client got with its last lock.
    std::vector<KeySeen> keys;
    const Resource *resource = nullptr; ///< Not owned.
    int recomputed = 0;
};

/// What is not as it is expected to be, a sentence each; none: all is.
[[nodiscard]] QList<base::Text> differences(const Expectation &expected, const Scene &scene);

} // namespace latchkey::stage
