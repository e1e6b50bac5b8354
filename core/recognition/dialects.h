#pragma once

#include "core/base/error.h"
#include "core/recognition/dialect.h"
#include "core/recognition/namescreen.h"

#include <memory>

namespace latchkey::recognition {

/// All the dialects that are known: those that came with the program, and behind them what the user has added.
///
/// Immutable; a value type that is cheap to copy, because copies share what they hold.
class Dialects final
{
public:
    /// Those of resources/dialects.
    [[nodiscard]] static const Dialects &builtIn();

    /// These and those of a file of the user's, which go first: one with the id of another takes its place. name: what
    /// messages call the file. Error (Usage): what is wrong, with the file's name and the line.
    [[nodiscard]] base::Result<Dialects> with(const QString &name, const QByteArray &contents) const;
    /// Likewise, from the file itself. Error (Local): it cannot be read.
    [[nodiscard]] base::Result<Dialects> withFile(const QString &path) const;

    [[nodiscard]] const std::vector<Dialect> &all() const { return m_data->dialects; }
    [[nodiscard]] const std::vector<NotLock> &notLocks() const { return m_data->notLocks; }
    /// Nothing where no dialect has that id.
    [[nodiscard]] const Dialect *find(const QString &id) const;
    /// Of every script whose presence on a server says something, the SHA1: for one SCRIPT EXISTS.
    [[nodiscard]] QByteArrayList scripts() const;
    [[nodiscard]] const NameScreen &screen() const { return m_data->screen; }

private:
    struct Data
    {
        std::vector<Dialect> dialects;
        std::vector<NotLock> notLocks;
        NameWords words;
        QByteArrayList hints;
        NameScreen screen;
    };
    explicit Dialects(Data data);
    [[nodiscard]] static Data readBuiltIn();

    std::shared_ptr<const Data> m_data;
};

} // namespace latchkey::recognition
