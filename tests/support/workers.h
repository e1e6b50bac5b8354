#pragma once

#include <QFile>
#include <QString>
#include <QStringList>

// Small programs below tests/explore/programs/workers that the race finder examines in tests.

namespace latchkey::test {

/// Returns the command that starts a worker program.
[[nodiscard]] inline QStringList workerCommand(const QString &name)
{
    const QString debians = QStringLiteral("/usr/bin/python3"); // The first interpreter in PATH may be slower to start.
    return {QFile::exists(debians) ? debians : QStringLiteral("python3"),
            QStringLiteral("-B"), // Writes no files beside the sources.
            QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/%1.py").arg(name)};
}

} // namespace latchkey::test
