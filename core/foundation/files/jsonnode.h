#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/files/jsonlocation.h"

#include <QByteArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QStringList>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::files {

/// A value of a JSON file with its position, for reading untrusted files.
///
/// Invalid input throws a Failure (Usage) with the position, such as `steps[3].command: not an array`. A reader can
/// therefore check each member in one line, and handle all errors in one place. A value type.
class JsonNode final
{
public:
    /// Creates a node. `path`: path of the value; empty for the whole file.
    JsonNode(QJsonValue value, const QString &path);
    /// Parses a whole file. Every error then begins with the file name and the line: `mine.json:12: steps[3].say: …`.
    /// Throws if the contents are not JSON.
    [[nodiscard]] static JsonNode ofFile(const QString &name, const QByteArray &contents);

    /// Parses a whole file that a user has written by hand. Works like ofFile(), but errors also have the column:
    /// `mine.json:12:5: …`, and a duplicate member is an error.
    [[nodiscard]] static JsonNode ofStrictFile(const QString &name, const QByteArray &contents);

    /// Throws a Failure (Usage) with the position and this reason.
    [[noreturn]] void refuse(const base::Text &what) const;
    /// Returns the error that refuse() would throw.
    [[nodiscard]] base::Error errorHere(const base::Text &what) const;
    /// Returns the path of the value, such as `steps[3].say`.
    [[nodiscard]] QString path() const;
    /// Returns the position of the value's text in the file. Requires a node of ofFile().
    [[nodiscard]] JsonLocation location() const;
    /// Returns the line of the value in the file, from 1. Requires a node of ofFile().
    [[nodiscard]] int lineNumber() const;
    /// Returns a node without a value at a path below this one. Only for error messages.
    [[nodiscard]] JsonNode below(const QString &path) const;
    /// Returns the name of a member as a text value with the position of that member's object, to check the name like a
    /// value.
    [[nodiscard]] JsonNode nameOf(const QString &member) const { return {m_file, member, m_steps}; }

    [[nodiscard]] bool exists() const { return !m_value.isUndefined(); }
    /// Returns this node. Throws if the value is missing.
    [[nodiscard]] const JsonNode &required() const;
    /// Throws for a member with any other name, because a misspelt member would have no effect.
    void allowOnly(const QStringList &names) const;
    [[nodiscard]] const QJsonValue &value() const { return m_value; }

    /// Returns a member of the object, possibly missing.
    [[nodiscard]] JsonNode operator[](const QString &name) const;
    [[nodiscard]] JsonNode operator[](const char *name) const { return (*this)[QString::fromLatin1(name)]; }
    [[nodiscard]] QJsonObject object() const;
    [[nodiscard]] std::vector<JsonNode> elements() const;

    [[nodiscard]] QString text() const;
    /// Returns a text without control characters, because printing untrusted text must not move the cursor.
    [[nodiscard]] QString line() const;
    /// Returns line(), or an empty text if the value is missing.
    [[nodiscard]] QString lineOrEmpty() const { return exists() ? line() : QString(); }
    /// Returns a line() as it is, or a text that is translated when it is shown: the object of base::Text::toJson().
    /// The empty text if the value is missing.
    [[nodiscard]] base::Text translatable() const;
    /// Returns a line() that is not empty.
    [[nodiscard]] QString name() const;
    /// Reads one of several words and returns its value. `words`: pairs of a value and its word.
    template<typename Words>
    [[nodiscard]] auto oneOf(const Words &words) const
    {
        const QString wanted = line();
        QStringList known;
        for (const auto &[value, word] : words) {
            if (wanted == QLatin1String(word))
                return value;
            known += QLatin1String(word);
        }
        refuse(base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is none of %2"), wanted, known.join(QStringLiteral(", "))));
    }
    /// Returns a text as UTF-8, or the decoded bytes of `{"base64": …}`.
    [[nodiscard]] QByteArray bytes() const;

    [[nodiscard]] bool boolean() const;
    [[nodiscard]] qint64 number() const;
    [[nodiscard]] qint64 numberWithin(qint64 minimum, qint64 maximum) const;
    [[nodiscard]] std::optional<qint64> optionalNumber() const;
    /// Returns a number between 0 and 1, both excluded.
    [[nodiscard]] double fraction() const;
    /// Returns a duration of at least zero, such as `"500ms"` or `"5s"`.
    [[nodiscard]] std::chrono::milliseconds duration() const;

private:
    struct File
    {
        QString name;
        QByteArray contents;
        bool isStrict = false;

        /// Returns the start of an error message: the name, and the line of the byte at this offset.
        [[nodiscard]] QString position(qsizetype offset) const;
    };
    [[nodiscard]] static JsonNode of(File file);
    JsonNode(std::shared_ptr<const File> file, QJsonValue value, QStringList steps);
    [[nodiscard]] JsonNode at(QJsonValue value, const QString &step) const;
    void refuseControlCharacters(const QString &found) const;
    /// Throws if the value is missing, or `problem` if the condition is false.
    void expect(bool condition, base::TextSource<0> problem) const;

    std::shared_ptr<const File> m_file; ///< Null if lines are unknown.
    QJsonValue m_value;
    QStringList m_steps; ///< Member names, and indexes such as `[3]`.
};

} // namespace latchkey::files
