#include "tests/support/foreignlibraries.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace latchkey::test {

namespace {

/// Installs the packages of package-lock.json. Returns an empty string, or the reason of the failure.
QString installNpmPackages(const QString &source, const QString &target)
{
    const auto wanted = [](const QString &folder) {
        QFile file(folder + QStringLiteral("/package-lock.json"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    // Two tests that need the packages may run concurrently.
    QLockFile installing(target + QStringLiteral(".installing"));
    if (!installing.lock())
        return QStringLiteral("cannot write beside %1").arg(target);
    if (wanted(target) == wanted(source))
        return {};
    QDir(target).removeRecursively();
    const QString npm = QStandardPaths::findExecutable(QStringLiteral("npm"));
    if (npm.isEmpty() || QStandardPaths::findExecutable(QStringLiteral("node")).isEmpty())
        return QStringLiteral("there is no Node.js with npm here");
    // Installs completely or not at all: the folder has a temporary name until it is complete.
    const QTemporaryDir folder(target + QStringLiteral("-XXXXXX"));
    for (const QString &file : {QStringLiteral("package.json"), QStringLiteral("package-lock.json")})
        QFile::copy(source + u'/' + file, folder.filePath(file));
    const Outcome installed = outcomeOf(
        npm,
        // `npm ci` is not used: it requires optional packages of other platforms, which newer npm omits in lock files.
        {QStringLiteral("install"), QStringLiteral("--no-save"), QStringLiteral("--omit=optional"),
         QStringLiteral("--ignore-scripts"), QStringLiteral("--no-audit"), QStringLiteral("--no-fund"),
         QStringLiteral("--loglevel=error"), QStringLiteral("--no-update-notifier"),
         QStringLiteral("--fetch-retries=0"), QStringLiteral("--fetch-timeout=20000"),
         QStringLiteral("--cache=") + folder.filePath(QStringLiteral("cache"))},
        folder.path());
    if (installed.exitCode != 0)
        return QStringLiteral("npm could not install its packages: %1")
            .arg(QString::fromUtf8(installed.errors.left(250)).simplified());
    QDir(folder.filePath(QStringLiteral("cache"))).removeRecursively();
    return QDir().rename(folder.path(), target) ? QString() : QStringLiteral("cannot make %1").arg(target);
}

} // namespace

Outcome outcomeOf(const QString &program, const QStringList &arguments, const QString &folder)
{
    QProcess process;
    if (!folder.isEmpty())
        process.setWorkingDirectory(folder);
    process.start(program, arguments);
    if (!process.waitForFinished(120'000))
        return {-1, {}, "it did not end"};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput().trimmed(), process.readAllStandardError().trimmed()};
}

ForeignLibraries redisPy()
{
    // Debian's package works with Debian's own interpreter, which may not be the first in PATH.
    const QString debians = QStringLiteral("/usr/bin/python3");
    ForeignLibraries found {QFile::exists(debians) ? debians : QStringLiteral("python3"), {}};
    if (outcomeOf(found.program, {QStringLiteral("-c"), QStringLiteral("import redis")}).exitCode != 0)
        found.absence = QStringLiteral("python3 has no redis here; on Debian the package python3-redis");
    return found;
}

ForeignLibraries npmPackages()
{
    const QString folder = QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../npm"));
    qputenv("NODE_PATH", QFile::encodeName(folder + QStringLiteral("/node_modules")));
    return {QStringLiteral("node"),
            installNpmPackages(QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/npm"), folder)};
}

} // namespace latchkey::test
