#include "core/resp/endpoint.h"
#include "ui/shell/settings.h"

#include <QTemporaryDir>
#include <QTest>

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

    void whatIsSet_isThereTheNextTime()
    {
        {
            Settings settings(file());
            settings.rememberServer(QStringLiteral("redis://one:6379"));
            settings.rememberServer(QStringLiteral("redis://two:6379"));
            settings.setAppearanceMode(Mode::Dark);
            settings.setLanguageChoice(ui::speech::Speech::Choice::Chinese);
            settings.setCommandsPerSecond(300);
            settings.setWindowGeometry("geometry");
        }
        const Settings again(file());
        QCOMPARE(again.lastServer(), QStringLiteral("redis://two:6379"));
        QCOMPARE(again.recentServers().size(), 2);
        QCOMPARE(again.appearanceMode(), Mode::Dark);
        QCOMPARE(again.languageChoice(), ui::speech::Speech::Choice::Chinese);
        QCOMPARE(again.commandsPerSecond(), 300);
        QCOMPARE(again.windowGeometry(), QByteArray("geometry"));
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

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
