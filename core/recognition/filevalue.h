#pragma once

#include "core/base/error.h"
#include "core/base/jsonlines.h"

#include <QByteArray>
#include <QJsonValue>
#include <QStringList>

#include <memory>
#include <vector>

namespace latchkey::recognition {

/// A value of a JSON file that a person has written, and where it stands there.
///
/// What is not as it should be is thrown as a base::Failure (Usage) that names file, line and member,
/// `mine.json:12: dialects[0].forms[1].value: …`, so that who reads the file can say in a line what it expects, and
/// catch once. A value type; the file's text is shared.
class FileValue final
{
public:
    /// The whole of a file. Throws where it is not JSON. name: for messages.
    [[nodiscard]] static FileValue read(const QString &name, const QByteArray &contents);

    [[noreturn]] void refuse(const QString &what) const;

    /// Where its text stands in the file.
    using Place = base::PlaceInJson;
    [[nodiscard]] Place place() const;
    /// Counted from 1.
    [[nodiscard]] int line() const;

    [[nodiscard]] bool isThere() const { return !m_value.isUndefined(); }
    /// A member of an object, which need not be there.
    [[nodiscard]] FileValue operator[](const char *name) const;
    [[nodiscard]] std::vector<FileValue> elements() const;
    /// Refuses every member whose name is none of these: one that is misspelt would be without effect.
    void allowOnly(const QStringList &names) const;

    [[nodiscard]] QString text() const; ///< Not empty, without control characters.
    [[nodiscard]] bool truth() const;
    [[nodiscard]] qint64 number(qint64 least, qint64 most) const;
    [[nodiscard]] double fraction() const;   ///< Between 0 and 1.
    [[nodiscard]] QStringList texts() const; ///< Of an array; empty where it is not there.

private:
    struct File
    {
        QString name;
        QByteArray contents;
    };
    /// A step down: a member's name, or `[3]`.
    FileValue(std::shared_ptr<const File> file, QJsonValue value, QStringList path);

    std::shared_ptr<const File> m_file;
    QJsonValue m_value;
    QStringList m_path;
};

} // namespace latchkey::recognition
