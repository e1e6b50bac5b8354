#include "core/inspect/recognition/filevalue.h"

#include "core/foundation/files/jsonlocation.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace latchkey::recognition {

FileValue::FileValue(std::shared_ptr<const File> file, QJsonValue value, QStringList path)
    : m_file(std::move(file))
    , m_value(std::move(value))
    , m_path(std::move(path))
{}

FileValue FileValue::read(const QString &name, const QByteArray &contents)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(contents, &error);
    if (error.error != QJsonParseError::NoError)
        throw base::Failure(
            {base::ErrorKind::Usage,
             QStringLiteral("%1:%2: not JSON: %3")
                 .arg(name, QString::number(files::lineAt(contents, error.offset)), error.errorString())});
    const QJsonValue value = document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
    return {std::make_shared<const File>(File {name, contents}), value, {}};
}

FileValue::Place FileValue::place() const
{
    return files::locateInJson(m_file->contents, m_path);
}

int FileValue::line() const
{
    return files::lineOfJson(m_file->contents, m_path);
}

void FileValue::refuse(const QString &what) const
{
    const QString member = m_path.join(u'.').replace(QStringLiteral(".["), QStringLiteral("["));
    throw base::Failure(
        {base::ErrorKind::Usage, QStringLiteral("%1:%2: %3%4")
                                     .arg(m_file->name)
                                     .arg(line())
                                     .arg(member.isEmpty() ? QString() : member + QStringLiteral(": "), what)});
}

FileValue FileValue::operator[](const char *name) const
{
    if (!m_value.isObject())
        refuse(QStringLiteral("not an object"));
    const QString member = QString::fromLatin1(name);
    return {m_file, m_value.toObject().value(member), m_path + QStringList {member}};
}

std::vector<FileValue> FileValue::elements() const
{
    if (!m_value.isArray())
        refuse(isThere() ? QStringLiteral("not an array") : QStringLiteral("missing"));
    std::vector<FileValue> found;
    const QJsonArray array = m_value.toArray();
    for (qsizetype i = 0; i < array.size(); ++i)
        found.push_back({m_file, array.at(i), m_path + QStringList {QStringLiteral("[%1]").arg(i)}});
    return found;
}

void FileValue::allowOnly(const QStringList &names) const
{
    if (!m_value.isObject())
        refuse(isThere() ? QStringLiteral("not an object") : QStringLiteral("missing"));
    for (const QString &member : m_value.toObject().keys()) {
        if (!names.contains(member))
            FileValue(m_file, m_value.toObject().value(member), m_path + QStringList {member})
                .refuse(QStringLiteral("there is no such member here, only %1").arg(names.join(QStringLiteral(", "))));
    }
}

QString FileValue::text() const
{
    if (!m_value.isString())
        refuse(isThere() ? QStringLiteral("not a text") : QStringLiteral("missing"));
    QString found = m_value.toString();
    if (found.isEmpty())
        refuse(QStringLiteral("empty"));
    if (std::ranges::any_of(found, [](QChar c) { return c.category() == QChar::Other_Control; }))
        refuse(QStringLiteral("holds control characters"));
    return found;
}

bool FileValue::truth() const
{
    if (!m_value.isBool())
        refuse(QStringLiteral("neither true nor false"));
    return m_value.toBool();
}

qint64 FileValue::number(qint64 least, qint64 most) const
{
    // Two defaults, because a single one cannot show that the value is no whole number.
    const qint64 found = m_value.toInteger(0);
    if (found != m_value.toInteger(1) || found < least || found > most)
        refuse(QStringLiteral("not a whole number from %1 to %2").arg(least).arg(most));
    return found;
}

double FileValue::fraction() const
{
    const double found = m_value.toDouble(-1);
    if (!(found > 0 && found < 1))
        refuse(QStringLiteral("not a number between 0 and 1"));
    return found;
}

QStringList FileValue::texts() const
{
    QStringList found;
    if (isThere()) {
        for (const FileValue &element : elements())
            found += element.text();
    }
    return found;
}

} // namespace latchkey::recognition
