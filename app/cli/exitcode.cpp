#include "app/cli/exitcode.h"

#include "core/foundation/base/terminaltext.h"
#include "core/foundation/files/json.h"

#include <cstdio>

namespace latchkey::cli {

namespace {

bool quiet = false;

} // namespace

void setQuiet(bool isQuiet)
{
    quiet = isQuiet;
}

bool isQuiet()
{
    return quiet;
}

void note(const QString &message)
{
    if (!quiet)
        printError(message);
}

ExitCode exitCodeFor(const base::Error &error)
{
    return error.kind == base::ErrorKind::Usage ? ExitCode::Usage : ExitCode::Error;
}

bool printError(const QString &message)
{
    return std::fprintf(stderr, "latchkey-cli: %s\n", base::terminalText(message).toUtf8().constData()) >= 0;
}

ExitCode printError(const base::Error &error)
{
    printError(error.message());
    return exitCodeFor(error);
}

ExitCode exitCodeFor(const QString &command, const events::Coverage &coverage, CoverageForm form, ExitCode answer,
                     std::optional<int> database)
{
    if (coverage.isComplete())
        return answer;
    if (form == CoverageForm::Json) {
        QJsonObject json = events::toJson(coverage);
        if (database)
            json[QStringLiteral("db")] = *database;
        std::fprintf(stderr, "%s\n", files::toLine(json).constData());
    }
    for (const base::Text &missing : coverage.sentences()) {
        if (form == CoverageForm::Sentences)
            printError(command + QStringLiteral(": ") + missing.toString());
    }
    return answer == ExitCode::Yes ? ExitCode::Error : answer;
}

} // namespace latchkey::cli
