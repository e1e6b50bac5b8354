#pragma once

#include "core/foundation/base/clock.h"
#include "core/keyspace/events/coverage.h"
#include "core/keyspace/keys/endedkeylog.h"

#include <QCoreApplication>
#include <QString>

namespace latchkey::ui::inspector {

/// The texts about keys that have ended.
struct EndedText
{
    Q_DECLARE_TR_FUNCTIONS(EndedText)

public:
    /// Returns the time of the end: the time at which the key was known to be absent, or the interval of the end if the
    /// server was not seen meanwhile.
    [[nodiscard]] static QString time(const keys::EndedKey &ended, const base::Clock &clock);
    /// Returns the key in one line, or the number of keys that were flushed together.
    [[nodiscard]] static QString key(const keys::EndedKey &ended);
    [[nodiscard]] static QString ending(const keys::EndedKey &ended);
    /// Returns the lateness; with "≤" if only an upper bound is known. Empty for a key that did not reach its deadline.
    [[nodiscard]] static QString late(const keys::EndedKey &ended);

    struct Source
    {
        QString name;
        QString explanation;
    };
    [[nodiscard]] static Source source(const keys::EndedKey &ended, const base::Clock &clock);

    /// The part of the last hour that the record covers.
    struct RecordedPeriod
    {
        base::MonotonicTime since;               ///< Start of the watching.
        bool hasChangeEvents = false;            ///< Whether the server reports changes.
        bool isIncomplete = false;               ///< Whether the server has keys that are unknown.
        std::vector<events::Coverage::Gap> gaps; ///< Gaps in the observation or in the change events.
    };
    /// Returns sentences about the period of the record, and about the gaps in it.
    [[nodiscard]] static QString coverageText(const keys::EndedKeyLog &ended, const RecordedPeriod &period,
                                              const base::Clock &clock);
};

} // namespace latchkey::ui::inspector
