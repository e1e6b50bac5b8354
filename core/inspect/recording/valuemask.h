#pragma once

#include "core/foundation/base/random.h"
#include "core/inspect/recognition/recognition.h"
#include "core/keyspace/keys/fielddeadlines.h"
#include "core/keyspace/keys/rawvalue.h"

namespace latchkey::recording {

/// A mask that replaces values by digests. Equal bytes have equal digests, and a digest reveals nothing else. The
/// digests are keyed with a secret that is discarded with this object, so that values cannot be found by guessing.
/// Owned by a Recorder.
class ValueMask final
{
public:
    explicit ValueMask(base::RandomSource &random);

    [[nodiscard]] QByteArray digest(const QByteArray &bytes) const;
    [[nodiscard]] keys::RawValue masked(const keys::RawValue &value) const;
    /// Masks the names of the fields, because they are part of the value. Keeps the ends.
    [[nodiscard]] keys::FieldDeadlines masked(const keys::FieldDeadlines &ends) const;
    /// Replaces holders and waiters by digests, and removes all other data that identifies them, such as hosts and
    /// process IDs. Removes the requests.
    [[nodiscard]] recognition::Recognition masked(recognition::Recognition recognition) const;

private:
    QByteArray m_secret;
};

} // namespace latchkey::recording
