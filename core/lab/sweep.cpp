#include "core/lab/sweep.h"

#include "core/resp/servererror.h"

#include <QPointer>

namespace latchkey::lab {

using resp::Connection;
using resp::Session;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 10s;
const QByteArray keysPerPage = QByteArrayLiteral("500");

} // namespace

Sweep::Sweep(const resp::Endpoint &server, QByteArray prefix, const base::Clock &clock, base::RandomSource &random)
    : m_prefix(std::move(prefix))
    , m_session(server, clock, random)
{
    connect(&m_session, &Session::stateChanged, this, &Sweep::sessionChanged);
}

Sweep::~Sweep() = default;

void Sweep::sessionChanged(Session::State state)
{
    if (state == Session::State::Ready)
        scan(QByteArrayLiteral("0"));
    else if (state == Session::State::Waiting)
        end(m_session.lastError());
}

void Sweep::scan(const QByteArray &cursor)
{
    // A prefix of ours has none of the characters that mean something in a pattern.
    m_session.connection()->send({{QByteArrayLiteral("SCAN"), cursor, QByteArrayLiteral("MATCH"), m_prefix + '*',
                                   QByteArrayLiteral("COUNT"), keysPerPage}},
                                 timeout, [alive = QPointer(this)](const base::Result<Connection::Delivery> &outcome) {
                                     if (alive && outcome)
                                         alive->scanned(outcome->replies.front());
                                 });
}

void Sweep::scanned(const resp::Reply &page)
{
    if (page.elements().size() != 2)
        return end(resp::serverError(page));
    const QByteArray cursor = page.elements().front().bytes();
    resp::Commands commands;
    for (const resp::Reply &key : page.elements().back().elements())
        commands.push_back({QByteArrayLiteral("DEL"), key.bytes()});
    m_session.connection()->send(commands, timeout,
                                 [alive = QPointer(this), cursor](const base::Result<Connection::Delivery> &outcome) {
                                     if (!alive || !outcome)
                                         return;
                                     for (const resp::Reply &reply : outcome->replies) {
                                         if (reply.isError())
                                             return alive->end(resp::serverError(reply));
                                     }
                                     if (cursor == "0")
                                         alive->end(std::nullopt);
                                     else
                                         alive->scan(cursor);
                                 });
}

void Sweep::end(const std::optional<base::Error> &error)
{
    if (!std::exchange(m_isOver, true))
        Q_EMIT finished(error);
}

} // namespace latchkey::lab
