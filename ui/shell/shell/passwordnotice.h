#pragma once

#include "ui/kit/widgets/messages.h"
#include "ui/shell/shell/serverquestions.h"

namespace latchkey::ui::shell {

/// A notice that the inspected server requires a password. It offers to enter one, and disappears when the server
/// accepts the connection or another server is shown. Owned by the main window. Workspace, questions and messages are
/// not owned.
class PasswordNotice final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PasswordNotice)

public:
    PasswordNotice(Workspace &workspace, ServerQuestions &questions, widgets::Messages &messages, QObject *parent);

private:
    void connectToServer();
    void refresh();

    Workspace &m_workspace;        // Not owned.
    ServerQuestions &m_questions;  // Not owned.
    widgets::Messages &m_messages; // Not owned.
    QString m_shownError;          ///< Error of the message; empty without a message.
};

} // namespace latchkey::ui::shell
