#include "tests/support/sentinelsetup.h"

#include "core/redis/net/descriptordevice.h"
#include "core/redis/net/handshake.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"

#include <QDeadlineTimer>
#include <QFile>

#include <csignal>
#include <functional>

namespace latchkey::test {

using namespace std::chrono_literals;

namespace {

/// Aborts the test program if the condition does not become true. `detail`: returns further text for the message.
void await(const char *what, const std::function<bool()> &condition, const std::function<QByteArray()> &detail = {})
{
    if (!waitFor(condition))
        qFatal("sentinels: %s did not come true%s", what, detail ? detail().constData() : "");
}

/// Returns the reply. Absent if the process does not reply.
std::optional<resp::Reply> tryToAsk(const net::Endpoint &endpoint, net::Peer peer, const resp::Command &command)
{
    auto device = net::DescriptorDevice::connectTo(endpoint, QDeadlineTimer(1s));
    if (!device)
        return std::nullopt;
    net::BlockingConnection connection(std::move(*device), endpoint.display());
    resp::Commands commands = net::Handshake(endpoint, QByteArrayLiteral("bed"), peer).commands();
    commands.push_back(command);
    auto replies = connection.execute(commands, 5s);
    return replies ? std::optional(std::move(replies->back())) : std::nullopt;
}

QByteArray fieldOf(const resp::Reply &fields, const QByteArray &name)
{
    for (std::size_t i = 0; i + 1 < fields.elements().size(); i += 2) {
        if (fields.elements()[i].isBulk(name))
            return fields.elements()[i + 1].bytes();
    }
    return {};
}

} // namespace

SentinelSetup::SentinelSetup(const QByteArray &password, const QByteArray &sentinelPassword)
    : m_password(password)
    , m_sentinelPassword(sentinelPassword)
{
    const auto program = privateserver::PrivateServer::findProgram();
    if (!program || !QFile::link(*program, m_folder.filePath(QStringLiteral("redis-server"))))
        qFatal("there is no redis-server");
    startServers();
    startSentinels();
}

SentinelSetup::~SentinelSetup()
{
    for (auto *group : {&m_sentinels, &m_servers}) {
        for (const auto &child : *group)
            child->kill();
    }
}

std::unique_ptr<process::Child> SentinelSetup::start(const QStringList &arguments)
{
    process::Launch launch;
    launch.words = process::Launch::wordsFrom(m_folder.filePath(QStringLiteral("redis-server")), arguments);
    launch.folder = QFile::encodeName(m_folder.path());
    launch.input = process::Launch::Channel::Nothing;
    launch.output = process::Launch::Channel::Nothing;
    launch.errors = process::Launch::Errors::WithOutput;
    launch.environment += process::Launch::Variable {"LC_ALL", "C"};
    auto child = std::make_unique<process::Child>();
    if (const auto started = child->start(launch); !started)
        qFatal("%s", started.error().message().c_str());
    return child;
}

net::Endpoint SentinelSetup::serverEndpoint(int server) const
{
    net::Endpoint endpoint = localEndpoint(port(server));
    endpoint.password = QString::fromUtf8(m_password);
    return endpoint;
}

net::Endpoint SentinelSetup::sentinelEndpoint(int sentinel) const
{
    net::Endpoint endpoint = localEndpoint(sentinelPort(sentinel));
    endpoint.password = QString::fromUtf8(m_sentinelPassword);
    return endpoint;
}

net::Endpoint SentinelSetup::endpoint() const
{
    net::Endpoint endpoint = localEndpoint(sentinelPort(0));
    endpoint.password = QString::fromUtf8(m_password);
    endpoint.sentinels = net::SentinelGroup {master(), {}, {}, QString::fromUtf8(m_sentinelPassword)};
    for (int i = 1; i < sentinelCount; ++i)
        endpoint.sentinels->others.push_back({QStringLiteral("127.0.0.1"), sentinelPort(i)});
    return endpoint;
}

void SentinelSetup::startServers()
{
    for (int i = 0; i < serverCount; ++i) {
        m_ports[static_cast<std::size_t>(i)] = freePort();
        QStringList arguments = listeningAt(port(i));
        arguments += {QStringLiteral("--save"),
                      QString(),
                      QStringLiteral("--repl-diskless-sync-delay"),
                      QStringLiteral("0"),
                      QStringLiteral("--repl-ping-replica-period"),
                      QStringLiteral("1")};
        if (!m_password.isEmpty())
            arguments += {QStringLiteral("--requirepass"), QString::fromUtf8(m_password),
                          QStringLiteral("--masterauth"), QString::fromUtf8(m_password)};
        if (i > 0)
            arguments += {QStringLiteral("--replicaof"), QStringLiteral("127.0.0.1"), QString::number(port(0))};
        m_servers.push_back(start(arguments));
    }
    for (int i = 1; i < serverCount; ++i)
        await("the link of a replica", [&] {
            const auto info = tryToAsk(serverEndpoint(i), net::Peer::Server, {"INFO", "replication"});
            return info && info->bytes().contains("master_link_status:up");
        });
}

void SentinelSetup::startSentinels()
{
    const QByteArray name = master().toUtf8();
    for (int i = 0; i < sentinelCount; ++i) {
        m_sentinelPorts[static_cast<std::size_t>(i)] = freePort();
        QByteArray settings = "port " + QByteArray::number(sentinelPort(i)) + "\nbind 127.0.0.1\ndir "
                            + QFile::encodeName(m_folder.path()) + "\nsentinel monitor " + name + " 127.0.0.1 "
                            + QByteArray::number(port(0)) + " 2\nsentinel down-after-milliseconds " + name
                            + " 1000\nsentinel failover-timeout " + name + " 3000\n";
        if (!m_password.isEmpty())
            settings += "sentinel auth-pass " + name + ' ' + m_password + '\n';
        if (!m_sentinelPassword.isEmpty())
            settings += "requirepass " + m_sentinelPassword + "\nsentinel sentinel-pass " + m_sentinelPassword + '\n';
        const QString path = m_folder.filePath(QStringLiteral("sentinel%1.conf").arg(i)); // A sentinel rewrites its
                                                                                          // configuration file.
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(settings) != settings.size())
            qFatal("cannot write %s", qPrintable(path));
        file.close();
        m_sentinels.push_back(start({path, QStringLiteral("--sentinel")}));
    }
    for (int i = 0; i < sentinelCount; ++i) {
        std::optional<resp::Reply> view;
        await(
            "the view of a sentinel",
            [&] {
                view = tryToAsk(sentinelEndpoint(i), net::Peer::Sentinel, {"SENTINEL", "MASTER", name});
                return view && fieldOf(*view, "num-slaves") == "2" && fieldOf(*view, "num-other-sentinels") == "2"
                    && fieldOf(*view, "flags") == "master";
            },
            [&] {
                QByteArray text =
                    "; it " + (view ? "replied " + view->toText().toUtf8() : QByteArray("does not reply"));
                for (int other = 0; other < sentinelCount; ++other) {
                    const process::Child &child = *m_sentinels[static_cast<std::size_t>(other)];
                    text += "; sentinel " + QByteArray::number(other)
                          + (child.isRunning() ? " runs" : " ended with " + QByteArray::number(child.exitCode()));
                }
                return text;
            });
    }
}

resp::Reply SentinelSetup::ask(int server, const resp::Command &command) const
{
    return tryToAsk(serverEndpoint(server), net::Peer::Server, command).value_or(resp::Reply::error("no answer"));
}

resp::Reply SentinelSetup::askSentinel(int sentinel, const resp::Command &command) const
{
    return tryToAsk(sentinelEndpoint(sentinel), net::Peer::Sentinel, command).value_or(resp::Reply::error("no answer"));
}

void SentinelSetup::awaitReplicas() const
{
    const auto offsetOf = [this](int server) {
        const QByteArray info = ask(server, {"INFO", "replication"}).bytes();
        const QByteArray mark = server == 0 ? "master_repl_offset:" : "slave_repl_offset:";
        return info.sliced(info.indexOf(mark) + mark.size()).split('\r').front().toLongLong();
    };
    const qint64 written = offsetOf(0);
    await("the replication", [&] { return offsetOf(1) >= written && offsetOf(2) >= written; });
}

void SentinelSetup::suspend(int server) const
{
    m_servers.at(static_cast<std::size_t>(server))->signal(SIGSTOP);
}

void SentinelSetup::resume(int server) const
{
    m_servers.at(static_cast<std::size_t>(server))->signal(SIGCONT);
}

void SentinelSetup::kill(int server)
{
    m_servers.at(static_cast<std::size_t>(server))->kill();
}

void SentinelSetup::killSentinel(int sentinel)
{
    m_sentinels.at(static_cast<std::size_t>(sentinel))->kill();
}

void SentinelSetup::failOver() const
{
    // A failover may be refused for a moment, until a replica is known to be good.
    await("the order of a failover",
          [this] { return askSentinel(0, {"SENTINEL", "FAILOVER", master().toUtf8()}).isOk(); });
}

int SentinelSetup::namedPrimary() const
{
    for (int sentinel = 0; sentinel < sentinelCount; ++sentinel) {
        const resp::Reply reply = askSentinel(sentinel, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master().toUtf8()});
        if (reply.elements().size() != 2)
            continue;
        for (int server = 0; server < serverCount; ++server) {
            if (reply.elements()[1].bytes().toInt() == port(server))
                return server;
        }
        return -1;
    }
    return -1;
}

} // namespace latchkey::test
