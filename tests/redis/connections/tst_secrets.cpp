#include "core/redis/connections/secrets.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_secrets {

using namespace latchkey;
using connections::Secrets;

class TestSecrets final : public QObject
{
    Q_OBJECT

    [[nodiscard]] static net::Endpoint endpoint(const char *url)
    {
        return net::Endpoint::fromUrl(QLatin1String(url)).value();
    }

private Q_SLOTS:
    void keychainEntry_survivesARoundTrip_data()
    {
        QTest::addColumn<QString>("password");
        QTest::addColumn<QString>("proxyPassword");
        QTest::addRow("both") << QStringLiteral("s3cret") << QStringLiteral("pr0xy");
        QTest::addRow("password") << QStringLiteral("s3cret") << QString();
        QTest::addRow("proxy's") << QString() << QStringLiteral("pr0xy");
        QTest::addRow("odd ones") << QString::fromUtf8("{\"a\": 1}\n ä %1") << QStringLiteral("[]");
    }
    void keychainEntry_survivesARoundTrip()
    {
        QFETCH(QString, password);
        QFETCH(QString, proxyPassword);
        const Secrets secrets {password, proxyPassword};
        QVERIFY(Secrets::fromBytes(secrets.toBytes()) == secrets);
    }

    /// A user may have created the entry with the desktop's own program.
    void plainText_isThePassword()
    {
        QVERIFY(Secrets::fromBytes("s3cret") == Secrets({QStringLiteral("s3cret"), {}}));
        QVERIFY(Secrets::fromBytes({}).isEmpty());
    }

    void endpointSecrets_takePrecedence()
    {
        const Secrets ofSentinels {{}, {}, QStringLiteral("s3ntinel")};
        QVERIFY(Secrets::fromBytes(ofSentinels.toBytes()) == ofSentinels);
        QVERIFY(Secrets::of(ofSentinels.filledIn(endpoint("redis+sentinel://a/m"))) == ofSentinels);
        QVERIFY(Secrets::of(ofSentinels.filledIn(endpoint("redis://a"))).isEmpty());
        QVERIFY(connections::lacksSecrets(endpoint("redis+sentinel://:p@a/m")));
        QVERIFY(!connections::lacksSecrets(endpoint("redis+sentinel://:p@a/m?sentinel-password=q")));

        const Secrets secrets {QStringLiteral("kept"), QStringLiteral("proxykept")};
        QVERIFY(Secrets::of(secrets.filledIn(endpoint("redis://db?proxy=socks5://me@p:1"))) == secrets);
        const auto given = endpoint("redis://:typed@db?proxy=socks5://me:ptyped@p:1");
        QVERIFY(secrets.filledIn(given) == given);
        QVERIFY(Secrets::of(secrets.filledIn(endpoint("redis://db"))) == Secrets({QStringLiteral("kept"), {}}));
        QVERIFY(Secrets({QStringLiteral("new"), {}}).withDefaults(secrets)
                == Secrets({QStringLiteral("new"), QStringLiteral("proxykept")}));
    }

    void keychain_isAskedOnlyWhereSomethingIsMissing()
    {
        QVERIFY(connections::lacksSecrets(endpoint("redis://db")));
        QVERIFY(!connections::lacksSecrets(endpoint("redis://:p@db")));
        QVERIFY(connections::lacksSecrets(endpoint("redis://:p@db?proxy=http://me@p:1")));
        QVERIFY(!connections::lacksSecrets(endpoint("redis://:p@db?proxy=http://me:q@p:1")));
        QVERIFY(!connections::lacksSecrets(endpoint("redis://:p@db?proxy=http://p:1")));
    }
};

LATCHKEY_TEST(TestSecrets)

} // namespace tst_secrets

#include "tst_secrets.moc"
