#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"
#include "tests/support/tlssetup.h"

#include <QTest>

namespace tst_tlscommands {

using namespace latchkey;
using test::Outcome;

/// Tests of latchkey-cli with TLS, as given by the user.
class TestTlsCommands final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<test::TlsSetup> fixture;

    /// Returns the TLS URL of the test's server, without options.
    QString encrypted(const char *certificate, bool wantsClients = false)
    {
        const quint16 port = fixture->encrypt(*server, QLatin1String(certificate), wantsClients);
        return QStringLiteral("rediss://localhost:%1").arg(port);
    }
    QStringList with(const QString &url, const QStringList &more) const
    {
        return QStringList {QStringLiteral("--url"), url} + more;
    }
    [[nodiscard]] QStringList trusting() const
    {
        return {QStringLiteral("--cacert"), fixture->certificate(QStringLiteral("ca"))};
    }

private Q_SLOTS:
    void initTestCase()
    {
        fixture = std::make_unique<test::TlsSetup>();
        if (!fixture->obstacle().isEmpty())
            QSKIP(qPrintable(fixture->obstacle()));
    }

    void lock_isHeldAndListed()
    {
        const QString url = encrypted("server");
        const Outcome acquired = run(with(
            url,
            trusting() + QStringList {QStringLiteral("acquire"), QStringLiteral("token"), QStringLiteral("lock:k")}));
        QCOMPARE(acquired.exitCode, 0);
        QCOMPARE((*server)({"GET", "lock:k"}).bytes(), acquired.output.trimmed());
        const Outcome listed = run(with(url, trusting() + QStringList {QStringLiteral("ls")}));
        QCOMPARE(listed.exitCode, 0);
        QVERIFY2(listed.output.contains(acquired.output.trimmed()), listed.output.constData());
    }

    void untrustedServer_isAnErrorAndGetsNoCommand()
    {
        const QString url = encrypted("server");
        const Outcome outcome =
            run(with(url, {QStringLiteral("acquire"), QStringLiteral("token"), QStringLiteral("k")}));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("its certificate comes from an untrusted CA"), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void pin_isTakenFromTheOptionAndTheUrl()
    {
        const QString url = encrypted("self-signed");
        const QString pin =
            QString::fromLatin1(fixture->fingerprint(QStringLiteral("self-signed")).toHex(':').toUpper());
        QCOMPARE(run(with(url, {QStringLiteral("--pin"), pin, QStringLiteral("ls")})).exitCode, 0);
        QCOMPARE(run(with(url + QStringLiteral("?pin=") + pin, {QStringLiteral("ls")})).exitCode, 0);
        QCOMPARE(run(with(url, {QStringLiteral("ls")})).exitCode, 3);
        const QString other = QString(64, u'0');
        const Outcome changed = run(with(url, {QStringLiteral("--pin"), other, QStringLiteral("ls")}));
        QCOMPARE(changed.exitCode, 3);
        QVERIFY2(changed.errors.contains("NOT the pinned one"), changed.errors.constData());
    }

    void ownCertificate_isShown()
    {
        const QString url = encrypted("server", true);
        const QStringList own {QStringLiteral("--cert"), fixture->certificate(QStringLiteral("client")),
                               QStringLiteral("--key"), fixture->key(QStringLiteral("client")), QStringLiteral("ls")};
        QCOMPARE(run(with(url, trusting() + own)).exitCode, 0);
        QCOMPARE(run(with(url, trusting() + QStringList {QStringLiteral("ls")})).exitCode, 3);
    }

    /// A latchkey-cli in the program connects to the same server and trusts the same certificates.
    void programUnderALock_goesTheSameWay()
    {
        const QString url = encrypted("server");
        const QStringList command {QStringLiteral("run"),        QStringLiteral("renewing"), QStringLiteral("k"),
                                   QStringLiteral("--lease"),    QStringLiteral("60s"),      QStringLiteral("--"),
                                   QStringLiteral(LATCHKEY_CLI), QStringLiteral("ls"),       QStringLiteral("k")};
        const Outcome outcome = run(with(url, trusting() + command));
        QVERIFY2(outcome.exitCode == 0 && outcome.output.contains(" k\n"), outcome.errors.constData());
        environment.insert(QStringLiteral("LATCHKEY_URL"), url);
        const Outcome byEnvironment = run(trusting() + command);
        QVERIFY2(byEnvironment.exitCode == 0 && byEnvironment.output.contains(" k\n"),
                 byEnvironment.errors.constData());
    }

    void optionsWithoutTls_areWrongUsage()
    {
        const Outcome outcome = run(trusting() + QStringList {QStringLiteral("ls")});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains("such a URL begins with rediss://"), outcome.errors.constData());
        const Outcome pin =
            run(with(encrypted("server"), {QStringLiteral("--pin"), QStringLiteral("12"), QStringLiteral("ls")}));
        QCOMPARE(pin.exitCode, 2);
        QVERIFY2(pin.errors.contains("--pin: \"12\" is no SHA-256 fingerprint"), pin.errors.constData());
    }
};

LATCHKEY_TEST(TestTlsCommands)

} // namespace tst_tlscommands

#include "tst_tlscommands.moc"
