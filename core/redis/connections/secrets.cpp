#include "core/redis/connections/secrets.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace latchkey::connections {

namespace {

const QString passwordKey = QStringLiteral("password");
const QString proxyKey = QStringLiteral("proxy");
const QString sentinelKey = QStringLiteral("sentinel");

} // namespace

Secrets Secrets::of(const net::Endpoint &endpoint)
{
    return {endpoint.password, endpoint.proxy ? endpoint.proxy->password : QString(),
            endpoint.sentinels ? endpoint.sentinels->password : QString()};
}

net::Endpoint Secrets::filledIn(net::Endpoint endpoint) const
{
    if (endpoint.password.isEmpty())
        endpoint.password = password;
    if (endpoint.proxy && endpoint.proxy->password.isEmpty())
        endpoint.proxy->password = proxyPassword;
    if (endpoint.sentinels && endpoint.sentinels->password.isEmpty())
        endpoint.sentinels->password = sentinelPassword;
    return endpoint;
}

Secrets Secrets::withDefaults(const Secrets &other) const
{
    return {password.isEmpty() ? other.password : password,
            proxyPassword.isEmpty() ? other.proxyPassword : proxyPassword,
            sentinelPassword.isEmpty() ? other.sentinelPassword : sentinelPassword};
}

QByteArray Secrets::toBytes() const
{
    QJsonObject object;
    if (!password.isEmpty())
        object.insert(passwordKey, password);
    if (!proxyPassword.isEmpty())
        object.insert(proxyKey, proxyPassword);
    if (!sentinelPassword.isEmpty())
        object.insert(sentinelKey, sentinelPassword);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

Secrets Secrets::fromBytes(const QByteArray &bytes)
{
    const QJsonDocument document = QJsonDocument::fromJson(bytes);
    if (!document.isObject())
        return {QString::fromUtf8(bytes), {}, {}};
    return {document[passwordKey].toString(), document[proxyKey].toString(), document[sentinelKey].toString()};
}

bool lacksSecrets(const net::Endpoint &endpoint)
{
    return endpoint.password.isEmpty() || (endpoint.sentinels && endpoint.sentinels->password.isEmpty())
        || (endpoint.proxy && !endpoint.proxy->user.isEmpty() && endpoint.proxy->password.isEmpty());
}

} // namespace latchkey::connections
