#include "core/redis/resp/replyguard.h"
#include "tests/support/testprogram.h"
#include "ui/shell/shell/connectiontexts.h"
#include "ui/shell/shell/windowplace.h"

#include <QTest>

Q_DECLARE_METATYPE(latchkey::ui::shell::ConnectionStatus)
Q_DECLARE_METATYPE(latchkey::ui::shell::RecoveryAction)

namespace tst_connectiontexts {

using namespace latchkey;
using namespace latchkey::ui::shell;
using base::ErrorKind;
using State = net::Session::State;
using Tone = ui::widgets::Pill::Tone;
using namespace std::chrono_literals;

class TestConnectionWords final : public QObject
{
    Q_OBJECT

    static base::Error error(ErrorKind kind, const char *message)
    {
        return base::Error {kind, QString::fromLatin1(message)};
    }

private Q_SLOTS:
    void state_isDescribedWithItsAction_data()
    {
        QTest::addColumn<ConnectionStatus>("facts");
        QTest::addColumn<QString>("state");
        QTest::addColumn<Tone>("tone");
        QTest::addColumn<QString>("explanation");
        QTest::addColumn<RecoveryAction>("action");
        QTest::addColumn<bool>("canRecover");
        const auto refused = error(ErrorKind::Unreachable, "connection refused");
        const auto silent = error(ErrorKind::TimedOut, "PING was not answered");
        const auto secret = error(ErrorKind::WrongPassword, "the password is wrong");

        QTest::addRow("connecting") << ConnectionStatus {State::Connecting, false, false, {}, {}, {}}
                                    << QStringLiteral("connecting") << Tone::Neutral << QString()
                                    << RecoveryAction::None << true;
        QTest::addRow("connected") << ConnectionStatus {State::Ready, false, false, {}, 300ms, {}}
                                   << QStringLiteral("connected") << Tone::Good << QString() << RecoveryAction::None
                                   << true;
        QTest::addRow("private") << ConnectionStatus {State::Ready, true, false, {}, 300ms, {}}
                                 << QStringLiteral("private server") << Tone::Good << QString() << RecoveryAction::None
                                 << true;
        QTest::addRow("of a cluster")
            << ConnectionStatus {State::Ready, false, false, {}, 300ms, {}, resp::ClusterPart {2, 3}}
            << QStringLiteral("node 2 of 3") << Tone::Good
            << QStringLiteral("This server is one node of a cluster: the keys of the other nodes are not shown.")
            << RecoveryAction::None << true;
        QTest::addRow("paused") << ConnectionStatus {State::Ready, false, true, {}, 300ms, {}}
                                << QStringLiteral("paused") << Tone::Warning
                                << QStringLiteral("No requests until you resume.") << RecoveryAction::None << true;
        QTest::addRow("frozen") << ConnectionStatus {State::Ready, false, false, {}, 4900ms, {}}
                                << QStringLiteral("no answer since 4 s") << Tone::Warning
                                << QStringLiteral("The connection is open, but the server does not answer.")
                                << RecoveryAction::None << true;
        QTest::addRow("frozen for long") << ConnectionStatus {State::Waiting, false, false, silent, 12s, 1500ms}
                                         << QStringLiteral("no answer since 12 s") << Tone::Critical
                                         << QStringLiteral("PING was not answered\nThe next attempt is in 2 s.")
                                         << RecoveryAction::TryNow << true;
        QTest::addRow("frozen, and tried again")
            << ConnectionStatus {State::Connecting, false, false, silent, 125s, {}}
            << QStringLiteral("no answer since 2 min") << Tone::Critical
            << QStringLiteral("PING was not answered\nTrying again…") << RecoveryAction::TryNow << false;
        QTest::addRow("never there") << ConnectionStatus {State::Waiting, false, false, refused, {}, 200ms}
                                     << QStringLiteral("no connection") << Tone::Critical
                                     << QStringLiteral("Connection refused\nThe next attempt is in 1 s.")
                                     << RecoveryAction::TryNow << true;
        QTest::addRow("wrong password") << ConnectionStatus {State::Waiting, false, false, secret, {}, 30s}
                                        << QStringLiteral("password needed") << Tone::Warning
                                        << QStringLiteral("The password is wrong\nThe next attempt is in 30 s.")
                                        << RecoveryAction::EnterPassword << true;
        QTest::addRow("a person is needed") << ConnectionStatus {State::Waiting, false, false, refused, {}, {}}
                                            << QStringLiteral("no connection") << Tone::Critical
                                            << QStringLiteral("Connection refused\n"
                                                              "No automatic retry.")
                                            << RecoveryAction::TryNow << true;
        const auto reason = [](const char *name, ErrorKind kind, const char *pill) {
            QTest::addRow("%s", name) << ConnectionStatus {State::Waiting, false, false, error(kind, "why"), 12s, 1s}
                                      << QString::fromLatin1(pill) << Tone::Critical
                                      << QStringLiteral("Why\nThe next attempt is in 1 s.") << RecoveryAction::TryNow
                                      << true;
        };
        reason("no room", ErrorKind::TooManyClients, "no room");
        reason("another program", ErrorKind::Protocol, "not Redis");
        const base::Error large = resp::ReplyGuard({.bulkLength = 1}).inspect("$100\r\n").error();
        QTest::addRow("too large") << ConnectionStatus {State::Waiting, false, false, large, 12s, 1s}
                                   << QStringLiteral("too large") << Tone::Critical
                                   << QStringLiteral("The server sent a value of 100 bytes, larger than 1 bytes: not "
                                                     "read\nThe next attempt is in 1 s.")
                                   << RecoveryAction::TryNow << true;
        reason("loading", ErrorKind::Loading, "loading");
        reason("protected", ErrorKind::ProtectedMode, "no permission");
    }
    void state_isDescribedWithItsAction()
    {
        QFETCH(ConnectionStatus, facts);
        const ConnectionTexts words = describe(facts);
        QTEST(words.state, "state");
        QTEST(words.tone, "tone");
        QTEST(words.explanation, "explanation");
        QTEST(words.action, "action");
        QTEST(words.canRecover, "canRecover");
    }

    void window_isNoLargerThanItsScreen_data()
    {
        QTest::addColumn<QSize>("available");
        QTest::addColumn<QSize>("first");
        QTest::addColumn<QSize>("smallest");
        QTest::addRow("large") << QSize(2560, 1400) << QSize(1280, 800) << QSize(960, 560);
        QTest::addRow("1280 by 720") << QSize(1280, 720) << QSize(1276, 684) << QSize(960, 560);
        QTest::addRow("small") << QSize(800, 600) << QSize(796, 564) << QSize(796, 560);
    }
    void window_isNoLargerThanItsScreen()
    {
        QFETCH(QSize, available);
        const WindowSizes sizes = windowSizesFor(available, QSize(4, 36));
        QTEST(sizes.first, "first");
        QTEST(sizes.smallest, "smallest");
    }
};

LATCHKEY_TEST(TestConnectionWords)

} // namespace tst_connectiontexts

#include "tst_connectiontexts.moc"
