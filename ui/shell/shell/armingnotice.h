#pragma once

#include "ui/kit/widgets/messages.h"
#include "ui/shell/shell/serverquestions.h"

#include <QPointer>

namespace latchkey::ui::shell {

/// A notice that writing was disarmed at the end of its time limit. It offers to arm again, and disappears when the
/// server is armed or another server is shown. Owned by the main window. Workspace, questions and messages are not
/// owned.
class ArmingNotice final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ArmingNotice)

public:
    ArmingNotice(Workspace &workspace, ServerQuestions &questions, widgets::Messages &messages, QObject *parent);

private:
    void connectToServer();
    void say(std::chrono::minutes time);

    Workspace &m_workspace;        // Not owned.
    ServerQuestions &m_questions;  // Not owned.
    widgets::Messages &m_messages; // Not owned.
    QPointer<inspection::InspectedServer> m_server;
};

} // namespace latchkey::ui::shell
