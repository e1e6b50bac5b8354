#pragma once

#include "core/playground/scenarios/resource.h"
#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// The content of a key on a server, as just read.
struct ObservedKey
{
    base::Key key;
    int server = 0;
    std::optional<int> replica {}; ///< Replica of that server; absent: the server itself.
    bool exists = false;
    std::optional<std::chrono::milliseconds> left; ///< Remaining TTL; absent: no TTL, or no key.
    std::optional<QByteArray> value;               ///< Value of a string.
    std::map<QByteArray, QByteArray> fields;       ///< Fields of a hash.

    /// Returns a description for users: `holds "x", with 4980 ms left`.
    [[nodiscard]] base::Text toText() const;
};

/// The observed state that an expectation is compared with.
struct ObservedState
{
    QString outcome;                 ///< Outcome of the step; empty if there was no answer.
    playground::ClientReport report; ///< Report that answered the step.
    QString lastCommand;             ///< Last command of the step's client, which got lastReply; empty: none.
    QString lastReply;
    QStringList inside;
    std::map<QString, bool> believes;
    std::map<QString, base::OwnerToken> tokens; ///< Token of each client's last lock.
    std::vector<ObservedKey> keys;
    const Resource *resource = nullptr; ///< Not owned.
    int recomputed = 0;
};

/// Compares the state with the expectation. Returns one sentence for each difference; empty if all expectations are
/// met.
[[nodiscard]] QList<base::Text> differences(const StepExpectation &expected, const ObservedState &observed);

} // namespace latchkey::scenarios
