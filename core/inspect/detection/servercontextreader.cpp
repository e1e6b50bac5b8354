#include "core/inspect/detection/servercontextreader.h"

namespace latchkey::detection {

using net::Connection;
using resp::Reply;

ServerContextReader::ServerContextReader(watching::Watcher &watcher, QObject *parent)
    : QObject(parent)
    , m_watcher(watcher)
{}

void ServerContextReader::forgetScripts()
{
    m_known.scripts.reset();
    m_areScriptsRequested = false;
    m_scripts = std::make_unique<QObject>();
}

void ServerContextReader::forgetAll()
{
    forgetScripts();
    m_known.subscribers.clear();
    m_known.areChannelsComplete = false;
    cancelAll();
}

void ServerContextReader::cancelAll()
{
    m_wantScripts.clear();
    m_wantSubscribers.clear();
}

void ServerContextReader::requestScripts(const QByteArrayList &scripts, const QByteArray &key)
{
    m_wantScripts.insert(key);
    if (std::exchange(m_areScriptsRequested, true))
        return;
    resp::Command command {QByteArrayLiteral("SCRIPT"), QByteArrayLiteral("EXISTS")};
    for (const QByteArray &script : scripts)
        command << script;
    m_watcher.send({command}, m_scripts.get(), [this, scripts](const Connection::Delivery &delivery) {
        QSet<QByteArray> present;
        const std::vector<Reply> &answers = delivery.replies.front().elements(); // Empty if denied.
        for (std::size_t i = 0; i < answers.size() && i < static_cast<std::size_t>(scripts.size()); ++i) {
            if (answers[i].isInteger(1))
                present.insert(scripts[static_cast<qsizetype>(i)]);
        }
        m_known.scripts = present;
        Q_EMIT answered(std::exchange(m_wantScripts, {}));
    });
}

void ServerContextReader::requestSubscribers(const QByteArray &channel, const QByteArray &key)
{
    const bool isRequestPending = m_wantSubscribers.contains(channel);
    m_wantSubscribers[channel].insert(key);
    if (isRequestPending)
        return;
    m_watcher.send({{QByteArrayLiteral("PUBSUB"), QByteArrayLiteral("NUMSUB"), channel}}, this,
                   [this, channel](const Connection::Delivery &delivery) {
                       const std::vector<Reply> &answer = delivery.replies.front().elements();
                       m_known.subscribers.insert(channel, answer.size() == 2 ? answer[1].toInteger() : 0);
                       Q_EMIT answered(m_wantSubscribers.take(channel));
                   });
}

} // namespace latchkey::detection
