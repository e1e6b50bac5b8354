#pragma once

#include "app/cli/whyanswer.h"

#include <QJsonObject>

namespace latchkey::cli {

/// Prints a line of `why`: a name in its own column, and a text.
void printNamed(const QString &name, const QString &text);

/// Returns the time left of a key as a text.
[[nodiscard]] QString timeLeftText(const detection::KeyExamination &found);

/// Prints the recognised kind of a lock, the evidence, and the other candidates.
void printKind(const recognition::Recognition &recognised, const recognition::Recogniser &recogniser);

/// Prints the findings: for each one line with the evidence, the consequence, and the advice. `title`: title of the
/// kind of lock.
void printFindings(const std::vector<findings::Finding> &wrong, const QString &title);

/// Prints the state of an existing key, with the recognised lock and its findings.
void printText(const base::Key &key, const WhyAnswer &answer, const recognition::Recogniser &recogniser);

/// Prints to standard error why the settings of the server were not checked. Returns whether there is a reason.
bool printUnchecked(const WhyRequest &request, const WhyAnswer &answer);

/// Returns the answer as JSON. Null for an answer that is not known: the server did not reply.
[[nodiscard]] QJsonObject toJson(const WhyRequest &request, const WhyAnswer *answer);

} // namespace latchkey::cli
