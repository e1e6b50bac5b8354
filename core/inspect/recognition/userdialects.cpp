#include "core/inspect/recognition/userdialects.h"

#include "core/foundation/files/inputfile.h"
#include "core/foundation/files/jsonnode.h"
#include "core/foundation/files/savedfile.h"

#include <QFile>
#include <QJsonDocument>
#include <QStandardPaths>

#include <algorithm>

namespace latchkey::recognition {

using base::ErrorKind;
using files::JsonNode;
using Place = files::JsonLocation;

namespace {

constexpr qint64 maxUserFileSize = 1024 * 1024;

const QByteArray emptyFile = "{\"format\": \"latchkey-dialects\", \"version\": 1,\n \"dialects\": []}\n";

/// Returns the dialects of a file, in its order.
std::vector<JsonNode> dialectsIn(const QString &name, const QByteArray &contents)
{
    return JsonNode::ofFile(name, contents)["dialects"].elements();
}

std::vector<JsonNode>::const_iterator findId(const std::vector<JsonNode> &dialects, const QString &id)
{
    return std::ranges::find_if(dialects, [&](const JsonNode &dialect) { return dialect["id"].name() == id; });
}

/// Returns the file with this text in place of the dialect with the id, or after all others if there is none.
QByteArray withDialect(const QString &name, QByteArray contents, const QString &id, const QByteArray &text)
{
    const std::vector<JsonNode> dialects = dialectsIn(name, contents);
    if (const auto found = findId(dialects, id); found != dialects.end()) {
        const Place place = found->location();
        return contents.replace(place.at, place.length, text);
    }
    if (dialects.empty()) {
        const Place array = JsonNode::ofFile(name, contents)["dialects"].location();
        return contents.insert(array.at + 1, "\n  " + text);
    }
    const Place last = dialects.back().location();
    return contents.insert(last.at + last.length, ",\n\n  " + text);
}

/// Returns the file without this dialect and its comma.
QByteArray withoutDialect(QByteArray contents, const std::vector<JsonNode> &dialects, std::size_t index)
{
    const Place place = dialects[index].location();
    qsizetype begin = place.at;
    qsizetype end = place.at + place.length;
    if (index > 0) {
        const Place before = dialects[index - 1].location();
        begin = before.at + before.length;
    } else if (dialects.size() > 1) {
        end = dialects[1].location().at;
    }
    return contents.remove(begin, end - begin);
}

std::vector<UserDialects::Entry> entriesOf(const QString &name, const QByteArray &contents)
{
    std::vector<UserDialects::Entry> entries;
    for (const JsonNode &dialect : dialectsIn(name, contents)) {
        const Place place = dialect.location();
        const QJsonObject object = QJsonDocument::fromJson(contents.sliced(place.at, place.length)).object();
        entries.push_back(
            {dialect["id"].name(), dialect["title"].name(), dialect.lineNumber(), lockPatternFrom(object)});
    }
    return entries;
}

} // namespace

UserDialects::UserDialects(QString file, QObject *parent)
    : QObject(parent)
    , m_file(std::move(file))
{
    take(read());
}

QString UserDialects::defaultFile()
{
    const QString named = qEnvironmentVariable("LATCHKEY_DIALECTS");
    return named.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)
                                 + QStringLiteral("/latchkey/dialects.json")
                           : named;
}

base::Result<QByteArray> UserDialects::read() const
{
    if (!QFile::exists(m_file))
        return QByteArray();
    const auto contents = files::contentsOf(m_file, maxUserFileSize);
    if (!contents)
        return base::failure(contents.error().during(base::Text(m_file)));
    return contents->trimmed().isEmpty() ? QByteArray() : *contents;
}

void UserDialects::take(const base::Result<QByteArray> &contents)
{
    m_entries.clear();
    m_problem.reset();
    if (!contents) {
        m_problem = contents.error();
        return;
    }
    if (contents->isEmpty()) {
        m_contents.clear();
        m_dialects = Dialects::builtIn();
        return;
    }
    const auto dialects = Dialects::builtIn().with(m_file, *contents);
    if (!dialects) {
        m_problem = dialects.error();
        return;
    }
    m_contents = *contents;
    m_dialects = *dialects;
    m_entries = entriesOf(m_file, m_contents);
}

void UserDialects::reload()
{
    const auto contents = read();
    if (!m_problem && contents && *contents == m_contents)
        return;
    take(contents);
    Q_EMIT changed();
}

QString UserDialects::newId(const QString &title) const
{
    QString slug;
    for (const QChar c : title.toLower()) {
        const bool isPlain = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9');
        if (isPlain)
            slug += c;
        else if (!slug.isEmpty() && !slug.endsWith(u'-'))
            slug += u'-';
    }
    if (slug.endsWith(u'-'))
        slug.chop(1);
    const QString stem = QStringLiteral("own.") + (slug.isEmpty() ? QStringLiteral("lock") : slug);
    QString id = stem;
    for (int number = 2; m_dialects.find(id) != nullptr; ++number)
        id = QStringLiteral("%1-%2").arg(stem).arg(number);
    return id;
}

base::Result<Dialects> UserDialects::with(const LockPattern &pattern) const
{
    return dialectText(pattern).and_then([&](const QByteArray &text) -> base::Result<Dialects> {
        return Dialects::builtIn().with(
            m_file, withDialect(m_file, m_contents.isEmpty() ? emptyFile : m_contents, pattern.id, text));
    });
}

base::Result<void> UserDialects::put(const LockPattern &pattern)
{
    reload();
    if (m_problem)
        return base::failure(*m_problem);
    return dialectText(pattern).and_then([&](const QByteArray &text) {
        return write(withDialect(m_file, m_contents.isEmpty() ? emptyFile : m_contents, pattern.id, text));
    });
}

base::Result<QByteArray> UserDialects::remove(const QString &id)
{
    reload();
    if (m_problem)
        return base::failure(*m_problem);
    if (std::ranges::none_of(m_entries, [&](const Entry &entry) { return entry.id == id; }))
        return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 has no \"%2\" any more"), m_file, id);
    const std::vector<JsonNode> dialects = dialectsIn(m_file, m_contents);
    const auto found = findId(dialects, id);
    const Place place = found->location();
    const QByteArray text = m_contents.sliced(place.at, place.length);
    return write(withoutDialect(m_contents, dialects, static_cast<std::size_t>(found - dialects.begin()))).map([&] {
        return text;
    });
}

base::Result<void> UserDialects::restore(const QByteArray &text)
{
    reload();
    if (m_problem)
        return base::failure(*m_problem);
    const QString id = QJsonDocument::fromJson(text).object().value(QLatin1String("id")).toString();
    return write(withDialect(m_file, m_contents.isEmpty() ? emptyFile : m_contents, id, text));
}

/// Writes the file atomically, and only if it can be read again.
base::Result<void> UserDialects::write(const QByteArray &contents)
{
    if (const auto dialects = Dialects::builtIn().with(m_file, contents); !dialects)
        return base::failure(dialects.error());
    if (auto made = files::makeFolderFor(m_file); !made)
        return made;
    if (auto saved = files::saveFile(m_file, contents); !saved)
        return saved;
    take(contents);
    Q_EMIT changed();
    return {};
}

} // namespace latchkey::recognition
