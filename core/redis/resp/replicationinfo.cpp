#include "core/redis/resp/replicationinfo.h"

#include <QHash>

namespace latchkey::resp {

namespace {

/// Returns the values of `name=value,name=value`.
QHash<QByteArray, QByteArray> valuesIn(const QByteArray &line)
{
    QHash<QByteArray, QByteArray> values;
    for (const QByteArray &item : line.split(',')) {
        const qsizetype equals = item.indexOf('=');
        if (equals > 0)
            values.insert(item.first(equals), item.sliced(equals + 1));
    }
    return values;
}

/// Returns whether the field is `slave0`, `slave1` and so on.
bool namesReplica(const QByteArray &field)
{
    bool isNumber = false;
    (void)field.mid(5).toUInt(&isNumber);
    return field.startsWith("slave") && isNumber;
}

} // namespace

std::optional<ReplicationInfo> ReplicationInfo::fromInfo(const QByteArray &info)
{
    ReplicationInfo result;
    bool hasRole = false;
    bool hasLink = false;
    PrimaryLink link;
    qint64 written = 0;
    std::vector<qint64> confirmed;
    for (QByteArray line : info.split('\n')) {
        line = line.trimmed();
        const qsizetype colon = line.indexOf(':');
        if (colon < 0)
            continue;
        const QByteArray field = line.first(colon);
        const QByteArray value = line.sliced(colon + 1);
        if (field == "role") {
            hasRole = true;
            result.isReplica = value == "slave";
        } else if (field == "master_host") {
            link.address = QString::fromUtf8(value) + link.address;
        } else if (field == "master_port") {
            link.address += u':' + QString::fromUtf8(value);
        } else if (field == "master_link_status") {
            hasLink = true;
            link.isUp = value == "up";
        } else if (field == "master_repl_offset") {
            written = value.toLongLong();
        } else if (namesReplica(field)) {
            const auto values = valuesIn(value);
            result.replicas.push_back({QString::fromUtf8(values.value("ip") + ':' + values.value("port")),
                                       QString::fromUtf8(values.value("state")), 0,
                                       std::chrono::seconds(values.value("lag").toLongLong())});
            confirmed.push_back(values.value("offset").toLongLong());
        }
    }
    if (result.isReplica && hasLink)
        result.primary = link;
    for (std::size_t i = 0; i < confirmed.size(); ++i)
        result.replicas[i].behind = std::max<qint64>(written - confirmed[i], 0);
    return hasRole ? std::optional(result) : std::nullopt;
}

std::optional<base::Error> ReplicationInfo::staleness() const
{
    if (!primary || primary->isUp)
        return std::nullopt;
    base::Text why(QT_TRANSLATE_NOOP("core", "the server is a replica, and its link to the primary %1 is down"),
                   primary->address);
    return base::Error {base::ErrorKind::StaleReplica, std::move(why)};
}

} // namespace latchkey::resp
