#include "core/stories/jsonplace.h"

#include "core/base/error.h"

#include <QJsonArray>

#include <algorithm>

namespace latchkey::stories {

JsonPlace::JsonPlace(QJsonValue value, QString path)
    : m_value(std::move(value))
    , m_path(std::move(path))
{}

void JsonPlace::refuse(const base::Text &what) const
{
    throw base::Failure({base::ErrorKind::Usage, m_path.isEmpty() ? what : base::Text::about(m_path, what)});
}

JsonPlace JsonPlace::operator[](const QString &name) const
{
    const QString path = m_path.isEmpty() ? QString() : m_path + QLatin1Char('.');
    return {object().value(name), path + name};
}

QJsonObject JsonPlace::object() const
{
    if (!m_value.isObject())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "not an object")));
    return m_value.toObject();
}

std::vector<JsonPlace> JsonPlace::elements() const
{
    if (!m_value.isArray())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "not an array")));
    std::vector<JsonPlace> places;
    for (const auto &element : m_value.toArray())
        places.emplace_back(element, QStringLiteral("%1[%2]").arg(m_path, QString::number(places.size())));
    return places;
}

QString JsonPlace::text() const
{
    if (!m_value.isString())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "not a text")));
    return m_value.toString();
}

QString JsonPlace::line() const
{
    QString found = text();
    if (std::ranges::any_of(found, [](QChar c) { return c.category() == QChar::Other_Control; }))
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "holds control characters")));
    return found;
}

QByteArray JsonPlace::bytes() const
{
    if (!m_value.isObject())
        return text().toUtf8();
    const QJsonValue encoded = object().value(QLatin1String("base64"));
    const auto decoded =
        QByteArray::fromBase64Encoding(encoded.toString().toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    if (!encoded.isString() || !decoded)
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "neither a text nor base64")));
    return *decoded;
}

bool JsonPlace::truth() const
{
    if (!m_value.isBool())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "neither true nor false")));
    return m_value.toBool();
}

qint64 JsonPlace::number() const
{
    // Two defaults, since none says by itself that there is no whole number.
    if (m_value.toInteger(0) != m_value.toInteger(1))
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "not a whole number")));
    return m_value.toInteger();
}

qint64 JsonPlace::numberWithin(qint64 least, qint64 most) const
{
    const qint64 found = number();
    if (found < least || found > most)
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "%1 is not from %2 to %3"), found, least, most));
    return found;
}

std::optional<qint64> JsonPlace::numberOrNothing() const
{
    return isThere() ? std::optional(number()) : std::nullopt;
}

} // namespace latchkey::stories
