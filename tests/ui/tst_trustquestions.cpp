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

    static bool isReady(const MainWindowFixture &bench)
    {
        return bench.workspace.inspected()->session().state() == Session::State::Ready;
    }
    /// Opens the dialog from the message about the certificate.
    static QDialog *certificateDialog(const MainWindowFixture &bench)
    {
        if (!test::waitFor([&] { return bannerText(bench).contains(QLatin1String("certificate")); }))
            return nullptr;
        bannerAction(bench)->click();
        QDialog *dialog = nullptr;
        (void)test::waitFor([&] { return (dialog = bench.dialog<QDialog>("certificateDialog")) != nullptr; });
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
        const test::TlsSetup bed;
        if (!bed.obstacle().isEmpty())
            QSKIP(qPrintable(bed.obstacle()));
        const quint16 port = bed.encrypt(*server, QStringLiteral("self-signed"));
        MainWindowFixture bench;
        bench.workspace.open(net::Endpoint::fromUrl(QStringLiteral("rediss://localhost:%1").arg(port)).value());
        const QDialog *dialog = certificateDialog(bench);
        QVERIFY(dialog);
        QString seen = text(*dialog, "certificateFingerprint").remove(u'\n').remove(u':').remove(QChar(0x200B));
        QCOMPARE(seen.size(), 64);
        QVERIFY(text(*dialog, "certificateNames").contains(QLatin1String("localhost")));
        QVERIFY(text(*dialog, "certificateWhy").contains(QLatin1String("self-signed")));

        press(*dialog, "certificateCancel");
        QVERIFY(!isReady(bench) && bench.workspace.inspected()->endpoint().tls->pin.isEmpty());
        bench.workspace.open(bench.workspace.inspected()->endpoint());
        dialog = certificateDialog(bench);
        QVERIFY(dialog);
        press(*dialog, "certificatePin");
        LATCHKEY_AWAIT(isReady(bench));
        QCOMPARE(bench.workspace.inspected()->endpoint().tls->pin, bed.fingerprint(QStringLiteral("self-signed")));
        QVERIFY(bench.settings.lastServer().contains(QLatin1String("pin=")));
    }

    void changedCertificate_isShownAsCritical()
    {
        const test::TlsSetup bed;
        if (!bed.obstacle().isEmpty())
            QSKIP(qPrintable(bed.obstacle()));
        net::Endpoint endpoint = bed.endpoint(bed.encrypt(*server, QStringLiteral("server")));
        endpoint.tls->pin = bed.fingerprint(QStringLiteral("self-signed"));
        MainWindowFixture bench;
        bench.workspace.open(endpoint);
        const QDialog *dialog = certificateDialog(bench);
        QVERIFY(dialog);
        QVERIFY(text(*dialog, "pageTitle").contains(QLatin1String("CHANGED")));
        QVERIFY2(dialog->width() < 600, qPrintable(QString::number(dialog->width()))); // The smallest window is 960
                                                                                       // pixels wide.
        // Return does not trust the certificate.
        QTest::keyClick(dialog->window(), Qt::Key_Return);
        QVERIFY(!isReady(bench));
        QCOMPARE(bench.workspace.inspected()->endpoint(), endpoint);
    }

    void hostKeyAndPassphrase_areAskedFor()
    {
        const SshSetup bed;
        if (!bed.obstacle().isEmpty())
            QSKIP(qPrintable(bed.obstacle()));
        qputenv("PATH", bed.searchPath());
        bed.know(SshSetup::Known::Nothing, false);
        bed.useKey(true);
        MainWindowFixture bench;
        net::Endpoint endpoint = server->endpoint();
        endpoint.ssh = bed.sshHost();
        bench.workspace.open(endpoint);
        const auto asks = [&bench](const char *what) {
            const auto *dialog = bench.dialog<QDialog>("sshDialog");
            return dialog != nullptr && text(*dialog, "sshQuestion").contains(QLatin1String(what));
        };
        LATCHKEY_AWAIT(asks("SHA256:"));
        QVERIFY(bench.dialog<QDialog>("sshDialog")->width() < 600);
        press(*bench.dialog<QDialog>("sshDialog"), "sshConfirm");
        LATCHKEY_AWAIT(asks("passphrase"));
        const QDialog *dialog = bench.dialog<QDialog>("sshDialog");
        auto *secret = dialog->findChild<QLineEdit *>(QStringLiteral("sshSecret"));
        QCOMPARE(secret->echoMode(), QLineEdit::Password);
        secret->setText(SshSetup::passphrase());
        press(*dialog, "sshConfirm");
        LATCHKEY_AWAIT(isReady(bench));
        QVERIFY(!bed.knownHosts().isEmpty());
        QVERIFY(bench.window.windowTitle().contains(QLatin1String("ssh=bed")));
    }

    void declinedHostKey_isReportedAndNotAskedAgain()
    {
        const SshSetup bed;
        if (!bed.obstacle().isEmpty())
            QSKIP(qPrintable(bed.obstacle()));
        qputenv("PATH", bed.searchPath());
        bed.know(SshSetup::Known::Nothing, false);
        MainWindowFixture bench;
        net::Endpoint endpoint = server->endpoint();
        endpoint.ssh = bed.sshHost();
        bench.workspace.open(endpoint);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("sshDialog"));
        QTest::keyClick(bench.dialog<QDialog>("sshDialog"), Qt::Key_Return); // The default answer changes nothing.
        LATCHKEY_AWAIT(bannerText(bench).contains(QLatin1String("is unknown and not confirmed")));
        QCOMPARE(bench.workspace.inspected()->session().nextAttempt(), base::MonotonicTime::max());
        QVERIFY(bed.knownHosts().isEmpty());
    }
};

LATCHKEY_WINDOW_TEST(TestTrustQuestions)

} // namespace tst_trustquestions

#include "tst_trustquestions.moc"
