#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::stories {

/// A value of a JSON file and where it stands there, for reading what somebody else has written.
///
/// What is not as it should be is thrown as a base::Failure (Usage) that names the place, `steps[3].command: not an
/// array`, so that who reads a file can say in a line what it expects, and catch once. A value type.
class JsonPlace final
{
public:
    /// path: empty for the file as a whole.
    JsonPlace(QJsonValue value, const QString &path);
    /// The whole of a file, whose name and lines are then part of every complaint: `mine.json:12: steps[3].say: …`.
    /// Throws where it is not JSON.
    [[nodiscard]] static JsonPlace ofFile(const QString &name, const QByteArray &contents);

    [[noreturn]] void refuse(const base::Text &what) const;
    /// The same as a value, for what is found wrong later.
    [[nodiscard]] base::Error complaint(const base::Text &what) const;
    /// `steps[3].say`
    [[nodiscard]] QString path() const;
    /// What has that path from here, for complaints: its value is not known.
    [[nodiscard]] JsonPlace below(const QString &path) const;

    [[nodiscard]] bool isThere() const { return !m_value.isUndefined(); }
    /// Itself, where it is there.
    [[nodiscard]] const JsonPlace &needed() const;
    /// Refuses every member whose name is none of these: one that is misspelt would be without effect.
    void allowOnly(const QStringList &names) const;
    [[nodiscard]] const QJsonValue &value() const { return m_value; }

    /// A member of an object, which need not be there.
    [[nodiscard]] JsonPlace operator[](const QString &name) const;
    [[nodiscard]] JsonPlace operator[](const char *name) const { return (*this)[QString::fromLatin1(name)]; }
    [[nodiscard]] QJsonObject object() const;
    [[nodiscard]] std::vector<JsonPlace> elements() const;

    [[nodiscard]] QString text() const;
    /// A text that may be printed: one that somebody else has written must not move the cursor.
    [[nodiscard]] QString line() const;
    /// An empty one where it is not there.
    [[nodiscard]] QString lineOrNothing() const { return isThere() ? line() : QString(); }
    /// A text, as UTF-8, or what `{"base64": …}` stands for.
    [[nodiscard]] QByteArray bytes() const;

    [[nodiscard]] bool truth() const;
    [[nodiscard]] qint64 number() const;
    [[nodiscard]] qint64 numberWithin(qint64 least, qint64 most) const;
    [[nodiscard]] std::optional<qint64> numberOrNothing() const;
    /// `"500ms"`, `"5s"`; not less than zero.
    [[nodiscard]] std::chrono::milliseconds duration() const;

private:
    struct File
    {
        QString name;
        QByteArray contents;
    };
    JsonPlace(std::shared_ptr<const File> file, QJsonValue value, QStringList steps);
    [[nodiscard]] JsonPlace at(QJsonValue value, const QString &step) const;

    std::shared_ptr<const File> m_file; ///< Null where lines are not known.
    QJsonValue m_value;
    QStringList m_steps; ///< Members' names, and `[3]`.
};

} // namespace latchkey::stories
