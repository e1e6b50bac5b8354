#pragma once

#include "core/base/ownedfolder.h"
#include "core/children/launch.h"

#include <QLocalServer>
#include <QObject>

#include <map>

class QLocalSocket;

namespace latchkey::ssh {

/// What ssh wants to know while it logs in, asked in a window: whether a host's key is the right one, a password, the
/// passphrase of a key.
///
/// ssh calls a program for each question, which connects here; see answerer.h. The words are ssh's own, in English.
/// Nothing is answered by itself. A question ends with its answer, or when ssh no longer waits for it.
/// Owned by the code that can ask people; without one, ssh asks at the terminal of this process.
class Questions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Questions)

public:
    using Id = quint64;
    struct Question
    {
        Id id = 0;
        QString text;
        bool isSecret = true; ///< Else it is a yes or no.
    };

    /// program: what ssh is to call, latchkey-cli.
    explicit Questions(QString program, QObject *parent = nullptr);
    ~Questions() override;

    /// What makes an ssh that is started with it ask here; empty where there can be no socket.
    [[nodiscard]] QList<children::Launch::Variable> environment() const;

    /// Of a yes or no `yes` is the one and no answer the other.
    void answer(Id question, const QString &answer);
    void decline(Id question);

Q_SIGNALS:
    void asked(const latchkey::ssh::Questions::Question &question);
    /// ssh no longer waits for an answer.
    void withdrawn(latchkey::ssh::Questions::Id question);

private:
    void accept();
    void read(Id id, QLocalSocket &socket);
    void reply(Id question, const QByteArray &bytes);

    const QString m_program;
    std::unique_ptr<base::OwnedFolder> m_folder; ///< Where the socket is. None where no folder could be made.
    QLocalServer m_server;
    std::map<Id, QLocalSocket *> m_waiting; ///< The answerers. Owned by the server.
    Id m_lastId = 0;
};

} // namespace latchkey::ssh
