#pragma once

#include <QCommandLineOption>
#include <QStringList>

class QCommandLineParser;

namespace latchkey::cli {

/// Returns the candidate that is most similar to a mistyped word, by edit distance. Empty if none is similar enough.
[[nodiscard]] QString suggestionFor(const QString &word, const QStringList &candidates);

/// Returns why the command line could not be parsed, as a part of a sentence. It names the current name of a renamed
/// option, or a similar option for an unknown one. `options`: all options of the parser.
[[nodiscard]] QString parseErrorText(const QCommandLineParser &parser, const QList<QCommandLineOption> &options);

} // namespace latchkey::cli
