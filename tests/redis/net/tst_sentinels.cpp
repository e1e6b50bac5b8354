#include "core/redis/net/dialer.h"
#include "core/redis/net/primarysearch.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/sentinelsetup.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_sentinels {

using namespace latchkey;
using namespace latchkey::net;
using base::ErrorKind;
using base::SystemClock;
using State = Session::State;
using test::SentinelSetup;
using namespace std::chrono_literals;

namespace {

resp::Reply bulk(const QByteArray &bytes)
{
    return resp::Reply::bulk(bytes);
}

/// Returns the replies of a sentinel that names this port.
resp::Replies naming(const QByteArray &port, const QByteArray &epoch)
{
    return {resp::Reply::array({bulk("127.0.0.1"), bulk(port)}),
            resp::Reply::array({bulk("name"), bulk("m"), bulk("config-epoch"), bulk(epoch)})};
}

} // namespace

/// The way from the sentinels to the primary, with real servers and sentinels.
class TestSentinels final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};

    static base::Result<DialResult<BlockingConnection>> dial(const Endpoint &endpoint)
    {
        return dialBlocking(endpoint, 20s);
    }
    /// Returns the message of both ways of dialling, which must be the same.
    QString refusal(const Endpoint &endpoint)
    {
        Dialer dialer(SystemClock::instance());
        std::optional<base::Result<DialResult<Connection>>> result;
        dialer.dial(endpoint, 20s, [&](auto dialled) { result.emplace(std::move(dialled)); });
        if (!test::waitFor([&] { return result.has_value(); }) || *result)
            return QStringLiteral("no error");
        const auto blocking = dial(endpoint);
        if (blocking || blocking.error() != result->error())
            return QStringLiteral("another error without an event loop");
        return result->error().message();
    }

private Q_SLOTS:
    void search_asksOneAfterTheOther()
    {
        const Endpoint endpoint = Endpoint::fromUrl(QStringLiteral("redis+sentinel://a,b,c/m")).value();
        PrimarySearch search(endpoint);
        QCOMPARE(search.shareOf(4s), 1000ms);
        QCOMPARE(search.nextSentinel()->host, QStringLiteral("a"));
        QCOMPARE(search.shareOf(3s), 1000ms);
        QVERIFY(!search.take(base::failure(ErrorKind::Unreachable, base::Text(QStringLiteral("a is down")))));
        const Endpoint b = search.nextSentinel().value();
        QCOMPARE(search.take(primaryFrom(b, QStringLiteral("m"), naming("7001", "1")))->port, 7001);
        search.serverFailed({ErrorKind::Unreachable, base::Text(QStringLiteral("7001 is down"))});
        const Endpoint c = search.nextSentinel().value();
        QVERIFY(!search.take(primaryFrom(c, QStringLiteral("m"), naming("7001", "1")))); // Not tried again.
        QVERIFY(!search.nextSentinel());
        QCOMPARE(search.error().message(),
                 QStringLiteral("the sentinel b:26379 names 127.0.0.1:7001 as the primary \"m\", which cannot be used: "
                                "7001 is down"));
    }

    void disagreement_isReported()
    {
        PrimarySearch search(Endpoint::fromUrl(QStringLiteral("redis+sentinel://a,b/m")).value());
        for (const QByteArray port : {"7001", "7002"}) {
            const Endpoint sentinel = search.nextSentinel().value();
            QVERIFY(search.take(primaryFrom(sentinel, QStringLiteral("m"), naming(port, "1"))));
            search.serverFailed({ErrorKind::Unreachable, base::Text(QString::fromLatin1(port + " is down"))});
        }
        QCOMPARE(
            search.error().message(),
            QStringLiteral("the sentinels disagree about the address of the primary \"m\" (a:26379: 127.0.0.1:7001, "
                           "b:26379: 127.0.0.1:7002), and none of these servers can be used; the last one: 7002 is "
                           "down"));
    }

    void primary_isFoundAndFollowed()
    {
        SentinelSetup setup("s3rver", "s3ntinel");
        Session session(setup.endpoint(), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        QCOMPARE(session.connectedEndpoint().port, setup.port(0));
        QCOMPARE(session.endpoint(), setup.endpoint());
        const auto blocking = dial(setup.endpoint());
        LATCHKEY_VERIFY_RESULT(blocking);
        QCOMPARE(blocking->endpoint.port, setup.port(0));

        setup.killSentinel(0); // The others are asked.
        LATCHKEY_VERIFY_RESULT(dial(setup.endpoint()));

        setup.kill(0);
        LATCHKEY_AWAIT(setup.namedPrimary() > 0);
        LATCHKEY_AWAIT(session.state() == State::Ready
                       && session.connectedEndpoint().port == setup.port(setup.namedPrimary()));
        const auto after = dial(setup.endpoint());
        LATCHKEY_VERIFY_RESULT(after);
        QCOMPARE(after->endpoint.port, session.connectedEndpoint().port);
    }

    /// The sentinels name the host 127.0.0.1, which is reached as localhost. A map must not look like a failover.
    void namedPrimary_isReachedAtItsMappedAddress()
    {
        SentinelSetup setup;
        Endpoint endpoint = setup.endpoint();
        endpoint.addresses = net::AddressMap::fromText(QStringLiteral("127.0.0.1=localhost")).value();
        Session session(endpoint, SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        QCOMPARE(session.connectedEndpoint().host, QStringLiteral("localhost"));
        QCOMPARE(session.connectedEndpoint().port, setup.port(0));
        const auto blocking = dial(endpoint);
        LATCHKEY_VERIFY_RESULT(blocking);
        QCOMPARE(blocking->endpoint.host, QStringLiteral("localhost"));

        setup.kill(0);
        LATCHKEY_AWAIT(setup.namedPrimary() > 0);
        LATCHKEY_AWAIT(session.state() == State::Ready
                       && session.connectedEndpoint().port == setup.port(setup.namedPrimary()));
        QCOMPARE(session.connectedEndpoint().host, QStringLiteral("localhost"));
    }

    /// A frozen primary keeps its connections and answers again later, so only the sentinels report the failover.
    void frozenPrimary_isLeftAtTheSentinelsWord()
    {
        SentinelSetup setup;
        Session session(setup.endpoint(), SystemClock::instance(), random);
        Session::Timing patient;
        patient.pingTimeout = 10min;
        session.setTiming(patient);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        setup.suspend(0);
        LATCHKEY_AWAIT(session.state() == State::Ready && session.connectedEndpoint().port != setup.port(0));
        LATCHKEY_AWAIT(setup.namedPrimary() > 0
                       && session.connectedEndpoint().port == setup.port(setup.namedPrimary()));
        setup.resume(0);
    }

    void refusals_areOneSentence()
    {
        SentinelSetup setup("s3rver", "s3ntinel");
        const QString first = QStringLiteral("redis://127.0.0.1:%1").arg(setup.sentinelPort(0));
        Endpoint endpoint = setup.endpoint();
        endpoint.sentinels->others.clear();

        Endpoint unknown = endpoint;
        unknown.sentinels->master = QStringLiteral("a/b\u00e9");
        QCOMPARE(refusal(unknown),
                 QStringLiteral("the sentinel %1 does not know a primary named \"a/b\u00e9\"; it knows \"orders\"")
                     .arg(first));

        Endpoint silent = endpoint;
        silent.sentinels->password.clear();
        QCOMPARE(refusal(silent),
                 QStringLiteral("the sentinel %1 requires a password: add sentinel-password to the URL, "
                                "or set LATCHKEY_SENTINEL_PASSWORD")
                     .arg(first));
        Endpoint wrong = endpoint;
        wrong.sentinels->password = QStringLiteral("no");
        QCOMPARE(refusal(wrong),
                 QStringLiteral("the sentinel %1 rejects this user and password: check sentinel-user and "
                                "sentinel-password")
                     .arg(first));

        Endpoint server = endpoint;
        server.port = setup.port(0);
        server.sentinels->password = QStringLiteral("s3rver");
        QVERIFY2(
            refusal(server).contains(QStringLiteral("is not a sentinel but a server: write its URL like redis://")),
            qPrintable(refusal(server)));

        Endpoint direct = endpoint;
        direct.sentinels.reset();
        direct.password = QStringLiteral("s3ntinel");
        QCOMPARE(refusal(direct),
                 QStringLiteral(
                     "%1 is a sentinel, which has no keys: write its URL like redis+sentinel://127.0.0.1:%2/NAME, "
                     "with the name of the primary")
                     .arg(first)
                     .arg(setup.sentinelPort(0)));

        Endpoint keptOut = endpoint;
        keptOut.password = QStringLiteral("no");
        const QString message = refusal(keptOut);
        QVERIFY2(
            message.startsWith(QStringLiteral("the sentinel 127.0.0.1:%1 names %2 as the primary \"orders\", which "
                                              "cannot be used: ")
                                   .arg(setup.sentinelPort(0))
                                   .arg(setup.address(0))),
            qPrintable(message));
    }

    void silentSentinels_areNamed()
    {
        const QString url = QStringLiteral("redis+sentinel://127.0.0.1:1,127.0.0.1:2/m");
        QCOMPARE(
            refusal(Endpoint::fromUrl(url).value()),
            QStringLiteral("none of the 2 sentinels names the primary \"m\": cannot connect to redis://127.0.0.1:1: "
                           "Connection refused; cannot connect to redis://127.0.0.1:2: Connection refused"));
    }

    void replica_isNotTaken()
    {
        const Endpoint server = test::localEndpoint(7001);
        QVERIFY(!notPrimary(server, resp::Reply::array({bulk("master"), resp::Reply::integer(0)})));
        QVERIFY(!notPrimary(server, resp::Reply::error("ERR unknown command 'ROLE'")));
        const auto other = notPrimary(server, resp::Reply::array({bulk("slave"), bulk("127.0.0.1")}));
        QVERIFY(other);
        QCOMPARE(other->message(),
                 QStringLiteral("redis://127.0.0.1:7001 is not a primary now (ROLE says \"slave\"); a "
                                "failover may be under way"));
    }
};

LATCHKEY_TEST(TestSentinels)

} // namespace tst_sentinels

#include "tst_sentinels.moc"
