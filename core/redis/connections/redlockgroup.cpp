#include "core/redis/connections/redlockgroup.h"

#include <QSettings>

namespace latchkey::connections {

using net::Endpoint;

bool areSameServer(const Endpoint &a, const Endpoint &b)
{
    const auto master = [](const Endpoint &at) { return at.sentinels ? at.sentinels->master : QString(); };
    return a.transport == b.transport && a.ssh == b.ssh && master(a) == master(b)
        && (a.transport == Endpoint::Transport::Unix ? a.path == b.path : a.host == b.host && a.port == b.port);
}

std::optional<RedlockGroup> readRedlockGroup(const QSettings &file, const QString &name)
{
    if (file.contains(QStringLiteral("url")) || !file.contains(memberKey(0)))
        return std::nullopt;
    RedlockGroup group {name, {}};
    for (qsizetype index = 0; file.contains(memberKey(index)); ++index)
        group.members += file.value(memberKey(index)).toString();
    return group;
}

QString memberKey(qsizetype index)
{
    return QStringLiteral("server%1").arg(index + 1);
}

} // namespace latchkey::connections
