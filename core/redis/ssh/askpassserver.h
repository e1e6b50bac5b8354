#pragma once

#include "core/foundation/files/ownedfolder.h"
#include "core/foundation/process/launch.h"

#include <QLocalServer>
#include <QObject>

#include <map>

class QLocalSocket;

namespace latchkey::ssh {

/// A server that receives the questions of ssh during a login and passes them to a window: the confirmation of a host
/// key, a password, the passphrase of a key.
///
/// For each question, ssh calls a program, which connects to this object; see askpassclient.h. The texts are the
/// English texts of ssh. No question is answered automatically. A question ends with its answer, or when ssh no
/// longer waits for one. Owned by the code that can ask the user. Without this object, ssh asks at the terminal of
/// this process.
class AskpassServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AskpassServer)

public:
    using Id = quint64;
    struct Question
    {
        Id id = 0;
        QString text;
        bool isSecret = true; ///< False: a yes-or-no question.
    };

    /// Creates the socket for the questions. `program`: path of latchkey-cli, which ssh calls.
    explicit AskpassServer(QString program, QObject *parent = nullptr);
    ~AskpassServer() override;

    /// Returns the environment that makes ssh ask here; empty if the socket could not be created.
    [[nodiscard]] QList<process::Launch::Variable> environment() const;

    /// Answers a question. A yes-or-no question is answered with `yes` or declined.
    void answer(Id question, const QString &answer);
    void decline(Id question);

Q_SIGNALS:
    void asked(const latchkey::ssh::AskpassServer::Question &question);
    /// Emitted when ssh no longer waits for an answer.
    void withdrawn(latchkey::ssh::AskpassServer::Id question);

private:
    void accept();
    void read(Id id, QLocalSocket &socket);
    void reply(Id question, const QByteArray &bytes);

    const QString m_program;
    std::unique_ptr<files::OwnedFolder> m_folder; ///< Folder of the socket. Null if it could not be created.
    QLocalServer m_server;
    std::map<Id, QLocalSocket *> m_waiting; ///< Sockets of the waiting processes of askpassclient.h. Owned by the
                                            ///< socket server.
    Id m_lastId = 0;
};

} // namespace latchkey::ssh
