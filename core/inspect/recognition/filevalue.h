#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/files/jsonlocation.h"

#include <QByteArray>
#include <QJsonValue>
#include <QStringList>

#include <memory>
#include <vector>

namespace latchkey::recognition {

/// A value in a JSON file written by a user, with its place in the file.
///
/// A wrong value is thrown as a base::Failure (Usage) that names file, line and member, `mine.json:12:
/// dialects[0].forms[1].value: …`. The reader of the file states each expectation in one line and catches once. A value
/// type; the text of the file is shared.
class FileValue final
{
public:
    /// Parses a whole file. Throws if it is not JSON. name: the file's name in messages.
    [[nodiscard]] static FileValue read(const QString &name, const QByteArray &contents);

    /// Throws the error of this value. `what`: the fault.
    [[noreturn]] void refuse(const QString &what) const;

    /// Position of the text in the file.
    using Place = files::JsonLocation;
    [[nodiscard]] Place place() const;
    /// Returns the line, counted from 1.
    [[nodiscard]] int line() const;

    [[nodiscard]] bool isThere() const { return !m_value.isUndefined(); }
    /// Returns a member of an object; it may be absent.
    [[nodiscard]] FileValue operator[](const char *name) const;
    /// Returns the elements of an array; throws for any other value.
    [[nodiscard]] std::vector<FileValue> elements() const;
    /// Throws for a member with another name, because a misspelt member would have no effect.
    void allowOnly(const QStringList &names) const;

    [[nodiscard]] QString text() const; ///< Non-empty text without control characters.
    [[nodiscard]] bool truth() const;
    [[nodiscard]] qint64 number(qint64 least, qint64 most) const;
    [[nodiscard]] double fraction() const;   ///< Between 0 and 1.
    [[nodiscard]] QStringList texts() const; ///< Texts of an array; empty if absent.

private:
    struct File
    {
        QString name;
        QByteArray contents;
    };
    /// Creates a value one step deeper: a member name, or `[3]`.
    FileValue(std::shared_ptr<const File> file, QJsonValue value, QStringList path);

    std::shared_ptr<const File> m_file;
    QJsonValue m_value;
    QStringList m_path;
};

} // namespace latchkey::recognition
