#pragma once

#include "core/base/text.h"

#include <QByteArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>

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
    JsonPlace(QJsonValue value, QString path);

    [[noreturn]] void refuse(const base::Text &what) const;

    [[nodiscard]] bool isThere() const { return !m_value.isUndefined(); }
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

private:
    QJsonValue m_value;
    QString m_path;
};

} // namespace latchkey::stories
