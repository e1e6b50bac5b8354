#include "core/recipes/locks/catalogue.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_compareform {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::Grant;
using exchange::Stepper;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

const base::Key key("lock:form");
const OwnerToken own("token-of-ours");

std::unique_ptr<Lock> lockIn(CompareForm form, const char *recipe = "token", int servers = 1)
{
    LockOptions options;
    options.key = key;
    options.lease = Lease::of(30s).value();
    options.form = form;
    options.servers = servers;
    return makeLock(**findRecipe(QString::fromLatin1(recipe)), options).value();
}

template<typename T>
QString next(const Stepper<T> &stepper)
{
    return exchange::toText(stepper.step());
}

Grant refused(const QByteArray &reply)
{
    return exchange::answerFrom(Reply::error(reply));
}

Grant lost()
{
    return Answer(base::failure(ErrorKind::ConnectionLost, QStringLiteral("the connection was lost")));
}

Grant now()
{
    return exchange::Instant {base::MonotonicTime(1h), {}};
}

} // namespace

/// Locks that compare their token by a single command of newer servers, or by a script.
class TestCompareForm final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void form_isReadAndWritten()
    {
        for (const CompareForm form : {CompareForm::Script, CompareForm::DelIfEq, CompareForm::DelEx})
            QCOMPARE(findCompareForm(compareFormId(form)).value(), form);
        const auto unknown = findCompareForm(QStringLiteral("lua"));
        QCOMPARE(unknown.error().message(), QStringLiteral("unknown form \"lua\"; there are script, delifeq, delex"));
    }

    void likelyForm_isThatOfTheProductFromItsVersionOn()
    {
        const auto likely = [](const char *product, const char *version) {
            resp::ServerInfo info;
            info.product = QLatin1String(product);
            info.version = QVersionNumber::fromString(QLatin1String(version));
            return likelyCompareForm(info);
        };
        QCOMPARE(likely("", ""), CompareForm::Script);
        QCOMPARE(likely("Redis", "7.0.15"), CompareForm::Script);
        QCOMPARE(likely("Redis", "8.3.9"), CompareForm::Script);
        QCOMPARE(likely("Redis", "8.4"), CompareForm::DelEx); // As short as the table has it.
        QCOMPARE(likely("Redis", "8.4.0"), CompareForm::DelEx);
        QCOMPARE(likely("Redis", "10.0"), CompareForm::DelEx);
        QCOMPARE(likely("Valkey", "8.1.1"), CompareForm::Script);
        QCOMPARE(likely("Valkey", "9.0.0"), CompareForm::DelIfEq);
        QCOMPARE(likely("Something", "99"), CompareForm::Script);
    }

    void release_isOneCommandWhereItWorks()
    {
        const auto lock = lockIn(CompareForm::DelIfEq);
        Stepper<ReleaseOutcome> stepper(lock->release(own));
        QCOMPARE(next(stepper), QStringLiteral("DELIFEQ lock:form token-of-ours"));
        stepper.grant(Reply::integer(1));
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult().value(), ReleaseOutcome::Released);
    }

    void refusedRelease_asksWhetherThereIsAnother_data()
    {
        QTest::addColumn<qint64>("exists");
        QTest::addColumn<ReleaseOutcome>("outcome");
        QTest::newRow("another's") << qint64(1) << ReleaseOutcome::NotOwner;
        QTest::newRow("none") << qint64(0) << ReleaseOutcome::Gone;
    }
    void refusedRelease_asksWhetherThereIsAnother()
    {
        QFETCH(const qint64, exists);
        QFETCH(const ReleaseOutcome, outcome);
        const auto lock = lockIn(CompareForm::DelEx);
        Stepper<ReleaseOutcome> stepper(lock->release(own));
        QCOMPARE(next(stepper), QStringLiteral("DELEX lock:form IFEQ token-of-ours"));
        stepper.grant(Reply::integer(0));
        QCOMPARE(next(stepper), QStringLiteral("EXISTS lock:form"));
        stepper.grant(Reply::integer(exists));
        QCOMPARE(stepper.takeResult().value(), outcome);
    }

    void serverThatRefusesTheCommand_isAskedForTheScript_data()
    {
        QTest::addColumn<QByteArray>("reply");
        QTest::newRow("unknown") << QByteArray("ERR unknown command 'DELIFEQ', with args beginning with: 'k' ");
        QTest::newRow("denied") << QByteArray("NOPERM User w has no permissions to run the 'delifeq' command");
        QTest::newRow("syntax") << QByteArray("ERR syntax error");
    }
    void serverThatRefusesTheCommand_isAskedForTheScript()
    {
        QFETCH(const QByteArray, reply);
        const auto lock = lockIn(CompareForm::DelIfEq);
        Stepper<ReleaseOutcome> stepper(lock->release(own));
        stepper.grant(refused(reply));
        QVERIFY2(next(stepper).startsWith(QStringLiteral("EVAL ")), qPrintable(next(stepper)));
        stepper.grant(Reply::integer(-1));
        QCOMPARE(stepper.takeResult().value(), ReleaseOutcome::Gone);
    }

    void wrongType_isNoReasonForTheScript()
    {
        const auto lock = lockIn(CompareForm::DelIfEq);
        Stepper<ReleaseOutcome> stepper(lock->release(own));
        stepper.grant(refused("WRONGTYPE Operation against a key holding the wrong kind of value"));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::WrongType);
    }

    /// The outcome of the deletion is unknown if its own reply is lost, and known if only a later reply is lost.
    void lostAnswer_isUnknownOnlyOfTheCommandThatChanges()
    {
        const auto lock = lockIn(CompareForm::DelIfEq);
        Stepper<ReleaseOutcome> deleting(lock->release(own));
        deleting.grant(lost());
        QVERIFY(base::leavesOutcomeUnknown(deleting.takeResult().error().kind));
        Stepper<ReleaseOutcome> looking(lock->release(own));
        looking.grant(Reply::integer(0));
        looking.grant(lost());
        QCOMPARE(looking.takeResult().error().kind, ErrorKind::Unreachable);
    }

    void extension_isSetWithTheTokenItMustFind()
    {
        const auto lock = lockIn(CompareForm::DelEx);
        Stepper<Extension> stepper(lock->extend(own, Lease::of(5s).value()));
        stepper.grant(now());
        QCOMPARE(next(stepper), QStringLiteral("SET lock:form token-of-ours IFEQ token-of-ours PX 5000"));
        stepper.grant(Reply::status("OK"));
        stepper.grant(now());
        QCOMPARE(stepper.takeResult().value().outcome, ExtendOutcome::Extended);

        Stepper<Extension> another(lock->extend(own, Lease::of(5s).value()));
        another.grant(now());
        another.grant(Reply::nil());
        QCOMPARE(next(another), QStringLiteral("EXISTS lock:form"));
        another.grant(Reply::integer(1));
        another.grant(now());
        QCOMPARE(another.takeResult().value().outcome, ExtendOutcome::NotOwner);
    }

    /// One server has the command, one refuses it, one has no lock. The requests go to all servers in parallel, in at
    /// most two batches.
    void severalServers_areAskedInTwoBatches()
    {
        const auto lock = lockIn(CompareForm::DelIfEq, "redlock", 3);
        Stepper<ReleaseOutcome> stepper(lock->release(own));
        stepper.grant(Grant(exchange::Answers {exchange::answerFrom(Reply::integer(1)),
                                               exchange::answerFrom(Reply::error("ERR unknown command 'DELIFEQ'")),
                                               exchange::answerFrom(Reply::integer(0))}));
        const auto *batch = std::get_if<exchange::Batch>(&stepper.step());
        QVERIFY(batch);
        QCOMPARE(batch->requests().size(), std::size_t(2));
        QCOMPARE(batch->requests()[0].server(), 1);
        QVERIFY(batch->requests()[0].command().callsScript());
        QCOMPARE(batch->requests()[1].command(), resp::exists(key));
        QCOMPARE(batch->requests()[1].server(), 2);
        stepper.grant(Grant(
            exchange::Answers {exchange::answerFrom(Reply::integer(1)), exchange::answerFrom(Reply::integer(0))}));
        QCOMPARE(stepper.takeResult().value(), ReleaseOutcome::Released);
    }

    /// Each form has the same effect, whether the server has the command or the lock falls back to the script.
    void realServer_doesTheSameInEveryForm_data()
    {
        QTest::addColumn<CompareForm>("form");
        for (const CompareForm form : {CompareForm::Script, CompareForm::DelIfEq, CompareForm::DelEx})
            QTest::addRow("%s", qPrintable(compareFormId(form))) << form;
    }
    void realServer_doesTheSameInEveryForm()
    {
        QFETCH(const CompareForm, form);
        test::TestServer server;
        exchange::BlockingDriver driver({server.endpoint()});
        for (const char *recipe : {"token", "renewing", "fenced", "redlock"}) {
            const auto lock = lockIn(form, recipe);
            const auto acquired = driver.run(lock->acquire());
            LATCHKEY_VERIFY_RESULT(acquired);
            const OwnerToken token = acquired->token;
            QCOMPARE(driver.run(lock->release(OwnerToken("guess"))).value(), ReleaseOutcome::NotOwner);
            const auto foreign = driver.run(lock->extend(OwnerToken("guess"), Lease::of(90s).value()));
            QCOMPARE(foreign.value().outcome, ExtendOutcome::NotOwner);
            QVERIFY(server(resp::pttl(key)).toInteger() <= 30'000);
            const auto extended = driver.run(lock->extend(token, Lease::of(90s).value()));
            QCOMPARE(extended.value().outcome, ExtendOutcome::Extended);
            QVERIFY(server(resp::pttl(key)).toInteger() > 60'000);
            QVERIFY(server(resp::get(key)).isBulk(token.bytes()));
            QCOMPARE(driver.run(lock->release(token)).value(), ReleaseOutcome::Released);
            QVERIFY(server(resp::exists(key)).isInteger(0));
            QCOMPARE(driver.run(lock->release(token)).value(), ReleaseOutcome::Gone);
            const auto late = driver.run(lock->extend(token, Lease::of(90s).value()));
            QCOMPARE(late.value().outcome, ExtendOutcome::Gone);
            QVERIFY(server(resp::exists(key)).isInteger(0)); // The key was not recreated.
        }
    }

    /// The lock uses only the single command here, and no script.
    void realServerThatHasIt_isAskedForNoScript()
    {
        const CompareForm form = test::singleCommandForm();
        if (form == CompareForm::Script)
            QSKIP("this server has neither DELIFEQ (Valkey 9.0) nor DELEX (Redis 8.4)");
        for (const char *recipe : {"token", "renewing", "fenced", "redlock"}) {
            test::TestServer server;
            exchange::BlockingDriver driver({server.endpoint()});
            const auto lock = lockIn(form, recipe);
            const auto acquired = driver.run(lock->acquire());
            LATCHKEY_VERIFY_RESULT(acquired);
            QVERIFY(server({"ACL", "SETUSER", "default", "-@scripting"}).isOk());
            const auto extended = driver.run(lock->extend(acquired->token, Lease::of(90s).value()));
            QCOMPARE(extended.value().outcome, ExtendOutcome::Extended);
            QCOMPARE(driver.run(lock->release(acquired->token)).value(), ReleaseOutcome::Released);
        }
    }
};

LATCHKEY_TEST(TestCompareForm)

} // namespace tst_compareform

#include "tst_compareform.moc"
