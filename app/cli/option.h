#pragma once

#include <QCommandLineOption>
#include <QList>

namespace latchkey::cli {

/// Creates an option of the command line. The help and the completion use its texts.
///
/// `names`: such as "timeout" or "p,port". `value`: the placeholder of the value, or its alternatives `a|b`; empty for
/// a switch. `description`: in the current language.
[[nodiscard]] QCommandLineOption makeOption(const char *names, const char *value, const QString &description);

/// Returns the options as they are typed: `-p` and `--port`.
[[nodiscard]] QStringList spellingsOf(const QCommandLineOption &option);

/// Returns the option as an entry names it: `-p, --port PORT`.
[[nodiscard]] QString termOf(const QCommandLineOption &option);

/// Returns the entries of options for a help text, with their descriptions in one column.
[[nodiscard]] QString helpEntriesOf(const QList<QCommandLineOption> &options);

/// Returns a help text with the entries of these options in place of the line `{options}`. A further line `{options
/// from NAME}` is replaced by the remaining ones, from this option on. `entries`: the form of the entries.
[[nodiscard]] QString withOptions(const QString &text, const QList<QCommandLineOption> &options,
                                  QString (*entries)(const QList<QCommandLineOption> &) = &helpEntriesOf);

} // namespace latchkey::cli
