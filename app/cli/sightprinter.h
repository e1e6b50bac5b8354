#pragma once

#include "core/keyspace/watcher.h"

#include <QSet>

#include <functional>

namespace latchkey::cli {

/// The lines of `watch` about its own sight: `blind` when nothing is seen any more, with the reason, and `sees` when
/// the server answers again; on standard error, once each, what else is missing. Owned by the command; watcher and
/// clock are not owned.
class SightPrinter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SightPrinter)

public:
    /// printed: called after each line.
    SightPrinter(const keyspace::Watcher &watcher, const base::Clock &clock, bool json, std::function<void()> printed);

    /// Says at the end that nothing is seen, if so.
    void sayLast();

private:
    void look();
    void sayDenials();
    void print(const char *event, const keyspace::Coverage::Blindness &blindness);

    const keyspace::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;         // Not owned.
    const bool m_json;
    const std::function<void()> m_printed;
    std::optional<keyspace::Coverage::Blindness> m_blindness; ///< The one that goes on.
    QSet<QString> m_said;                                     ///< Denials.
};

} // namespace latchkey::cli
