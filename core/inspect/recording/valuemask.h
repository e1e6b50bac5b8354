#pragma once

#include "core/foundation/base/random.h"
#include "core/inspect/recognition/recognition.h"
#include "core/keyspace/keys/fieldends.h"
#include "core/keyspace/keys/rawvalue.h"

namespace latchkey::recording {

/// Replaces values by digests. Equal bytes have equal digests, and a digest shows nothing else. The digests are keyed
/// with a secret that is discarded with this object, so that values cannot be guessed by trial. Owned by a Recorder.
class ValueMask final
{
public:
    explicit ValueMask(base::RandomSource &random);

    [[nodiscard]] QByteArray digest(const QByteArray &bytes) const;
    [[nodiscard]] keys::RawValue masked(const keys::RawValue &value) const;
    /// Keeps the ends of the fields; the names of the fields are masked, because they are part of the value.
    [[nodiscard]] keys::FieldEnds masked(const keys::FieldEnds &ends) const;
    /// Replaces holders and waiters by digests, and removes all other data that identifies them, such as hosts and
    /// process IDs. Removes the questions.
    [[nodiscard]] recognition::Recognition masked(recognition::Recognition recognition) const;

private:
    QByteArray m_secret;
};

} // namespace latchkey::recording
