#include "core/foundation/files/jsonnode.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace latchkey::files {

JsonNode::JsonNode(std::shared_ptr<const File> file, QJsonValue value, QStringList steps)
    : m_file(std::move(file))
    , m_value(std::move(value))
    , m_steps(std::move(steps))
{}

JsonNode::JsonNode(QJsonValue value, const QString &path)
    : m_value(std::move(value))
    , m_steps(path.isEmpty() ? QStringList() : QStringList {path})
{}

QString JsonNode::File::position(qsizetype offset) const
{
    const QString line = name + u':' + QString::number(lineAt(contents, offset));
    return isStrict ? line + u':' + QString::number(columnAt(contents, offset)) : line;
}

JsonNode JsonNode::of(File file)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(file.contents, &error);
    if (error.error != QJsonParseError::NoError)
        throw base::Failure({base::ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "%1: not JSON: %2"),
                                                                file.position(error.offset), error.errorString())});
    const QJsonValue value = document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
    return {std::make_shared<const File>(std::move(file)), value, {}};
}

JsonNode JsonNode::ofFile(const QString &name, const QByteArray &contents)
{
    return of({name, contents});
}

JsonNode JsonNode::ofStrictFile(const QString &name, const QByteArray &contents)
{
    const JsonNode node = of({name, contents, true});
    if (const auto repeated = repeatedNameIn(contents))
        throw base::Failure({base::ErrorKind::Usage,
                             base::Text::about(node.m_file->position(*repeated),
                                               base::Text(QT_TRANSLATE_NOOP("core", "this member occurs twice")))});
    return node;
}

QString JsonNode::path() const
{
    return m_steps.join(u'.').replace(QLatin1String(".["), QLatin1String("["));
}

JsonLocation JsonNode::location() const
{
    return locateInJson(m_file->contents, m_steps);
}

int JsonNode::lineNumber() const
{
    return lineOfJson(m_file->contents, m_steps);
}

JsonNode JsonNode::below(const QString &path) const
{
    return {m_file, QJsonValue::Undefined, m_steps + QString(path).replace(u'[', QLatin1String(".[")).split(u'.')};
}

base::Error JsonNode::errorHere(const base::Text &what) const
{
    const base::Text placed = m_steps.isEmpty() ? what : base::Text::about(path(), what);
    if (!m_file)
        return {base::ErrorKind::Usage, placed};
    return {base::ErrorKind::Usage, base::Text::about(m_file->position(location().at), placed)};
}

void JsonNode::refuse(const base::Text &what) const
{
    throw base::Failure(errorHere(what));
}

void JsonNode::expect(bool condition, base::TextSource<0> problem) const
{
    if (!condition)
        required().refuse(base::Text(problem));
}

JsonNode JsonNode::at(QJsonValue value, const QString &step) const
{
    return {m_file, std::move(value), m_steps + QStringList {step}};
}

JsonNode JsonNode::operator[](const QString &name) const
{
    return at(object().value(name), name);
}

const JsonNode &JsonNode::required() const
{
    if (!exists())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "missing")));
    return *this;
}

void JsonNode::allowOnly(const QStringList &names) const
{
    for (const QString &member : required().object().keys()) {
        if (!names.contains(member))
            (*this)[member].refuse(base::Text(QT_TRANSLATE_NOOP("core", "there is no such member here, only %1"),
                                              names.join(QStringLiteral(", "))));
    }
}

QJsonObject JsonNode::object() const
{
    expect(m_value.isObject(), QT_TRANSLATE_NOOP("core", "not an object"));
    return m_value.toObject();
}

std::vector<JsonNode> JsonNode::elements() const
{
    expect(m_value.isArray(), QT_TRANSLATE_NOOP("core", "not an array"));
    std::vector<JsonNode> nodes;
    for (const auto &element : m_value.toArray())
        nodes.push_back(at(element, QStringLiteral("[%1]").arg(nodes.size())));
    return nodes;
}

QString JsonNode::text() const
{
    expect(m_value.isString(), QT_TRANSLATE_NOOP("core", "not a text"));
    return m_value.toString();
}

QString JsonNode::line() const
{
    QString found = text();
    refuseControlCharacters(found);
    return found;
}

base::Text JsonNode::translatable() const
{
    if (!m_value.isObject())
        return lineOrEmpty();
    base::Text found = base::Text::fromJson(m_value);
    if (found.isEmpty())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "not a text")));
    refuseControlCharacters(found.english());
    return found;
}

void JsonNode::refuseControlCharacters(const QString &found) const
{
    if (std::ranges::any_of(found, [](QChar c) { return c.category() == QChar::Other_Control; }))
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "holds control characters")));
}

QString JsonNode::name() const
{
    QString found = line();
    if (found.isEmpty())
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "empty")));
    return found;
}

QByteArray JsonNode::bytes() const
{
    const auto found = bytesFrom(m_value);
    expect(found.has_value(), QT_TRANSLATE_NOOP("core", "neither a text nor base64"));
    return *found;
}

bool JsonNode::boolean() const
{
    expect(m_value.isBool(), QT_TRANSLATE_NOOP("core", "neither true nor false"));
    return m_value.toBool();
}

qint64 JsonNode::number() const
{
    // Two defaults are needed: a single default cannot be distinguished from an equal value.
    expect(m_value.toInteger(0) == m_value.toInteger(1), QT_TRANSLATE_NOOP("core", "not a whole number"));
    return m_value.toInteger();
}

qint64 JsonNode::numberWithin(qint64 minimum, qint64 maximum) const
{
    const qint64 found = number();
    if (found < minimum || found > maximum)
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "%1 is not from %2 to %3"), found, minimum, maximum));
    return found;
}

double JsonNode::fraction() const
{
    const double found = m_value.toDouble(-1);
    expect(found > 0 && found < 1, QT_TRANSLATE_NOOP("core", "not a number between 0 and 1"));
    return found;
}

std::chrono::milliseconds JsonNode::duration() const
{
    const auto found = base::parseDuration(required().text());
    if (!found)
        refuse(found.error().text);
    if (found->count() < 0)
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "less than zero")));
    return *found;
}

std::optional<qint64> JsonNode::optionalNumber() const
{
    return exists() ? std::optional(number()) : std::nullopt;
}

} // namespace latchkey::files
