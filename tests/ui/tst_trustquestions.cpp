#include "core/redis/ssh/tunnels.h"
#include "tests/support/sshsetup.h"
#include "tests/support/testprogram.h"
#include "tests/support/tlssetup.h"
#include "tests/ui/windowwords.h"

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace tst_trustquestions {

using namespace latchkey;
using net::Session;
using test::bannerAction;
using test::bannerText;
using test::MainWindowFixture;
using test::SshSetup;
using test::TestServer;

/// Tests of the window's questions about trust on the way to a server, with real servers and a real ssh.
class TestTrustQuestions final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    static bool isReady(const MainWindowFixture &fixture)
    {
        return fixture.workspace.inspected()->session().state() == Session::State::Ready;
    }
    /// Opens the dialog from the message about the certificate.
    static QDialog *certificateDialog(const MainWindowFixture &fixture)
    {
        if (!test::waitFor([&] { return bannerText(fixture).contains(QLatin1String("certificate")); }))
            return nullptr;
        bannerAction(fixture)->click();
        QDialog *dialog = nullptr;
        (void)test::waitFor([&] { return (dialog = fixture.dialog<QDialog>("certificateDialog")) != nullptr; });
        return dialog;
    }
    static QString text(const QDialog &dialog, const char *name)
    {
        return dialog.findChild<QLabel *>(QLatin1String(name))->text();
    }
    static void press(const QDialog &dialog, const char *name)
    {
        QTest::mouseClick(dialog.findChild<QPushButton *>(QLatin1String(name)), Qt::LeftButton);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup()
    {
        ssh::Tunnels::instance().clear();
        server.reset();
    }

    void untrustedCertificate_isShownAndPinned()
    {
        const test::TlsSetup setup;
        if (!setup.obstacle().isEmpty())
            QSKIP(qPrintable(setup.obstacle()));
        const quint16 port = setup.encrypt(*server, QStringLiteral("self-signed"));
        MainWindowFixture fixture;
        fixture.workspace.open(net::Endpoint::fromUrl(QStringLiteral("rediss://localhost:%1").arg(port)).value());
        const QDialog *dialog = certificateDialog(fixture);
        QVERIFY(dialog);
        QString seen = text(*dialog, "certificateFingerprint").remove(u'\n').remove(u':').remove(QChar(0x200B));
        QCOMPARE(seen.size(), 64);
        QVERIFY(text(*dialog, "certificateNames").contains(QLatin1String("localhost")));
        QVERIFY(text(*dialog, "certificateWhy").contains(QLatin1String("self-signed")));

        press(*dialog, "certificateCancel");
        QVERIFY(!isReady(fixture) && fixture.workspace.inspected()->endpoint().tls->pin.isEmpty());
        fixture.workspace.open(fixture.workspace.inspected()->endpoint());
        dialog = certificateDialog(fixture);
        QVERIFY(dialog);
        press(*dialog, "certificatePin");
        LATCHKEY_AWAIT(isReady(fixture));
        QCOMPARE(fixture.workspace.inspected()->endpoint().tls->pin, setup.fingerprint(QStringLiteral("self-signed")));
        QVERIFY(fixture.settings.lastServer().contains(QLatin1String("pin=")));
    }

    void changedCertificate_isShownAsCritical()
    {
        const test::TlsSetup setup;
        if (!setup.obstacle().isEmpty())
            QSKIP(qPrintable(setup.obstacle()));
        net::Endpoint endpoint = setup.endpoint(setup.encrypt(*server, QStringLiteral("server")));
        endpoint.tls->pin = setup.fingerprint(QStringLiteral("self-signed"));
        MainWindowFixture fixture;
        fixture.workspace.open(endpoint);
        const QDialog *dialog = certificateDialog(fixture);
        QVERIFY(dialog);
        QVERIFY(text(*dialog, "pageTitle").contains(QLatin1String("CHANGED")));
        QVERIFY2(dialog->width() < 600, qPrintable(QString::number(dialog->width()))); // The smallest window is 960
                                                                                       // pixels wide.
        // Return does not trust the certificate.
        QTest::keyClick(dialog->window(), Qt::Key_Return);
        QVERIFY(!isReady(fixture));
        QCOMPARE(fixture.workspace.inspected()->endpoint(), endpoint);
    }

    void hostKeyAndPassphrase_areAskedFor()
    {
        const SshSetup setup;
        if (!setup.obstacle().isEmpty())
            QSKIP(qPrintable(setup.obstacle()));
        qputenv("PATH", setup.searchPath());
        setup.know(SshSetup::Known::Nothing, false);
        setup.useKey(true);
        MainWindowFixture fixture;
        net::Endpoint endpoint = server->endpoint();
        endpoint.ssh = setup.sshHost();
        fixture.workspace.open(endpoint);
        const auto asks = [&fixture](const char *what) {
            const auto *dialog = fixture.dialog<QDialog>("sshDialog");
            return dialog != nullptr && text(*dialog, "sshQuestion").contains(QLatin1String(what));
        };
        LATCHKEY_AWAIT(asks("SHA256:"));
        QVERIFY(fixture.dialog<QDialog>("sshDialog")->width() < 600);
        press(*fixture.dialog<QDialog>("sshDialog"), "sshConfirm");
        LATCHKEY_AWAIT(asks("passphrase"));
        const QDialog *dialog = fixture.dialog<QDialog>("sshDialog");
        auto *secret = dialog->findChild<QLineEdit *>(QStringLiteral("sshSecret"));
        QCOMPARE(secret->echoMode(), QLineEdit::Password);
        secret->setText(SshSetup::passphrase());
        press(*dialog, "sshConfirm");
        LATCHKEY_AWAIT(isReady(fixture));
        QVERIFY(!setup.knownHosts().isEmpty());
        QVERIFY(fixture.window.windowTitle().contains(QLatin1String("ssh=bed")));
    }

    void declinedHostKey_isReportedAndNotAskedAgain()
    {
        const SshSetup setup;
        if (!setup.obstacle().isEmpty())
            QSKIP(qPrintable(setup.obstacle()));
        qputenv("PATH", setup.searchPath());
        setup.know(SshSetup::Known::Nothing, false);
        MainWindowFixture fixture;
        net::Endpoint endpoint = server->endpoint();
        endpoint.ssh = setup.sshHost();
        fixture.workspace.open(endpoint);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("sshDialog"));
        QTest::keyClick(fixture.dialog<QDialog>("sshDialog"), Qt::Key_Return); // The default answer changes nothing.
        LATCHKEY_AWAIT(bannerText(fixture).contains(QLatin1String("is unknown and not confirmed")));
        QCOMPARE(fixture.workspace.inspected()->session().nextAttempt(), base::MonotonicTime::max());
        QVERIFY(setup.knownHosts().isEmpty());
    }
};

LATCHKEY_WINDOW_TEST(TestTrustQuestions)

} // namespace tst_trustquestions

#include "tst_trustquestions.moc"
