#include "core/redis/net/password.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_password {

using namespace latchkey;
using net::Endpoint;

/// Tests which password is used if there are several: for the command line and for the window.
class TestPassword final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void typedPassword_takesPrecedenceOverTheEnvironment_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<bool>("isUrlTyped");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("environment");
        QTest::addColumn<QString>("password");
        const QString none;
        const QString bare = QStringLiteral("redis://h");
        const QString withOne = QStringLiteral("redis://:one@h");
        const QString one = QStringLiteral("one");
        const QString two = QStringLiteral("two");
        QTest::addRow("nowhere") << bare << true << none << none << none;
        QTest::addRow("in a typed URL") << withOne << true << none << none << one;
        QTest::addRow("in a file") << bare << true << two << none << two;
        QTest::addRow("in the environment") << bare << true << none << two << two;
        QTest::addRow("in LATCHKEY_URL") << withOne << false << none << none << one;
        QTest::addRow("typed URL before the environment") << withOne << true << none << two << one;
        QTest::addRow("file before the environment") << bare << false << one << two << one;
        QTest::addRow("file before LATCHKEY_URL") << withOne << false << two << none << two;
        QTest::addRow("file before an environment at odds")
            << withOne << false << two << QStringLiteral("three") << two;
        QTest::addRow("the same twice, typed") << withOne << true << one << none << one;
        QTest::addRow("the same twice, in the environment") << withOne << false << none << one << one;
    }
    void typedPassword_takesPrecedenceOverTheEnvironment()
    {
        QFETCH(QString, url);
        QFETCH(bool, isUrlTyped);
        QFETCH(QString, file);
        QFETCH(QString, environment);
        const auto given = file.isEmpty() ? std::nullopt : std::optional(file);
        const auto endpoint = net::withPassword(Endpoint::fromUrl(url).value(), {isUrlTyped, given, environment});
        QVERIFY2(endpoint, endpoint ? "" : qPrintable(endpoint.error().message()));
        QTEST(endpoint->password, "password");
        QCOMPARE(endpoint->host, QStringLiteral("h"));
    }

    void twoOfOneRank_mustNotDiffer()
    {
        const Endpoint endpoint = Endpoint::fromUrl(QStringLiteral("redis://ann:hunter1@h")).value();
        const auto typed = net::withPassword(endpoint, {true, QStringLiteral("hunter2"), QString()});
        QVERIFY(!typed);
        QCOMPARE(typed.error().kind, base::ErrorKind::Usage);
        QCOMPARE(typed.error().message(),
                 QStringLiteral("the password for redis://ann@h:6379 is given twice and differs: in "
                                "the URL and in --password-file"));
        const auto set = net::withPassword(endpoint, {false, std::nullopt, QStringLiteral("hunter2")});
        QVERIFY(!set);
        QVERIFY2(set.error().message().endsWith(QStringLiteral("in LATCHKEY_URL and in LATCHKEY_PASSWORD"))
                     && !set.error().message().contains(QStringLiteral("hunter")),
                 qPrintable(set.error().message()));
    }
};

LATCHKEY_TEST(TestPassword)

} // namespace tst_password

#include "tst_password.moc"
