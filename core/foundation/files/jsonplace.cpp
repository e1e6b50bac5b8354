#include "core/foundation/files/jsonplace.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/files/jsonlocation.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace latchkey::files {

JsonPlace::JsonPlace(std::shared_ptr<const File> file, QJsonValue value, QStringList steps)
    : m_file(std::move(file))
    , m_value(std::move(value))
    , m_steps(std::move(steps))
{}

JsonPlace::JsonPlace(QJsonValue value, const QString &path)
    : m_value(std::move(value))
    , m_steps(path.isEmpty() ? QStringList() : QStringList {path})
{}

JsonPlace JsonPlace::ofFile(const QString &name, const QByteArray &contents)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(contents, &error);
    if (error.error != QJsonParseError::NoError)
        throw base::Failure({base::ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "%1:%2: not JSON: %3"), name,
                                                                lineAt(contents, error.offset), error.errorString())});
    const QJsonValue value = document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
    return {std::make_shared<const File>(File {name, contents}), value, {}};
}

QString JsonPlace::path() const
{
    return m_steps.join(u'.').replace(QLatin1String(".["), QLatin1String("["));
}

JsonPlace JsonPlace::below(const QString &path) const
{
    return {m_file, QJsonValue::Undefined, m_steps + QString(path).replace(u'[', QLatin1String(".[")).split(u'.')};
}

base::Error JsonPlace::complaint(const base::Text &what) const
{
    const base::Text placed = m_steps.isEmpty() ? what : base::Text::about(path(), what);
    if (!m_file)
        return {base::ErrorKind::Usage, placed};
    const QString line = QString::number(lineOfJson(m_file->contents, m_steps));
    return {base::ErrorKind::Usage, base::Text::about(m_file->name + u':' + line, placed)};
}

void JsonPlace::refuse(const base::Text &what) const
{
    throw base::Failure(complaint(what));
}

JsonPlace JsonPlace::at(QJsonValue value, const QString &step) const
{
    return {m_file, std::move(value), m_steps + QStringList {step}};
}

JsonPlace JsonPlace::operator[](const QString &name) const
{
    return at(object().value(name), name);
}

const JsonPlace &JsonPlace::needed() const
{
    if (!isThere())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "missing")));
    return *this;
}

void JsonPlace::allowOnly(const QStringList &names) const
{
    for (const QString &member : needed().object().keys()) {
        if (!names.contains(member))
            (*this)[member].refuse(base::Text(QT_TRANSLATE_NOOP("core", "there is no such member here, only %1"),
                                              names.join(QStringLiteral(", "))));
    }
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
        places.push_back(at(element, QStringLiteral("[%1]").arg(places.size())));
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
    // Two defaults are needed: a single default cannot be distinguished from an equal value.
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

std::chrono::milliseconds JsonPlace::duration() const
{
    const auto found = base::parseDuration(needed().text());
    if (!found)
        refuse(found.error().text);
    if (found->count() < 0)
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "less than zero")));
    return *found;
}

std::optional<qint64> JsonPlace::numberOrNothing() const
{
    return isThere() ? std::optional(number()) : std::nullopt;
}

} // namespace latchkey::files
