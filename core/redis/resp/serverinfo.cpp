#include "core/redis/resp/serverinfo.h"

namespace latchkey::resp {

ServerInfo ServerInfo::fromInfo(const QByteArray &info)
{
    ServerInfo result;
    for (QByteArray line : info.split('\n')) {
        line = line.trimmed();
        const qsizetype colon = line.indexOf(':');
        if (colon < 0)
            continue;
        const QByteArray field = line.first(colon);
        const QString value = QString::fromUtf8(line.sliced(colon + 1));
        if (field == "redis_version" && result.version.isNull()) {
            result.version = QVersionNumber::fromString(value);
            if (result.product.isEmpty())
                result.product = QStringLiteral("Redis");
        } else if (field == "valkey_version") {
            // Valkey also reports the Redis version it is compatible with.
            result.version = QVersionNumber::fromString(value);
            result.product = QStringLiteral("Valkey");
        } else if (field == "redis_mode" || field == "server_mode") {
            result.mode = value;
        } else if (field == "run_id") {
            result.runId = value;
        }
    }
    return result;
}

QString ServerInfo::display() const
{
    return product.isEmpty() ? QString() : product + QLatin1Char(' ') + version.toString();
}

} // namespace latchkey::resp
