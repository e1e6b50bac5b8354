#pragma once

#include "core/inspect/findings/finding.h"

#include <QCoreApplication>

namespace latchkey::findings {

/// The texts of findings for users: the problem, the evidence, its meaning and the advice.
///
/// The window and the command line share these texts. All are plain text.
class FindingTexts final
{
    Q_DECLARE_TR_FUNCTIONS(Findings)

public:
    /// Returns a few words, for a chip or a column.
    [[nodiscard]] static QString title(FindingKind kind);
    /// Returns one sentence without a full stop: the observation with its figures, or a statement that the library has
    /// this property. `library`: title of the dialect.
    [[nodiscard]] static QString evidence(const Finding &finding, const QString &library);
    /// Returns one sentence: the possible consequence.
    [[nodiscard]] static QString meaning(FindingKind kind);
    /// Returns one sentence: the advice.
    [[nodiscard]] static QString advice(FindingKind kind);
    [[nodiscard]] static QString severity(Severity severity);

private:
    // The texts about servers, semaphores and queues.
    [[nodiscard]] static QString otherTitle(FindingKind kind);
    [[nodiscard]] static QString otherMeaning(FindingKind kind);
    [[nodiscard]] static QString otherAdvice(FindingKind kind);
    [[nodiscard]] static QString titlesOf(qint64 kinds);
    [[nodiscard]] static QString tracedEvidence(const Finding &finding);
    [[nodiscard]] static QString historyEvidence(const Finding &finding, const QString &known);
};

} // namespace latchkey::findings
