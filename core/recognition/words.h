#pragma once

#include "core/recognition/dialect.h"

#include <QCoreApplication>

namespace latchkey::recognition {

/// Puts what was recognised into words, for people: what recognition itself hands on are values.
///
/// The one place of these texts, for the window and the command line alike. All texts are plain text; what came from
/// the server stands in them as printable() writes it.
class Words final
{
    Q_DECLARE_TR_FUNCTIONS(Recognition)

public:
    /// A clause without a full stop: `the key "lock-signal:a" stands beside it`. title: of the dialect that it speaks
    /// for.
    [[nodiscard]] static QString evidence(const Evidence &evidence, const QString &title);
    /// What a shape is, to follow "the value is": `a UUID of version 1, without dashes`.
    [[nodiscard]] static QString shape(const QByteArray &id);
    [[nodiscard]] static QString family(Family family);
    [[nodiscard]] static QString confidence(Confidence confidence);
    /// Who it is, in a few words: `worker-7 on hostA, process 4711`; the bytes themselves where they say no more.
    [[nodiscard]] static QString holder(const Holder &holder);
    /// All parts of a holder that are known, each with what it is: `machine: hostA`, `network card: 02:fc:…`.
    [[nodiscard]] static QStringList parts(const Holder &holder);
};

} // namespace latchkey::recognition
