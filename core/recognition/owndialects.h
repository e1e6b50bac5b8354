#pragma once

#include "core/recognition/dialects.h"
#include "core/recognition/lockpattern.h"

#include <QObject>

#include <optional>
#include <vector>

namespace latchkey::recognition {

/// The user's own dialects: a file, as resources/dialects/README.md describes it, and all dialects together.
///
/// What the file says goes before what came with the program. It is changed by putting the text of one dialect in the
/// place of another's, so that everything else stays as somebody has written it; it is read again before each change,
/// replaced at once or not at all, and never written to while it is broken.
/// Owned by the program, which outlives those who look at it. It knows no server.
class OwnDialects final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OwnDialects)

public:
    /// A dialect in the file.
    struct Entry
    {
        QString id;
        QString title;
        int line = 0;
        std::optional<LockPattern> pattern; ///< Absent: it says more than a pattern can.
    };

    /// Reads the file; where there is none, there are no dialects of one's own.
    explicit OwnDialects(QString file, QObject *parent = nullptr);

    /// The file in LATCHKEY_DIALECTS, else `latchkey/dialects.json` where the user's settings are.
    [[nodiscard]] static QString usualFile();

    [[nodiscard]] const QString &file() const { return m_file; }
    /// Those that came with the program, and the user's; as they were last good while the file is broken.
    [[nodiscard]] const Dialects &dialects() const { return m_dialects; }
    /// In the order of the file; none while it is broken.
    [[nodiscard]] const std::vector<Entry> &entries() const { return m_entries; }
    /// What is wrong with the file: a sentence that names it and the line.
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_problem; }

    /// Reads the file anew: somebody may have changed it.
    void reload();

    /// An id for a pattern that has none yet, which no dialect has.
    [[nodiscard]] QString newId(const QString &title) const;
    /// All dialects, as they would be with this pattern; nothing is written. Error (Usage): why they cannot be.
    [[nodiscard]] base::Result<Dialects> with(const LockPattern &pattern) const;
    /// Writes the pattern, in the place of the one with its id where there is one. Error: what is wrong with it or with
    /// the file (Usage), or why the file cannot be written (Local); then it is as it was.
    [[nodiscard]] base::Result<void> put(const LockPattern &pattern);
    /// Takes a dialect away, and gives its text, with which restore() puts it back. Errors as put().
    [[nodiscard]] base::Result<QByteArray> remove(const QString &id);
    [[nodiscard]] base::Result<void> restore(const QByteArray &text);

Q_SIGNALS:
    /// dialects(), entries() or problem() may be others.
    void changed();

private:
    [[nodiscard]] base::Result<QByteArray> read() const;
    [[nodiscard]] base::Result<void> write(const QByteArray &contents);
    void take(const base::Result<QByteArray> &contents);

    const QString m_file;
    QByteArray m_contents; ///< As it was last good.
    Dialects m_dialects = Dialects::builtIn();
    std::vector<Entry> m_entries;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::recognition
