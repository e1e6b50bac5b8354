#pragma once

#include <QFile>
#include <QString>
#include <QStringList>

// The small programs below tests/programs/workers, which the race finder is tried on.

namespace latchkey::test {

/// The command that starts one of them.
[[nodiscard]] inline QStringList workerCommand(const QString &name)
{
    const QString debians = QStringLiteral("/usr/bin/python3"); // The first in the path may be slower to start.
    return {QFile::exists(debians) ? debians : QStringLiteral("python3"),
            QStringLiteral("-B"), // Nothing is written beside the sources.
            QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/programs/workers/%1.py").arg(name)};
}

} // namespace latchkey::test
