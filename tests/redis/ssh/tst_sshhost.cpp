#include "core/redis/ssh/ssherrors.h"
#include "core/redis/ssh/sshhost.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_sshhost {

using namespace latchkey;
using ssh::SshHost;

class TestHop final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void text_isParsed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        const auto row = [](const char *text, const char *user, const char *host, int port) {
            QTest::addRow("%s", text) << QString::fromLatin1(text) << QString::fromLatin1(user)
                                      << QString::fromLatin1(host) << port;
        };
        row("jump", "", "jump", 0);
        row("me@jump.example", "me", "jump.example", 0);
        row("me@jump:2222", "me", "jump", 2222);
        row("[::1]:22", "", "::1", 22);
        row("me@[fe80::1]", "me", "fe80::1", 0);
    }
    void text_isParsed()
    {
        QFETCH(const QString, text);
        QFETCH(const int, port);
        const auto sshHost = SshHost::fromText(text);
        QVERIFY2(sshHost, "refused");
        QTEST(sshHost->user, "user");
        QTEST(sshHost->host, "host");
        QCOMPARE(static_cast<int>(sshHost->port), port);
        QCOMPARE(sshHost->display(), text);
    }

    /// Texts that ssh would take for an option, or a shell for more than a name.
    void invalidHostName_isRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", "@", "me@", "@jump", "-oProxyCommand=x", "-l@jump", "me@-oX", "a b", "a;b", "$(x)",
                                 "jump:0", "jump:70000", "jump:x", "::1", "jump\n", "a/b"})
            QTest::addRow("%s", text) << QString::fromLatin1(text);
    }
    void invalidHostName_isRefused()
    {
        QFETCH(const QString, text);
        const auto sshHost = SshHost::fromText(text);
        QVERIFY(!sshHost);
        QCOMPARE(sshHost.error().kind, base::ErrorKind::Usage);
    }

    /// Real messages of ssh and the sentences made from them.
    void wordsOfSsh_becomeASentence_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<bool>("needsPerson");
        const auto row = [](const char *said, const char *sentence, bool needsUserAction) {
            QTest::addRow("%s", sentence) << QByteArray(said) << QString::fromLatin1(sentence) << needsUserAction;
        };
        row("ssh: Could not resolve hostname jmp: Name or service not known\r\n",
            "ssh finds no host called \"jmp\"; is it spelled right?", false);
        row("ssh: connect to host jump port 22: Connection refused\r\n",
            "ssh cannot connect to jump: Connection refused; is that its SSH port?", false);
        row("@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\nHost key verification failed.\r\n",
            "the SSH host key of jump has CHANGED: the connection may be intercepted, or the host was reinstalled; ask "
            "its administrator, and if it was, remove the old key with ssh-keygen -R",
            true);
        row("root@jump: Permission denied (publickey,password).\r\n",
            "jump does not let ssh in: no key or password was accepted (it takes: publickey,password); try it with ssh "
            "alone",
            true);
        row("kex_exchange_identification: Connection closed by remote host\r\n",
            "ssh to jump: kex_exchange_identification: Connection closed by remote host", false);
        row("", "ssh to jump ended without a message", false);
    }
    void wordsOfSsh_becomeASentence()
    {
        QFETCH(const QByteArray, said);
        const ssh::TunnelFailure why = ssh::tunnelFailure({{}, QStringLiteral("jump"), 0}, said);
        QTEST(why.error.message(), "sentence");
        QTEST(why.needsUserAction, "needsPerson");
    }
};

LATCHKEY_TEST(TestHop)

} // namespace tst_sshhost

#include "tst_sshhost.moc"
