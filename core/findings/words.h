#pragma once

#include "core/findings/finding.h"

#include <QCoreApplication>

namespace latchkey::findings {

/// Puts findings into words, for people: what is wrong, how that is known, what it means and what to do.
///
/// The one place of these texts, for the window and the command line alike. All are plain text.
class Words final
{
    Q_DECLARE_TR_FUNCTIONS(Findings)

public:
    /// A few words, for a chip or a column.
    [[nodiscard]] static QString title(Kind kind);
    /// One sentence without a full stop: what was seen, with its figures; or that the library is known for it. library:
    /// the dialect's title.
    [[nodiscard]] static QString evidence(const Finding &finding, const QString &library);
    /// One sentence: what may come of it.
    [[nodiscard]] static QString meaning(Kind kind);
    /// One sentence: what to do.
    [[nodiscard]] static QString advice(Kind kind);
    [[nodiscard]] static QString severity(Severity severity);

private:
    // Of servers, semaphores and queues.
    [[nodiscard]] static QString otherTitle(Kind kind);
    [[nodiscard]] static QString otherMeaning(Kind kind);
    [[nodiscard]] static QString otherAdvice(Kind kind);
    [[nodiscard]] static QString tracedEvidence(const Finding &finding);
    [[nodiscard]] static QString historyEvidence(const Finding &finding, const QString &known);
};

} // namespace latchkey::findings
