#pragma once

#include "app/cli/lscolumns.h"
#include "core/inspect/findings/finding.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/keys/fieldends.h"
#include "core/keyspace/keys/key.h"

#include <QJsonObject>

namespace latchkey::cli {

/// One row of ls: a key, its recognition and its findings, as a row of the table or as JSON. A value type.
struct LsRow
{
    keys::KeyRecord record;
    const keys::FieldEnds *fieldEnds = nullptr; ///< Null without expiring fields. Not owned.
    recognition::KeySample sample;              ///< What was read to recognise the key; empty without a value.
    recognition::Recognition recognition;
    std::vector<findings::Finding> findings;

    /// Takes the value that was read to recognise the key.
    void takeSample(const keys::RawValue &value, base::MonotonicTime now);
    /// now: the time for which the times left are calculated.
    [[nodiscard]] LsCells toCells(base::MonotonicTime now) const;
    [[nodiscard]] QJsonObject toJson(const recognition::Dialects &dialects, base::MonotonicTime now) const;

private:
    [[nodiscard]] QString leftText(base::MonotonicTime now) const;
};

} // namespace latchkey::cli
