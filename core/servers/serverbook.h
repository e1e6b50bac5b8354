#pragma once

#include "core/servers/keptserver.h"

#include <QObject>

#include <optional>
#include <vector>

namespace latchkey::servers {

/// The servers that are kept by name: a file, which the window writes and the command line reads.
///
/// It is an INI file with a section for each server. No secret is ever in it: a password in a URL is not written, and
/// one that somebody else has written there is not used and said to be there; only that the keychain has it is. It is
/// read again before each change, so that two windows do not undo what the other has written; what this version cannot
/// read stays as it is. Owned by the program, and outlives those who look at it. It connects to nothing.
class ServerBook final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerBook)

public:
    /// Reads the file; where there is none, no server is kept.
    explicit ServerBook(QString file, QObject *parent = nullptr);

    /// The file in LATCHKEY_SERVERS, else `latchkey/servers.ini` where the user's settings are.
    [[nodiscard]] static QString usualFile();

    [[nodiscard]] const QString &file() const { return m_file; }
    /// In the order of their groups, and of their names in these; those without a group come first.
    [[nodiscard]] const std::vector<KeptServer> &servers() const { return m_servers; }
    /// By its name, whatever its capitals; null where there is none. Valid until changed().
    [[nodiscard]] const KeptServer *find(const QString &name) const;
    /// The server that an endpoint leads to, as that user and to that database, whatever the password; null where it is
    /// not kept. Valid until changed().
    [[nodiscard]] const KeptServer *findEndpoint(const resp::Endpoint &endpoint) const;
    /// A sentence for each thing in the file that cannot be used, with the server's name.
    [[nodiscard]] const std::vector<base::Error> &problems() const { return m_problems; }
    /// Why a server of that name cannot be found: its own entry, or the file as a whole, cannot be used. Null: neither.
    [[nodiscard]] const base::Error *problemOf(const QString &name) const;

    /// Reads the file anew: somebody may have changed it.
    void reload();

    /// Whether put() takes it by its name. Errors (Usage): see there.
    [[nodiscard]] base::Result<void> check(const KeptServer &server, const QString &replaced = {}) const;
    /// Writes it, in the place of the server called replaced where that is not empty. Errors: a name that is empty, is
    /// more than a line or is another server's (Usage), or why the file cannot be written (Local); then it is as it
    /// was.
    [[nodiscard]] base::Result<void> put(const KeptServer &server, const QString &replaced = {});
    /// Error (Local): the file cannot be written. That it is not there is none.
    [[nodiscard]] base::Result<void> remove(const QString &name);

    /// All of them into a file of the same form, without a secret, and without what this desktop's keychain has. Error
    /// (Local): why it cannot be written.
    [[nodiscard]] base::Result<void> exportTo(const QString &file) const;
    /// Takes those of another file in; gives how many. One whose name is kept already is put in its place only where it
    /// is the same server, and else gets a number behind its name. What their file says of a keychain is another's.
    /// Errors: the file holds no server (Usage), or cannot be read or written (Local); then nothing has been taken.
    [[nodiscard]] base::Result<int> importFrom(const QString &file);

Q_SIGNALS:
    /// servers() or problems() may be others.
    void changed();

private:
    const QString m_file;
    std::vector<KeptServer> m_servers;
    std::vector<base::Error> m_problems;
    std::vector<QString> m_troubled; ///< Names of the servers of m_problems; empty: the file as a whole.
};

} // namespace latchkey::servers
