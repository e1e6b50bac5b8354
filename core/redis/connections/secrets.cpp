#include "core/redis/connections/secrets.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace latchkey::connections {

namespace {

const QString passwordKey = QStringLiteral("password");
const QString proxyKey = QStringLiteral("proxy");

} // namespace

Secrets Secrets::of(const net::Endpoint &endpoint)
{
    return {endpoint.password, endpoint.proxy ? endpoint.proxy->password : QString()};
}

net::Endpoint Secrets::filledIn(net::Endpoint endpoint) const
{
    if (endpoint.password.isEmpty())
        endpoint.password = password;
    if (endpoint.proxy && endpoint.proxy->password.isEmpty())
        endpoint.proxy->password = proxyPassword;
    return endpoint;
}

Secrets Secrets::orElse(const Secrets &other) const
{
    return {password.isEmpty() ? other.password : password,
            proxyPassword.isEmpty() ? other.proxyPassword : proxyPassword};
}

QByteArray Secrets::toBytes() const
{
    QJsonObject object;
    if (!password.isEmpty())
        object.insert(passwordKey, password);
    if (!proxyPassword.isEmpty())
        object.insert(proxyKey, proxyPassword);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

Secrets Secrets::fromBytes(const QByteArray &bytes)
{
    const QJsonDocument document = QJsonDocument::fromJson(bytes);
    if (!document.isObject())
        return {QString::fromUtf8(bytes), {}};
    return {document[passwordKey].toString(), document[proxyKey].toString()};
}

bool lacksSecrets(const net::Endpoint &endpoint)
{
    return endpoint.password.isEmpty()
        || (endpoint.proxy && !endpoint.proxy->user.isEmpty() && endpoint.proxy->password.isEmpty());
}

} // namespace latchkey::connections
