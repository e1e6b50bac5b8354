#include "core/redis/net/endpoint.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/testprogram.h"
#include "ui/shell/shell/settings.h"

#include <QDir>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

namespace tst_settings {

using namespace latchkey;
using ui::shell::Settings;
using Mode = ui::theme::Appearance::Mode;

class TestSettings final : public QObject
{
    Q_OBJECT

    QTemporaryDir folder;
    [[nodiscard]] QString file() const { return folder.filePath(QStringLiteral("latchkey.ini")); }

private Q_SLOTS:
    void init() { QFile::remove(file()); }

    void settings_areSaved()
    {
        {
            Settings settings(file());
            settings.rememberServer(QStringLiteral("redis://one:6379"));
            settings.rememberServer(QStringLiteral("redis://two:6379"));
            settings.setAppearanceMode(Mode::Dark);
            settings.setLanguageChoice(ui::i18n::LanguageSwitcher::Choice::Chinese);
            settings.setCommandsPerSecond(300);
            settings.setArmedTime(std::chrono::minutes(60));
            settings.setWindowGeometry("geometry");
        }
        const Settings again(file());
        QCOMPARE(again.lastServer(), QStringLiteral("redis://two:6379"));
        QCOMPARE(again.recentServers().size(), 2);
        QCOMPARE(again.appearanceMode(), Mode::Dark);
        QCOMPARE(again.languageChoice(), ui::i18n::LanguageSwitcher::Choice::Chinese);
        QCOMPARE(again.commandsPerSecond(), 300);
        QCOMPARE(again.armedTime(), std::chrono::minutes(60));
        QCOMPARE(again.windowGeometry(), QByteArray("geometry"));
    }

    void fullDisk_keepsTheOldSettingsAndIsReported()
    {
        Settings settings(file());
        QStringList told;
        settings.setSaveHandler(
            [&](const std::optional<base::Error> &error) { told += error ? error->message() : QString(); });
        settings.rememberServer(QStringLiteral("redis://one:6379"));
        QCOMPARE(told, QStringList {QString()});
        {
            const test::FileSizeLimit full(8);
            settings.setAppearanceMode(Mode::Dark);
        }
        QCOMPARE(told.value(1), QStringLiteral("cannot write %1: File too large").arg(file()));
        QCOMPARE(settings.appearanceMode(), Mode::Dark); // Applies until the program ends.
        QCOMPARE(Settings(file()).appearanceMode(), Mode::System);
        QCOMPARE(Settings(file()).lastServer(), QStringLiteral("redis://one:6379"));
        settings.setCommandsPerSecond(300); // There is room again, so the unsaved change is saved too.
        QCOMPARE(told.value(2), QString());
        QCOMPARE(Settings(file()).appearanceMode(), Mode::Dark);
        QCOMPARE(Settings(file()).commandsPerSecond(), 300);
    }

    /// The file is at the usual location, and was not read before.
    void usualFileThatIsNotOurs_isReported()
    {
        const QTemporaryDir home;
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        const auto restore = qScopeGuard([&before] { qputenv("XDG_CONFIG_HOME", before); });
        qputenv("XDG_CONFIG_HOME", home.path().toLocal8Bit());
        QVERIFY(QDir(home.path()).mkdir(QStringLiteral("latchkey")));
        QFile other(home.filePath(QStringLiteral("latchkey/latchkey.ini")));
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write("[window\n");
        other.close();
        Settings settings;
        QString told;
        settings.setSaveHandler(
            [&](const std::optional<base::Error> &error) { told = error ? error->message() : QString(); });
        QCOMPARE(told, QStringLiteral("cannot change %1: it is not in INI format").arg(other.fileName()));
        settings.setAppearanceMode(Mode::Dark);
        QVERIFY(other.open(QIODevice::ReadOnly));
        QCOMPARE(other.readAll(), QByteArray("[window\n"));
    }

    void fileThatIsNotOurs_isUnchangedAndReported()
    {
        QFile other(file());
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write("\x01\x02 random [bytes\n[");
        other.close();
        Settings settings(file());
        QStringList told;
        settings.setSaveHandler(
            [&](const std::optional<base::Error> &error) { told += error ? error->message() : QString(); });
        const QString sentence = QStringLiteral("cannot change %1: it is not in INI format").arg(file());
        QCOMPARE(told, QStringList {sentence}); // Reported before any change.
        settings.setAppearanceMode(Mode::Dark);
        QCOMPARE(told, (QStringList {sentence, sentence}));
        QVERIFY(other.open(QIODevice::ReadOnly));
        QCOMPARE(other.readAll(), QByteArray("\x01\x02 random [bytes\n["));
    }

    void recentServers_areFewAndEachOnce()
    {
        Settings settings(file());
        for (int i = 0; i < 20; ++i)
            settings.rememberServer(QStringLiteral("redis://h:%1").arg(i % 12 + 1));
        QCOMPARE(settings.recentServers().size(), 8);
        QCOMPARE(settings.lastServer(), QStringLiteral("redis://h:8"));
    }

    void nonsenseInTheFile_isNotBelieved()
    {
        QFile broken(file());
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("[watching]\ncommandsPerSecond=-5\n[window]\nappearance=plaid\n");
        broken.close();
        const Settings settings(file());
        QCOMPARE(settings.commandsPerSecond(), 10);
        QCOMPARE(settings.appearanceMode(), Mode::System);
        QCOMPARE(settings.lastServer(), QString());
    }
};

LATCHKEY_TEST(TestSettings)

} // namespace tst_settings

#include "tst_settings.moc"
