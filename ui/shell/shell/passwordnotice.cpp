#include "ui/shell/shell/passwordnotice.h"

#include "ui/kit/widgets/sentence.h"
#include "ui/shell/shell/connectiontexts.h"

#include <utility>

namespace latchkey::ui::shell {

using inspection::InspectedServer;
using net::Session;

namespace {

const QString passwordTopic = QStringLiteral("password");

} // namespace

PasswordNotice::PasswordNotice(Workspace &workspace, ServerQuestions &questions, widgets::Messages &messages,
                               QObject *parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_questions(questions)
    , m_messages(messages)
{
    connect(&workspace, &Workspace::inspectedChanged, this, &PasswordNotice::connectToServer);
    connectToServer();
}

void PasswordNotice::connectToServer()
{
    m_messages.remove(passwordTopic);
    m_shownError.clear();
    if (InspectedServer *server = m_workspace.inspected())
        connect(&server->session(), &Session::stateChanged, this, &PasswordNotice::refresh, Qt::UniqueConnection);
}

void PasswordNotice::refresh()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || server->session().state() == Session::State::Connecting)
        return;
    const auto &error = server->session().lastError();
    if (!wantsPassword(error)) {
        m_shownError.clear();
        m_messages.remove(passwordTopic);
    } else if (std::exchange(m_shownError, error->message()) != error->message()) { // Shown once, not at each attempt.
        m_messages.show({passwordTopic,
                         widgets::Banner::Tone::Warning,
                         widgets::sentence(error->message()),
                         tr("Enter password…"),
                         [this] { m_questions.askForPassword(); },
                         {}});
    }
}

} // namespace latchkey::ui::shell
