// The connection test of a ServerDialog. The fields are in serverdialog.cpp.

#include "ui/shell/connections/serverdialog.h"
#include "core/inspect/inspection/commandallowlist.h"
#include "core/redis/connections/keychain.h"
#include "core/redis/connections/savedservers.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/servertexts.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>

namespace latchkey::ui::connections {

using net::Session;
using namespace std::chrono_literals;

namespace {

constexpr auto checkTimeout = 10s;

} // namespace

/// Clears the result of the test, because the input has changed.
void ServerDialog::forgetTest()
{
    ++m_asked;
    m_session.reset();
    m_result->clear();
    m_tested = {};
    refresh();
}

/// Tests the connection like a real one: name lookup, TLS, password and first commands.
void ServerDialog::test()
{
    if (m_session)
        return endTest({}, {});
    const auto said = server();
    if (!said)
        return;
    if (!m_hasSecrets || !said->hasSecrets || !latchkey::connections::lacksSecrets(said->endpoint))
        return begin(said->endpoint);
    say(tr("Waiting for the keychain…"));
    latchkey::connections::readKeychain(
        m_replaced, *this, [this, number = ++m_asked, endpoint = said->endpoint](const auto &found) {
            if (number != m_asked)
                return;
            if (found)
                begin(found->filledIn(endpoint));
            else
                say(widgets::fullSentence(found.error().message()), QStringLiteral("critical"));
        });
}

void ServerDialog::begin(const net::Endpoint &endpoint)
{
    m_session = std::make_unique<Session>(endpoint, m_clock, m_random);
    connect(m_session.get(), &Session::stateChanged, this, [this](Session::State state) {
        if (state == Session::State::Waiting)
            endTest(widgets::fullSentence(m_session->lastError()->message()), QStringLiteral("critical"));
    });
    connect(m_session.get(), &Session::roundTripMeasured, this, [this](std::chrono::nanoseconds roundTrip) {
        m_session->disconnect(this);
        check(roundTrip);
    });
    say(tr("Trying…"));
    m_session->start();
    refresh();
}

/// Requests the role, the rights and the events of the connected server.
void ServerDialog::check(std::chrono::nanoseconds roundTrip)
{
    m_tested = m_session->server();
    inspection::checkServer(*m_session->connection(), checkTimeout, *m_session,
                            [this, roundTrip](const base::Result<inspection::ServerCheck> &checked) {
                                if (!checked)
                                    return endTest(widgets::fullSentence(checked.error().message()),
                                                   QStringLiteral("critical"));
                                endTest(textOf(*checked, m_tested, roundTrip),
                                        canWatch(*checked) ? QStringLiteral("good") : QStringLiteral("warning"));
                            });
}

void ServerDialog::endTest(const QString &result, const QString &tone)
{
    m_session->disconnect(this);
    m_session.release()->deleteLater(); // Deleted later, because it is the sender.
    say(result, tone);
    refresh();
}

void ServerDialog::copyWatcherLine()
{
    const auto said = server();
    QGuiApplication::clipboard()->setText(inspection::CommandAllowlist::aclLine(
        QStringLiteral("latchkey"), said ? said->endpoint.database : 0, m_tested));
    say(m_tested.version.isNull() ? tr("Copied, for a server of version 7.0 or later. After a test it is the line "
                                       "for that server's version.")
                                  : tr("Copied, for version %1.").arg(m_tested.version.toString()));
}

} // namespace latchkey::ui::connections
