#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>

namespace tst_survivors {

using namespace latchkey;

/// Tests that no server, client or folder survives the window.
class TestSurvivors final : public QObject
{
    Q_OBJECT

    QTemporaryDir home;

    /// Starts the window with its demonstration: `servers` private servers, as saved by the last run, and five clients.
    void startDemo(QProcess &window, int servers = 1)
    {
        QSettings settings(home.filePath(QStringLiteral("latchkey/latchkey.ini")), QSettings::IniFormat);
        settings.setValue(QStringLiteral("playground/servers"), servers);
        settings.sync();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("HOME"), home.path());
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
        environment.insert(QStringLiteral("TMPDIR"), home.path());
        environment.remove(QStringLiteral("LATCHKEY_URL"));
        window.setProcessEnvironment(environment);
        window.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        window.start(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--demo")});
        LATCHKEY_AWAIT(test::childrenOf(window.processId()).size() >= 5 + servers && folders().size() >= servers);
    }
    [[nodiscard]] QStringList folders(const QString &named = QStringLiteral("latchkey-server-*")) const
    {
        return QDir(home.path()).entryList({named}, QDir::Dirs);
    }
    /// Returns the folders for questions of ssh.
    [[nodiscard]] QStringList askingFolders() const { return folders(QStringLiteral("latchkey-ask-*")); }

private Q_SLOTS:
    void toldToStop_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addRow("SIGTERM") << SIGTERM;
        QTest::addRow("SIGINT") << SIGINT;
        QTest::addRow("SIGHUP") << SIGHUP;
    }
    void toldToStop()
    {
        QFETCH(int, signal);
        QProcess window;
        startDemo(window);
        const QList<pid_t> children = test::childrenOf(window.processId());
        QCOMPARE(folders().size(), 1);
        ::kill(static_cast<pid_t>(window.processId()), signal);
        LATCHKEY_AWAIT(window.state() == QProcess::NotRunning);
        QCOMPARE(window.exitStatus(), QProcess::NormalExit);
        LATCHKEY_AWAIT(std::ranges::none_of(children, test::isAlive));
        QCOMPARE(folders(), QStringList());
    }

    void killed_takesEverythingAlongAndTheNextOneSweeps()
    {
        QProcess window;
        startDemo(window);
        const QList<pid_t> children = test::childrenOf(window.processId());
        window.kill();
        LATCHKEY_AWAIT(window.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(std::ranges::none_of(children, test::isAlive));
        const QStringList left = folders();
        const QStringList leftAsking = askingFolders();
        QCOMPARE(left.size(), 1);
        QCOMPARE(leftAsking.size(), 1);

        QProcess next;
        startDemo(next);
        QVERIFY(!folders().contains(left.front()));
        QVERIFY(!askingFolders().contains(leftAsking.front()));
        ::kill(static_cast<pid_t>(next.processId()), SIGTERM);
        LATCHKEY_AWAIT(next.state() == QProcess::NotRunning);
        QCOMPARE(folders(), QStringList());
        QCOMPARE(askingFolders(), QStringList());
    }

    void killed_takesSeveralServersAlong()
    {
        QProcess window;
        startDemo(window, 4);
        const QList<pid_t> children = test::childrenOf(window.processId());
        const auto before = folders();
        window.kill();
        LATCHKEY_AWAIT(window.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(std::ranges::none_of(children, test::isAlive));
        QVERIFY(before.size() >= 4);

        QProcess next;
        startDemo(next); // The new process removes leftovers.
        for (const QString &left : before)
            QVERIFY(!folders().contains(left));
        ::kill(static_cast<pid_t>(next.processId()), SIGTERM);
        LATCHKEY_AWAIT(next.state() == QProcess::NotRunning);
    }

    void processList_showsNoSecret()
    {
        QProcess window;
        startDemo(window);
        for (const pid_t child : test::childrenOf(window.processId())) {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(child));
            if (!file.open(QIODevice::ReadOnly))
                continue; // The process has just ended; the demonstration crashes its clients.
            const QByteArray commandLine = file.readAll();
            QVERIFY2(!commandLine.contains("://"), commandLine.constData());
        }
        ::kill(static_cast<pid_t>(window.processId()), SIGTERM);
        LATCHKEY_AWAIT(window.state() == QProcess::NotRunning);
    }
};

LATCHKEY_TEST(TestSurvivors)

} // namespace tst_survivors

#include "tst_survivors.moc"
