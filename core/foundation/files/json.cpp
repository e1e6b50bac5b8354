#include "core/foundation/files/json.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/terminaltext.h"

#include <algorithm>

namespace latchkey::files {

namespace {

QString base64Name(const QString &name)
{
    return name + QStringLiteral("_base64");
}

std::optional<QByteArray> decoded(const QJsonValue &encoded)
{
    const auto bytes =
        QByteArray::fromBase64Encoding(encoded.toString().toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    return encoded.isString() && bytes ? std::optional(*bytes) : std::nullopt;
}

} // namespace

QJsonValue bytesJson(const QByteArray &bytes)
{
    if (const auto text = base::utf8Text(bytes))
        return *text;
    return QJsonObject {{QStringLiteral("base64"), QString::fromLatin1(bytes.toBase64())}};
}

std::optional<QByteArray> bytesFrom(const QJsonValue &json)
{
    return json.isString() ? std::optional(json.toString().toUtf8()) : decoded(json[QStringLiteral("base64")]);
}

void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes)
{
    object[name] = QString::fromUtf8(bytes);
    if (!base::utf8Text(bytes))
        object[base64Name(name)] = QString::fromLatin1(bytes.toBase64());
}

base::Result<std::optional<QByteArray>> readBytes(const QJsonObject &object, const QString &name)
{
    if (const QJsonValue encoded = object[base64Name(name)]; !encoded.isUndefined()) {
        const auto bytes = decoded(encoded);
        if (!bytes)
            return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is not base64"),
                                 base64Name(name));
        return bytes;
    }
    const QJsonValue text = object[name];
    if (text.isUndefined() || text.isNull())
        return std::nullopt;
    if (!text.isString())
        return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is not a text"), name);
    return text.toString().toUtf8();
}

QByteArray toLine(const QJsonObject &object)
{
    return toLine(QJsonDocument(object));
}

QByteArray toLine(const QJsonDocument &document)
{
    const QByteArray line = document.toJson(QJsonDocument::Compact);
    if (std::ranges::all_of(line, [](char byte) { return byte >= 0x20 && byte < 0x7F; }))
        return line;
    // Characters outside ASCII occur only in strings, so each of them may be written as its number.
    QString escaped;
    for (const QChar character : QString::fromUtf8(line)) {
        if (base::isShownByTerminals(character))
            escaped += character;
        else
            escaped += QStringLiteral("\\u%1").arg(character.unicode(), 4, 16, QLatin1Char('0'));
    }
    return escaped.toUtf8();
}

} // namespace latchkey::files
