#pragma once

#include "core/inspect/recognition/dialect.h"

#include <QCoreApplication>

namespace latchkey::recognition {

/// The texts of recognition results for users; recognition itself returns values.
///
/// The window and the command line share these texts. All are plain text; data from the server is written as by
/// printable().
class RecognitionTexts final
{
    Q_DECLARE_TR_FUNCTIONS(Recognition)

public:
    /// Returns a clause without a full stop: `the key "lock-signal:a" exists too`. `title`: title of the dialect.
    [[nodiscard]] static QString evidence(const Evidence &evidence, const QString &title);
    /// Returns the name of a shape, to follow "the value is": `a UUID of version 1, without dashes`.
    [[nodiscard]] static QString shape(const QByteArray &id);
    [[nodiscard]] static QString family(Family family);
    [[nodiscard]] static QString confidence(Confidence confidence);
    /// Returns a short text for a holder: `process 4711 on hostA`; the bytes themselves if nothing was decoded.
    [[nodiscard]] static QString holder(const Holder &holder);
    /// Returns the known parts of a holder with their labels: `machine: hostA`, `network card: 02:fc:…`.
    [[nodiscard]] static QStringList parts(const Holder &holder);
};

} // namespace latchkey::recognition
