#pragma once

#include "core/base/random.h"
#include "core/keys/fieldends.h"
#include "core/keys/rawvalue.h"
#include "core/recognition/recognition.h"

namespace latchkey::recording {

/// Puts digests in the place of values: the same one for the same bytes, so that a value can be told from another, and
/// nothing else. They are keyed with a secret that is thrown away with this, so that nobody can try out what they are
/// of.
/// Owned by a Recorder.
class ValueMask final
{
public:
    explicit ValueMask(base::RandomSource &random);

    [[nodiscard]] QByteArray digest(const QByteArray &bytes) const;
    [[nodiscard]] keys::RawValue masked(const keys::RawValue &value) const;
    /// When fields end stays; their names are part of the value.
    [[nodiscard]] keys::FieldEnds masked(const keys::FieldEnds &ends) const;
    /// Only digests of who has the lock and who waits for it, and no machine, process or connection.
    [[nodiscard]] recognition::Recognition masked(recognition::Recognition recognition) const;

private:
    QByteArray m_secret;
};

} // namespace latchkey::recording
