#pragma once

#include "core/inspect/recognition/dialects.h"
#include "core/inspect/recognition/lockpattern.h"

#include <QObject>

#include <optional>
#include <vector>

namespace latchkey::recognition {

/// The user's own dialects in a file (see resources/dialects/README.md), merged with the built-in ones.
///
/// Dialects of the file have priority over the built-in ones. A change replaces the text of one dialect only, so the
/// rest of the file stays as the user wrote it. The file is read again before each change and replaced atomically; a
/// broken file is never written. Owned by the program, and outlives its users. It is independent of a server.
class UserDialects final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(UserDialects)

public:
    /// A dialect in the file.
    struct Entry
    {
        QString id;
        QString title;
        int line = 0;
        std::optional<LockPattern> pattern; ///< Absent if the dialect contains more than a pattern can express.
    };

    /// Reads the file. Without a file there are no own dialects.
    explicit UserDialects(QString file, QObject *parent = nullptr);

    /// Returns the path in LATCHKEY_DIALECTS, else `latchkey/dialects.json` in the directory of the user's settings.
    [[nodiscard]] static QString defaultFile();

    [[nodiscard]] const QString &file() const { return m_file; }
    /// Returns the built-in and own dialects; the last valid ones while the file is broken.
    [[nodiscard]] const Dialects &dialects() const { return m_dialects; }
    /// Returns the entries in the order of the file. Empty while the file is broken.
    [[nodiscard]] const std::vector<Entry> &entries() const { return m_entries; }
    /// Returns the fault of the file: a sentence with its name and the line.
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_problem; }

    /// Reads the file again, because it may have changed.
    void reload();

    /// Returns an unused id for a new pattern.
    [[nodiscard]] QString newId(const QString &title) const;
    /// Returns all dialects with this pattern added. Writes nothing. Error (Usage): the reason why the pattern cannot
    /// be added.
    [[nodiscard]] base::Result<Dialects> with(const LockPattern &pattern) const;
    /// Writes the pattern, and replaces the one with the same id. Errors: Usage (a fault of the pattern or the file),
    /// Local (the file cannot be written); the file is then unchanged.
    [[nodiscard]] base::Result<void> put(const LockPattern &pattern);
    /// Removes a dialect and returns its text for restore(). Errors as put().
    [[nodiscard]] base::Result<QByteArray> remove(const QString &id);
    /// Adds the dialect that remove() has returned. Errors as put().
    [[nodiscard]] base::Result<void> restore(const QByteArray &text);

Q_SIGNALS:
    /// Emitted when dialects(), entries() or problem() may have changed.
    void changed();

private:
    [[nodiscard]] base::Result<QByteArray> read() const;
    [[nodiscard]] base::Result<void> write(const QByteArray &contents);
    void take(const base::Result<QByteArray> &contents);

    const QString m_file;
    QByteArray m_contents; ///< Last valid content.
    Dialects m_dialects = Dialects::builtIn();
    std::vector<Entry> m_entries;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::recognition
