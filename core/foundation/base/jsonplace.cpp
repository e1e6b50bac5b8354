#include "core/foundation/base/jsonplace.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/base/jsonlocation.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace latchkey::base {

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
        throw Failure({ErrorKind::Usage, Text(QT_TRANSLATE_NOOP("core", "%1:%2: not JSON: %3"), name,
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

Error JsonPlace::complaint(const Text &what) const
{
    const Text placed = m_steps.isEmpty() ? what : Text::about(path(), what);
    if (!m_file)
        return {ErrorKind::Usage, placed};
    const QString line = QString::number(lineOfJson(m_file->contents, m_steps));
    return {ErrorKind::Usage, Text::about(m_file->name + u':' + line, placed)};
}

void JsonPlace::refuse(const Text &what) const
{
    throw Failure(complaint(what));
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
        refuse(Text(QT_TRANSLATE_NOOP("core", "missing")));
    return *this;
}

void JsonPlace::allowOnly(const QStringList &names) const
{
    for (const QString &member : needed().object().keys()) {
        if (!names.contains(member))
            (*this)[member].refuse(Text(QT_TRANSLATE_NOOP("core", "there is no such member here, only %1"),
                                        names.join(QStringLiteral(", "))));
    }
}

QJsonObject JsonPlace::object() const
{
    if (!m_value.isObject())
        refuse(Text(QT_TRANSLATE_NOOP("core", "not an object")));
    return m_value.toObject();
}

std::vector<JsonPlace> JsonPlace::elements() const
{
    if (!m_value.isArray())
        refuse(Text(QT_TRANSLATE_NOOP("core", "not an array")));
    std::vector<JsonPlace> places;
    for (const auto &element : m_value.toArray())
        places.push_back(at(element, QStringLiteral("[%1]").arg(places.size())));
    return places;
}

QString JsonPlace::text() const
{
    if (!m_value.isString())
        refuse(Text(QT_TRANSLATE_NOOP("core", "not a text")));
    return m_value.toString();
}

QString JsonPlace::line() const
{
    QString found = text();
    if (std::ranges::any_of(found, [](QChar c) { return c.category() == QChar::Other_Control; }))
        refuse(Text(QT_TRANSLATE_NOOP("core", "holds control characters")));
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
        refuse(Text(QT_TRANSLATE_NOOP("core", "neither a text nor base64")));
    return *decoded;
}

bool JsonPlace::truth() const
{
    if (!m_value.isBool())
        refuse(Text(QT_TRANSLATE_NOOP("core", "neither true nor false")));
    return m_value.toBool();
}

qint64 JsonPlace::number() const
{
    // Two defaults are needed: a single default cannot be told apart from an equal value.
    if (m_value.toInteger(0) != m_value.toInteger(1))
        refuse(Text(QT_TRANSLATE_NOOP("core", "not a whole number")));
    return m_value.toInteger();
}

qint64 JsonPlace::numberWithin(qint64 least, qint64 most) const
{
    const qint64 found = number();
    if (found < least || found > most)
        refuse(Text(QT_TRANSLATE_NOOP("core", "%1 is not from %2 to %3"), found, least, most));
    return found;
}

std::chrono::milliseconds JsonPlace::duration() const
{
    const auto found = parseDuration(needed().text());
    if (!found)
        refuse(found.error().text);
    if (found->count() < 0)
        refuse(Text(QT_TRANSLATE_NOOP("core", "less than zero")));
    return *found;
}

std::optional<qint64> JsonPlace::numberOrNothing() const
{
    return isThere() ? std::optional(number()) : std::nullopt;
}

} // namespace latchkey::base
