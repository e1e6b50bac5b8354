#include "core/foundation/files/inifile.h"

#include "core/foundation/files/savedfile.h"

#include <QDataStream>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QIODevice>
#include <QSettings>
#include <QStringList>

#include <algorithm>
#include <optional>

namespace latchkey::files {

namespace {

/// The section of keys without a section.
const QString generalSection = QStringLiteral("General");

QByteArray hexOf(char16_t character, int digits)
{
    return QByteArray::number(static_cast<uint>(character), 16).toUpper().rightJustified(digits, '0');
}

bool isPlain(char16_t c)
{
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') || c == u'_' || c == u'-'
        || c == u'.';
}

/// Returns the section or key with the percent escapes of QSettings.
QByteArray escapedName(const QString &name)
{
    QByteArray text;
    for (const QChar character : name) {
        const char16_t c = character.unicode();
        if (c == u'/')
            text += '\\';
        else if (isPlain(c))
            text += static_cast<char>(c);
        else if (c <= 0xFF)
            text += '%' + hexOf(c, 2);
        else
            text += "%U" + hexOf(c, 4);
    }
    return text;
}

QByteArray sectionHeading(const QString &section)
{
    if (section.isEmpty())
        return '[' + generalSection.toLatin1() + ']';
    if (section.compare(generalSection, Qt::CaseInsensitive) == 0)
        return "[%" + section.toLatin1() + ']';
    return '[' + escapedName(section) + ']';
}

/// Returns the value with quotation marks and backslashes where needed.
QByteArray escapedText(const QString &text)
{
    QByteArray escaped;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar character = text[at];
        if (character == u'"' || character == u'\\') {
            escaped += '\\';
            escaped += character.toLatin1();
        } else if (character == u'\n') {
            escaped += "\\n";
        } else if (character == u'\r') {
            escaped += "\\r";
        } else if (character == u'\t') {
            escaped += "\\t";
        } else if (character.unicode() < 0x20) {
            // The quotation marks of an adjacent string end the escape, whose number of digits is not limited.
            escaped += "\\x" + QByteArray::number(static_cast<uint>(character.unicode()), 16) + "\"\"";
        } else if (character.isHighSurrogate() && at + 1 < text.size()) {
            escaped += text.sliced(at, 2).toUtf8();
            ++at;
        } else {
            escaped += QString(character).toUtf8();
        }
    }
    const auto isSpecial = [](QChar c) {
        return c == u';' || c == u',' || c == u'=' || c == u'#' || c.unicode() <= 0x20;
    };
    const bool needsQuotes = text.isEmpty() || std::any_of(text.begin(), text.end(), isSpecial);
    return needsQuotes ? '"' + escaped + '"' : escaped;
}

/// Returns the text of a value; types other than text have the marks of QSettings.
QString textOf(const QVariant &value)
{
    switch (value.typeId()) {
    case QMetaType::UnknownType:
        return QStringLiteral("@Invalid()");
    case QMetaType::QByteArray:
        return QStringLiteral("@ByteArray(") + QString::fromLatin1(value.toByteArray()) + u')';
    case QMetaType::QString:
    case QMetaType::LongLong:
    case QMetaType::ULongLong:
    case QMetaType::Int:
    case QMetaType::UInt:
    case QMetaType::Bool:
    case QMetaType::Double: {
        const QString text = value.toString();
        return text.startsWith(u'@') ? u'@' + text : text;
    }
    default: {
        QByteArray bytes;
        QDataStream stream(&bytes, QIODevice::WriteOnly);
        stream.setVersion(QDataStream::Qt_4_0);
        stream << value;
        return QStringLiteral("@Variant(") + QString::fromLatin1(bytes) + u')';
    }
    }
}

QByteArray valueText(const QVariant &value)
{
    const bool isList = value.typeId() == QMetaType::QStringList || value.typeId() == QMetaType::QVariantList;
    const QVariantList parts = isList ? value.toList() : QVariantList();
    if (!isList || parts.size() == 1)
        return escapedText(textOf(isList ? parts.front() : value));
    if (parts.isEmpty())
        return QByteArrayLiteral("@Invalid()");
    QByteArrayList texts;
    for (const QVariant &part : parts)
        texts += escapedText(textOf(part));
    return texts.join(", ");
}

/// Moves the modification time forward if needed: QSettings reads a file again only if its size or its time in
/// milliseconds has changed.
void ensureLaterThan(const QDateTime &before, const QString &path)
{
    if (!before.isValid() || QFileInfo(path).lastModified() > before)
        return;
    QFile file(path);
    if (file.open(QIODevice::ReadWrite))
        file.setFileTime(before.addMSecs(1), QFileDevice::FileModificationTime);
}

/// Returns whether the file is not in INI format. `status`: the status reported by QSettings.
///
/// QSettings caches a file by its path, size and time, and reports a format error only to the first reader. A second
/// reader gets an empty file, and a change would overwrite the file.
bool isMalformed(const QString &path, QSettings::Status status)
{
    static QHash<QString, std::pair<qint64, QDateTime>> malformed;
    const QFileInfo file(path);
    const std::pair now(file.size(), file.lastModified());
    if (status == QSettings::FormatError)
        malformed[file.absoluteFilePath()] = now;
    else if (malformed.value(file.absoluteFilePath()) != now)
        malformed.remove(file.absoluteFilePath());
    return malformed.contains(file.absoluteFilePath());
}

} // namespace

QByteArray iniText(const IniValues &values)
{
    QByteArray text;
    std::optional<QString> section;
    // Keys without a section come first. In alphabetical order, they could be between two sections and belong to the
    // first.
    for (const bool isSectioned : {false, true}) {
        for (auto each = values.begin(); each != values.end(); ++each) {
            const qsizetype slash = each.key().indexOf(u'/');
            if ((slash >= 0) != isSectioned)
                continue;
            const QString own = each.key().first(std::max<qsizetype>(slash, 0));
            if (section != own)
                text += (section ? "\n" : "") + sectionHeading(own) + '\n';
            section = own;
            text += escapedName(each.key().sliced(slash + 1)) + '=' + valueText(each.value()) + '\n';
        }
    }
    return text;
}

base::Result<std::unique_ptr<QSettings>> openIniFile(const QString &path)
{
    auto file = std::make_unique<QSettings>(path, QSettings::IniFormat);
    if (isMalformed(path, file->status()))
        return base::failure(base::ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "cannot change %1: it is not in INI format"), path);
    if (file->status() != QSettings::NoError || (QFileInfo::exists(path) && !QFileInfo(path).isReadable()))
        return base::failure(base::ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot read %1"), path);
    return file;
}

base::Result<IniValues> readIniFile(const QString &path)
{
    IniValues values;
    const auto file = openIniFile(path);
    if (!file)
        return base::failure(file.error());
    for (const QString &key : (*file)->allKeys())
        values[key] = (*file)->value(key);
    return values;
}

base::Result<void> changeIniFile(const QString &path, const std::function<void(IniValues &)> &change)
{
    auto values = readIniFile(path);
    if (!values)
        return base::failure(std::move(values.error()));
    change(*values);
    if (auto made = makeFolderFor(path); !made)
        return made;
    const QDateTime before = QFileInfo(path).lastModified();
    auto file = SavedFile::open(path);
    if (!file)
        return base::failure(std::move(file.error()));
    file->setNewPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    auto saved = file->save(iniText(*values));
    if (saved)
        ensureLaterThan(before, path);
    return saved;
}

} // namespace latchkey::files
