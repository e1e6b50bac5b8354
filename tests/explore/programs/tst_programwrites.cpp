#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_programwrites {

using namespace latchkey;
using races::Verdict;

/// Tests writes that a comparison of the states before and after them does not show.
class TestProgramWrites final : public QObject
{
    Q_OBJECT

    static void addRows(std::initializer_list<const char *> broken, std::initializer_list<const char *> held)
    {
        QTest::addColumn<bool>("isBroken");
        for (const char *how : broken)
            QTest::addRow("%s", how) << true;
        for (const char *how : held)
            QTest::addRow("%s", how) << false;
    }

    static void judge(const programs::Program &program, const QString &promise, bool isBroken)
    {
        const auto explored = test::explore(program, {promise});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, isBroken ? Verdict::Broken : Verdict::Holds);
        QVERIFY(explored.results.front().complete);
    }

    static QString textOf(const std::vector<races::LockKey> &keys)
    {
        QStringList texts;
        for (const races::LockKey &key : keys)
            texts += QString::fromUtf8(key.key) + u'=' + races::lockReasonId(key.reason);
        return texts.join(u' ');
    }

private Q_SLOTS:
    /// All clients use the same lease, and time stands still, so that the expiry of a renewed lock is an equal number.
    void renewalOfAnothersLock_breaksOwnerOnlyRelease_data()
    {
        addRows({"pexpire", "expire", "existing", "getex", "script", "hiddenkey", "transaction", "constant", "keepttl"},
                {"owner", "greater", "unset", "look"});
    }
    void renewalOfAnothersLock_breaksOwnerOnlyRelease()
    {
        QFETCH(const bool, isBroken);
        programs::Program program = test::worker("renewing", {}, {QTest::currentDataTag()});
        program.limits.expirations = 1;
        judge(program, QStringLiteral("owner-only-release"), isBroken);
    }

    /// Both clients write the same, so that the second write does not change the key.
    void writeOfAnEqualValue_losesAnUpdate_data()
    {
        addRows({"set",       "transaction", "script",  "computed",    "scripthash", "scriptdelete", "scriptrange",
                 "hiddenkey", "setrange",    "setbit",  "bitfield",    "getset",     "setget",       "getsetscript",
                 "rename",    "copy",        "restore", "resetunseen", "delete",     "deletescript"},
                {"increment", "compare", "most", "bitincrement", "setnx", "append", "member", "watch", "drain",
                 "draintransaction", "drainscript", "exchange", "drainset", "drainsettransaction", "drainsetscript",
                 "drainsettwice"});
    }
    void writeOfAnEqualValue_losesAnUpdate()
    {
        QFETCH(const bool, isBroken);
        judge(test::worker("writingequal", "order:1", {QTest::currentDataTag()}), QStringLiteral("lost-update"),
              isBroken);
    }

    /// A second read whose result is not used does not renew the first read.
    void secondRead_countsIfItIsUsed_data()
    {
        addRows({"exists", "type", "length", "ignored"}, {"fresh", "both", "twice", "absent"});
    }
    void secondRead_countsIfItIsUsed()
    {
        QFETCH(const bool, isBroken);
        judge(test::worker("rereading", "order:1", {QTest::currentDataTag()}), QStringLiteral("lost-update"), isBroken);
    }

    /// A counter beside the lock is changed by every client, and is not the lock.
    void counterBesideALock_isNoLock_data()
    {
        QTest::addColumn<QString>("named");
        QTest::addColumn<bool>("isBroken");
        QTest::addColumn<QString>("locks");
        QTest::addRow("fenced") << QString() << false << QStringLiteral("counter=counter lock=has-token");
        QTest::addRow("semaphore") << QString() << false << QStringLiteral("counter=counter lock=has-token");
        QTest::addRow("careless") << QString() << true << QStringLiteral("counter=counter lock=has-token");
        // The lock has no token and only expires, so that it cannot be distinguished from other keys.
        QTest::addRow("kept") << QString() << true << QStringLiteral("counter=only-key lock=only-key");
        QTest::addRow("kept, named") << QStringLiteral("l*k") << false
                                     << QStringLiteral("counter=not-named lock=named");
        QTest::addRow("fenced, named") << QStringLiteral("count*") << true
                                       << QStringLiteral("counter=named lock=not-named");
    }
    void counterBesideALock_isNoLock()
    {
        QFETCH(const QString, named);
        QFETCH(const bool, isBroken);
        QFETCH(const QString, locks);
        const QByteArray how = QByteArray(QTest::currentDataTag()).split(',').front();
        programs::Program program = test::worker("counting", {}, {how});
        program.limits.expirations = 1;
        if (!named.isEmpty())
            program.locks = {named.toUtf8()};
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(textOf(explored.lockKeys), locks);
        QCOMPARE(explored.results.front().verdict, isBroken ? Verdict::Broken : Verdict::Holds);
    }
    /// A single client never counts a failed attempt, so that its run does not show that the counter is no lock.
    void counterOfFailedAttempts_isNoLock_data() { addRows({"reset"}, {"counter", "field", "expiring"}); }
    void counterOfFailedAttempts_isNoLock()
    {
        QFETCH(const bool, isBroken);
        judge(test::worker("contended", {}, {QTest::currentDataTag()}), QStringLiteral("owner-only-release"), isBroken);
    }
    /// The server does not show who has removed an element. So no verdict may say that only the owner puts it back, and
    /// a counter beside the elements is not the lock.
    void lockByRemoval_hasNoVerdictOnItsOwner_data()
    {
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("locks");
        const QString removal =
            QStringLiteral("the lock is taken by removing an element of pool, and the server does not "
                           "show who has it");
        for (const char *how : {"LPOP", "BLPOP", "SPOP", "ZPOPMIN", "several"})
            QTest::addRow("%s", how) << QStringLiteral("not-applicable") << removal
                                     << QStringLiteral("made=counter pool=popped");
        for (const char *how : {"LMOVE", "BLMOVE", "SMOVE"})
            QTest::addRow("%s", how) << QStringLiteral("not-applicable") << removal
                                     << QStringLiteral("made=counter pool=popped taken=moved");
        QTest::addRow("job") << QStringLiteral("broken") << QString()
                             << QStringLiteral("lock=has-token made=counter pool=popped");
    }
    void lockByRemoval_hasNoVerdictOnItsOwner()
    {
        QFETCH(const QString, verdict);
        QFETCH(const QString, reason);
        QFETCH(const QString, locks);
        programs::Program program = test::worker("tokenpool", {}, {QTest::currentDataTag()});
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(schedules::verdictId(explored.results.front().verdict), verdict);
        QCOMPARE(explored.results.front().reason.english(), reason);
        QCOMPARE(textOf(explored.lockKeys), locks);
    }
    /// The element of a dead client stays in the other key.
    void movedElementOfADeadClient_isALockThatStays_data() { addRows({"LMOVE", "BLMOVE", "SMOVE"}, {}); }
    void movedElementOfADeadClient_isALockThatStays()
    {
        QFETCH(const bool, isBroken);
        programs::Program program = test::worker("tokenpool", {}, {QTest::currentDataTag()});
        judge(program, QStringLiteral("crash-release"), false);
        program.limits.crashes = 1;
        judge(program, QStringLiteral("crash-release"), isBroken);
    }
    /// A queue is empty when all jobs are done. A job that a dead client has moved stays there.
    void jobsThatAreDone_areNoLock_data() { addRows({"moved queue", "toggled"}, {"queue", "archive"}); }
    void jobsThatAreDone_areNoLock()
    {
        QFETCH(const bool, isBroken);
        programs::Program program = test::worker("tokenpool", {}, {QTest::currentDataTag()});
        judge(program, QStringLiteral("crash-release"), false);
        program.limits.crashes = 1;
        judge(program, QStringLiteral("crash-release"), isBroken);
    }
    void namedLockByRemoval_isRefused_data()
    {
        QTest::addColumn<QByteArray>("named");
        QTest::addRow("LPOP") << QByteArray("pool");
        QTest::addRow("LMOVE") << QByteArray("taken");
    }
    void namedLockByRemoval_isRefused()
    {
        QFETCH(const QByteArray, named);
        programs::Program program = test::worker("tokenpool", {}, {QTest::currentDataTag()});
        program.locks = {named};
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY(explored.error);
        QVERIFY2(explored.errorText().contains(QStringLiteral("--lock cannot name this key")),
                 qPrintable(explored.errorText()));
    }
    void programWithoutLock_hasNoVerdictOnItsOwner()
    {
        const auto explored = test::explore(test::worker("unlocked"), {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::NotApplicable);
        QCOMPARE(explored.results.front().reason.english(), QStringLiteral("no key is a lock"));
    }
    void lockThatIsNotThere_isNoVerdict()
    {
        programs::Program program = test::worker("counting", {}, {"fenced"});
        program.locks = {"lokc"};
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY(explored.error);
        QVERIFY2(explored.errorText().contains(QStringLiteral("no key that --lock names")),
                 qPrintable(explored.errorText()));
    }
    void story_namesTheLock()
    {
        programs::Program program = test::worker("counting", {}, {"careless"});
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().counterexample.value().steps.back().note.english().section(u';', 0, 0),
                 QStringLiteral("lock is the lock of B"));
    }
};

LATCHKEY_TEST(TestProgramWrites)

} // namespace tst_programwrites

#include "tst_programwrites.moc"
