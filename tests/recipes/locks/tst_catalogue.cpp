#include "core/recipes/locks/catalogue.h"
#include "tests/support/testprogram.h"

#include <QSet>
#include <QTest>

namespace tst_catalogue {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Lease;
using namespace std::chrono_literals;

class TestCatalogue final : public QObject
{
    Q_OBJECT

    static const Recipe &recipe(const char *id) { return *findRecipe(QString::fromLatin1(id)).value(); }
    static LockOptions options()
    {
        LockOptions result;
        result.key = base::Key("k");
        return result;
    }

private Q_SLOTS:
    void everyRecipe_hasADescription()
    {
        QSet<QString> ids;
        for (const Recipe &entry : recipes()) {
            QVERIFY2(!entry.title.isEmpty() && !entry.summary.isEmpty() && !entry.promises.empty(),
                     qPrintable(entry.id));
            QVERIFY2(!ids.contains(entry.id), qPrintable(entry.id));
            ids.insert(entry.id);
            QVERIFY2(makeLock(entry, options()), qPrintable(entry.id));
        }
    }

    void recipes_standInTheOrderOfTeaching()
    {
        QStringList ids;
        for (const Recipe &entry : recipes())
            ids += entry.id;
        QCOMPARE(ids.join(u' '), QStringLiteral("basic setnx auto-release setnx-then-expire multi-setnx-expire "
                                                "lua-setnx-expire timestamp-naive timestamp-getset "
                                                "token-check-then-delete token token-watch token-wait fenced renewing "
                                                "redlock"));
    }

    void flaggedPromises_agreeWithTheOthers()
    {
        for (const Recipe &entry : recipes()) {
            QVERIFY2(entry.hasPromise(Promise::MutualExclusion) || !entry.flaw.isEmpty(), qPrintable(entry.id));
            QVERIFY2(!entry.canExtend || (entry.hasToken && entry.hasLease), qPrintable(entry.id));
            QVERIFY2(entry.value != LockValue::Deadline || entry.needsWholeSeconds, qPrintable(entry.id));
            QVERIFY2(!entry.hasPromise(Promise::CrashRelease) || entry.hasLease, qPrintable(entry.id));
        }
    }

    void unknownRecipe_isAnErrorThatListsTheOnesThereAre()
    {
        const auto found = findRecipe(u"mutex");
        QVERIFY(!found);
        QCOMPARE(found.error().kind, ErrorKind::Usage);
        QVERIFY2(found.error().message().startsWith(QStringLiteral("unknown recipe \"mutex\"; there are basic, ")),
                 qPrintable(found.error().message()));
    }

    void optionsARecipeHasNoUseFor_areRefused_data()
    {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("option");
        QTest::addColumn<QString>("message");
        QTest::addRow("basic, lease") << QByteArray("basic") << QByteArray("lease")
                                      << QStringLiteral(
                                             "the recipe basic does not accept a lease: its locks do not expire");
        QTest::addRow("basic, token") << QByteArray("basic") << QByteArray("token")
                                      << QStringLiteral("the recipe basic does not accept a token");
        QTest::addRow("basic, unit") << QByteArray("basic") << QByteArray("unit")
                                     << QStringLiteral("the recipe basic does not accept a unit");
        QTest::addRow("basic, value") << QByteArray("basic") << QByteArray("value") << QString();
        QTest::addRow("auto-release, token") << QByteArray("auto-release") << QByteArray("token")
                                             << QStringLiteral("the recipe auto-release does not accept a token");
        QTest::addRow("auto-release, unit") << QByteArray("auto-release") << QByteArray("unit") << QString();
        QTest::addRow("token, unit") << QByteArray("token") << QByteArray("unit")
                                     << QStringLiteral("the recipe token does not accept a unit");
        QTest::addRow("token, value") << QByteArray("token") << QByteArray("value")
                                      << QStringLiteral(
                                             "the recipe token does not accept a value: its locks hold a token");
        QTest::addRow("token, token") << QByteArray("token") << QByteArray("token") << QString();
        QTest::addRow("timestamp-naive, token")
            << QByteArray("timestamp-naive") << QByteArray("token")
            << QStringLiteral(
                   "the recipe timestamp-naive does not accept a token of your own: its locks hold their deadline");
        QTest::addRow("timestamp-getset, value")
            << QByteArray("timestamp-getset") << QByteArray("value")
            << QStringLiteral("the recipe timestamp-getset does not accept a value: its locks hold their deadline");
        QTest::addRow("timestamp-getset, half a second")
            << QByteArray("timestamp-getset") << QByteArray("half a second")
            << QStringLiteral("a lease of 500ms is not whole seconds");
        QTest::addRow("token-check-then-delete, unit")
            << QByteArray("token-check-then-delete") << QByteArray("unit") << QString();
        QTest::addRow("token-watch, servers")
            << QByteArray("token-watch") << QByteArray("servers")
            << QStringLiteral("the recipe token-watch does not accept more than one server");
        QTest::addRow("redlock, servers") << QByteArray("redlock") << QByteArray("servers") << QString();
        QTest::addRow("token, empty token")
            << QByteArray("token") << QByteArray("empty token") << QStringLiteral("an empty token protects nothing");
    }
    void optionsARecipeHasNoUseFor_areRefused()
    {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, option);
        LockOptions given = options();
        if (option == "lease")
            given.lease = Lease::of(5s).value();
        else if (option == "token")
            given.token = base::OwnerToken("t");
        else if (option == "half a second")
            given.lease = Lease::of(500ms).value();
        else if (option == "servers")
            given.servers = 5;
        else if (option == "empty token")
            given.token = base::OwnerToken();
        else if (option == "unit")
            given.unit = LeaseUnit::Seconds;
        else
            given.value = QByteArray("v");
        const auto made = makeLock(recipe(id.constData()), given);
        QTEST(made ? QString() : made.error().message(), "message");
    }

    void secondsUnit_wantsWholeSeconds()
    {
        LockOptions given = options();
        given.unit = LeaseUnit::Seconds;
        given.lease = Lease::of(1500ms).value();
        const auto made = makeLock(recipe("auto-release"), given);
        QVERIFY(!made);
        QCOMPARE(made.error().message(), QStringLiteral("a lease of 1500ms is not whole seconds; use the unit ms"));
    }

    void releaseToken_isAskedForWhereItIsNeeded()
    {
        QVERIFY(!checkReleaseToken(recipe("token"), {}));
        QVERIFY(checkReleaseToken(recipe("token"), base::OwnerToken("t")));
        QVERIFY(checkReleaseToken(recipe("basic"), {}));
        QVERIFY(!checkReleaseToken(recipe("basic"), base::OwnerToken("t")));
        QVERIFY(!checkReleaseToken(recipe("timestamp-getset"), {}));
        QVERIFY(checkReleaseToken(recipe("timestamp-getset"), base::OwnerToken("1750000000")));
        QVERIFY(!checkReleaseToken(recipe("timestamp-naive"), base::OwnerToken("1750000000")));
    }
};

LATCHKEY_TEST(TestCatalogue)

} // namespace tst_catalogue

#include "tst_catalogue.moc"
