#include "app/cli/json.h"

#include <QJsonDocument>
#include <QStringDecoder>

#include <cstdio>

namespace latchkey::cli {

namespace {

void print(const QJsonDocument &document)
{
    const QByteArray text = document.toJson(QJsonDocument::Compact);
    std::fwrite(text.constData(), 1, static_cast<std::size_t>(text.size()), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

} // namespace

void printJson(const QJsonObject &object)
{
    print(QJsonDocument(object));
}

void printJson(const QJsonArray &array)
{
    print(QJsonDocument(array));
}

void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(bytes);
    object[name] = text;
    if (decoder.hasError())
        object[name + QStringLiteral("_base64")] = QString::fromLatin1(bytes.toBase64());
}

QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now)
{
    if (then == base::MonotonicTime::max())
        return QJsonValue::Null;
    return static_cast<qint64>(std::chrono::floor<std::chrono::milliseconds>(then - now).count());
}

} // namespace latchkey::cli
