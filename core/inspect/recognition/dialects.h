#pragma once

#include "core/foundation/base/error.h"
#include "core/inspect/recognition/dialect.h"
#include "core/inspect/recognition/nameclassifier.h"

#include <memory>

namespace latchkey::recognition {

/// All known dialects: the built-in ones, and those that the user has added.
///
/// Immutable. A value type; copies share their data, so they are cheap.
class Dialects final
{
public:
    /// Returns the dialects of resources/dialects.
    [[nodiscard]] static const Dialects &builtIn();

    /// Returns the dialects of a user file, followed by these dialects. A dialect of the file replaces one with the
    /// same id. `name`: file name in messages. Error (Usage): the fault, with file and line.
    [[nodiscard]] base::Result<Dialects> with(const QString &name, const QByteArray &contents) const;
    /// Reads the file, then works like with(). Error (Local): the file cannot be read.
    [[nodiscard]] base::Result<Dialects> withFile(const QString &path) const;

    [[nodiscard]] const std::vector<Dialect> &all() const { return m_data->dialects; }
    [[nodiscard]] const std::vector<NotLock> &notLocks() const { return m_data->notLocks; }
    /// Returns the dialect with this id; null if there is none.
    [[nodiscard]] const Dialect *find(const QString &id) const;
    /// Returns the SHA1 digests of all scripts that indicate a dialect, as the arguments of one SCRIPT EXISTS.
    [[nodiscard]] const QByteArrayList &scripts() const { return m_data->scripts; }
    [[nodiscard]] const NameClassifier &nameClassifier() const { return m_data->nameClassifier; }

private:
    struct Data
    {
        std::vector<Dialect> dialects;
        std::vector<NotLock> notLocks;
        NameWords words;
        QByteArrayList hints;
        NameClassifier nameClassifier;
        QByteArrayList scripts; ///< Derived from the dialects.
    };
    explicit Dialects(Data data);
    [[nodiscard]] static Data readBuiltIn();

    std::shared_ptr<const Data> m_data;
};

} // namespace latchkey::recognition
