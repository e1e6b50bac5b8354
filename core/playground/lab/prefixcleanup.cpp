#include "core/playground/lab/prefixcleanup.h"

#include "core/redis/resp/servererror.h"

namespace latchkey::lab {

using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using net::Session;
using resp::Reply;

namespace {

const QByteArray keysPerPage = QByteArrayLiteral("500");

} // namespace

Exchange<int> removeBelow(QByteArray prefix)
{
    int removed = 0;
    QByteArray cursor = QByteArrayLiteral("0");
    do {
        // The prefix contains no special characters of patterns.
        resp::Command scan {QByteArrayLiteral("SCAN"),  cursor,     QByteArrayLiteral("MATCH"), prefix + '*',
                            QByteArrayLiteral("COUNT"), keysPerPage};
        const Reply page = co_await std::move(scan);
        if (page.elements().size() != 2)
            throw base::Failure(resp::serverError(page));
        cursor = page.elements().front().bytes();
        Batch removal;
        for (const Reply &key : page.elements().back().elements())
            removal.add({QByteArrayLiteral("DEL"), key.bytes()});
        if (removal.requests().empty())
            continue;
        const Answers answers = co_await std::move(removal);
        for (const exchange::Answer &answer : answers) {
            if (!answer)
                throw base::Failure(answer.error());
            ++removed;
        }
    } while (cursor != "0");
    co_return removed;
}

PrefixCleanup::PrefixCleanup(const net::Endpoint &server, QByteArray prefix, const base::Clock &clock,
                             base::RandomSource &random)
    : m_prefix(std::move(prefix))
    , m_session(server, clock, random)
    , m_driver({&m_session}, clock, random)
{
    connect(&m_session, &Session::stateChanged, this, &PrefixCleanup::sessionChanged);
}

PrefixCleanup::~PrefixCleanup() = default;

void PrefixCleanup::sessionChanged(Session::State state)
{
    if (state == Session::State::Waiting)
        end(m_session.lastError());
    if (state != Session::State::Ready)
        return;
    m_driver.run<int>(removeBelow(m_prefix), [this](const base::Result<int> &removed) {
        end(removed ? std::nullopt : std::optional(removed.error()));
    });
}

void PrefixCleanup::end(const std::optional<base::Error> &error)
{
    if (!std::exchange(m_isOver, true))
        Q_EMIT finished(error);
}

} // namespace latchkey::lab
