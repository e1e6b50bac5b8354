#pragma once

#include "app/cli/lscolumns.h"
#include "core/inspect/findings/finding.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/keys/fielddeadlines.h"
#include "core/keyspace/keys/key.h"

#include <QJsonObject>

namespace latchkey::cli {

/// One row of ls: a key, its recognition and its findings, as a row of the table or as JSON. A value type.
struct LsRow
{
    keys::KeyRecord record;
    const keys::FieldDeadlines *fieldEnds = nullptr; ///< Null without expiring fields. Not owned.
    recognition::KeySample sample; ///< Data that was read to recognise the key; empty without a value.
    recognition::Recognition recognition;
    std::vector<findings::Finding> findings;
    bool isExpiryUnknown = false; ///< Whether the server refused to report the expiry.

    /// Stores the value that was read to recognise the key.
    void setSample(const keys::RawValue &value, base::MonotonicTime now);
    /// Returns the cells of the table. `now`: time for which the remaining times are calculated.
    [[nodiscard]] LsCells toCells(base::MonotonicTime now) const;
    [[nodiscard]] QJsonObject toJson(const recognition::Dialects &dialects, base::MonotonicTime now) const;

private:
    [[nodiscard]] QString leftText(base::MonotonicTime now) const;
};

} // namespace latchkey::cli
