#include "tests/support/clustersetup.h"

#include "core/redis/resp/keyslot.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"

#include <csignal>
#include <functional>

namespace latchkey::test {

namespace {

/// Aborts the test program if the condition does not become true.
void awaitCluster(const char *what, const std::function<bool()> &condition)
{
    if (!waitFor(condition))
        qFatal("cluster: %s did not come true", what);
}

/// Returns the first slot of a primary. For the number after the last primary, returns the number of slots.
int firstSlotOf(int primary)
{
    return resp::slotCount * primary / ClusterSetup::primaryCount;
}

} // namespace

QStringList clusterNode()
{
    return {QStringLiteral("--cluster-enabled"), QStringLiteral("yes"),    QStringLiteral("--cluster-port"),
            QString::number(freePort()),         QStringLiteral("--bind"), QStringLiteral("127.0.0.1")};
}

ClusterSetup::ClusterSetup(Replicas replicas, const QStringList &extraArguments, Announced announced)
{
    for (int i = 0; i < primaryCount * (replicas == Replicas::OneEach ? 2 : 1); ++i)
        start(extraArguments, announced);
    introduce();
    if (replicas == Replicas::OneEach)
        addReplicas();
}

ClusterSetup::~ClusterSetup() = default;

void ClusterSetup::start(const QStringList &extraArguments, Announced announced)
{
    m_ports.push_back(freeClusterPort());
    QStringList arguments = listeningAt(m_ports.back());
    arguments += {QStringLiteral("--cluster-enabled"),          QStringLiteral("yes"),
                  QStringLiteral("--cluster-node-timeout"),     QStringLiteral("1000"),
                  QStringLiteral("--repl-diskless-sync-delay"), QStringLiteral("0")};
    if (announced == Announced::Inner) {
        const QStringList inner = innerAddress(static_cast<int>(m_nodes.size())).split(u':');
        // The bus ports stay the real ones, so that the nodes reach each other.
        arguments += {QStringLiteral("--bind"),
                      QStringLiteral("127.0.0.1"),
                      QStringLiteral("127.0.0.2"),
                      QStringLiteral("--cluster-announce-ip"),
                      inner[0],
                      QStringLiteral("--cluster-announce-port"),
                      inner[1],
                      QStringLiteral("--cluster-announce-bus-port"),
                      QString::number(m_ports.back() + 10'000)};
    }
    m_nodes.push_back(std::make_unique<TestServer>(arguments + extraArguments));
    m_ids.push_back((*m_nodes.back())({"CLUSTER", "MYID"}).bytes());
}

void ClusterSetup::introduce()
{
    const int count = static_cast<int>(m_nodes.size());
    for (int i = 0; i < count; ++i) {
        (void)ask(i, {"CLUSTER", "SET-CONFIG-EPOCH", QByteArray::number(i + 1)});
        if (i < primaryCount
            && !ask(i, {"CLUSTER", "ADDSLOTSRANGE", QByteArray::number(firstSlotOf(i)),
                        QByteArray::number(firstSlotOf(i + 1) - 1)})
                    .isOk())
            qFatal("cluster: a node does not take its slots");
        if (i > 0)
            (void)ask(0, {"CLUSTER", "MEET", "127.0.0.1", QByteArray::number(port(i))});
    }
    const QByteArray known = "cluster_known_nodes:" + QByteArray::number(count) + '\r';
    for (int i = 0; i < count; ++i) {
        awaitCluster("the acquaintance of a node", [&] { return ask(i, {"CLUSTER", "INFO"}).bytes().contains(known); });
        awaitState(i, "ok");
    }
}

void ClusterSetup::addReplicas()
{
    for (int i = 0; i < primaryCount; ++i) {
        const int replica = primaryCount + i;
        awaitCluster("a replica", [&] { return ask(replica, {"CLUSTER", "REPLICATE", id(i)}).isOk(); });
        awaitCluster("the link of a replica",
                     [&] { return ask(replica, {"INFO", "replication"}).bytes().contains("master_link_status:up"); });
    }
    for (int i = 0; i < 2 * primaryCount; ++i)
        awaitCluster("the list of replicas", [&] {
            const resp::Reply listed = ask(i, {"CLUSTER", "SLOTS"});
            return std::ranges::all_of(listed.elements(),
                                       [](const resp::Reply &range) { return range.elements().size() == 4; });
        });
}

net::Endpoint ClusterSetup::endpoint(int node) const
{
    return localEndpoint(port(node));
}

resp::Reply ClusterSetup::ask(int node, const resp::Command &command)
{
    return (*m_nodes.at(static_cast<std::size_t>(node)))(command);
}

resp::Reply ClusterSetup::askOwner(const QByteArray &key, const resp::Command &command)
{
    return ask(ownerOf(key), command);
}

resp::Reply ClusterSetup::askImporting(int node, const resp::Command &command)
{
    (void)ask(node, {"ASKING"});
    return ask(node, command);
}

int ClusterSetup::ownerOf(const QByteArray &key)
{
    int owner = 0;
    while (resp::slotOf(key) >= firstSlotOf(owner + 1))
        ++owner;
    return owner;
}

QByteArray ClusterSetup::keyOf(int primary, const QByteArray &prefix)
{
    int number = 0;
    while (ownerOf(prefix + QByteArray::number(number)) != primary)
        ++number;
    return prefix + QByteArray::number(number);
}

void ClusterSetup::beginMove(const QByteArray &key, int from, int to)
{
    const QByteArray slot = QByteArray::number(resp::slotOf(key));
    if (!ask(to, {"CLUSTER", "SETSLOT", slot, "IMPORTING", id(from)}).isOk()
        || !ask(from, {"CLUSTER", "SETSLOT", slot, "MIGRATING", id(to)}).isOk())
        qFatal("cluster: a slot does not move");
}

void ClusterSetup::migrate(const QByteArray &key, int from, int to)
{
    if (!ask(from, {"MIGRATE", "127.0.0.1", QByteArray::number(port(to)), key, "0", "5000"}).isOk())
        qFatal("cluster: a key does not move");
}

void ClusterSetup::endMove(const QByteArray &key, int to)
{
    const QByteArray slot = QByteArray::number(resp::slotOf(key));
    for (int i = 0; i < primaryCount; ++i)
        (void)ask((to + i) % primaryCount, {"CLUSTER", "SETSLOT", slot, "NODE", id(to)});
}

void ClusterSetup::moveSlot(const QByteArrayList &keys, int from, int to)
{
    beginMove(keys.front(), from, to);
    for (const QByteArray &key : keys)
        migrate(key, from, to);
    endMove(keys.front(), to);
}

void ClusterSetup::kill(int node)
{
    m_nodes.at(static_cast<std::size_t>(node))->kill();
}

void ClusterSetup::suspend(int node) const
{
    ::kill(static_cast<pid_t>(m_nodes.at(static_cast<std::size_t>(node))->process().processId()), SIGSTOP);
}

void ClusterSetup::resume(int node) const
{
    ::kill(static_cast<pid_t>(m_nodes.at(static_cast<std::size_t>(node))->process().processId()), SIGCONT);
}

void ClusterSetup::awaitState(int node, const QByteArray &state)
{
    awaitCluster("the state of a node",
                 [&] { return ask(node, {"CLUSTER", "INFO"}).bytes().contains("cluster_state:" + state + '\r'); });
}

} // namespace latchkey::test
