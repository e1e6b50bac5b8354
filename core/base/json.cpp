#include "core/base/json.h"

#include "core/base/bytes.h"

#include <QJsonDocument>

namespace latchkey::base {

namespace {

QString base64Name(const QString &name)
{
    return name + QStringLiteral("_base64");
}

} // namespace

void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes)
{
    object[name] = QString::fromUtf8(bytes);
    if (!utf8Text(bytes))
        object[base64Name(name)] = QString::fromLatin1(bytes.toBase64());
}

Result<std::optional<QByteArray>> takeBytes(const QJsonObject &object, const QString &name)
{
    if (const QJsonValue encoded = object[base64Name(name)]; !encoded.isUndefined()) {
        const auto decoded =
            QByteArray::fromBase64Encoding(encoded.toString().toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
        if (!encoded.isString() || !decoded)
            return failure(ErrorKind::Usage, QStringLiteral("%1 is not base64").arg(base64Name(name)));
        return *decoded;
    }
    const QJsonValue text = object[name];
    if (text.isUndefined() || text.isNull())
        return std::nullopt;
    if (!text.isString())
        return failure(ErrorKind::Usage, QStringLiteral("%1 is not a text").arg(name));
    return text.toString().toUtf8();
}

QByteArray toLine(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

} // namespace latchkey::base
