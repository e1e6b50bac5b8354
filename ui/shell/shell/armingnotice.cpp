#include "ui/shell/shell/armingnotice.h"

#include "core/foundation/base/duration.h"

namespace latchkey::ui::shell {

using inspection::InspectedServer;

namespace {

const QString armingTopic = QStringLiteral("arming");

} // namespace

ArmingNotice::ArmingNotice(Workspace &workspace, ServerQuestions &questions, widgets::Messages &messages,
                           QObject *parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_questions(questions)
    , m_messages(messages)
{
    connect(&workspace, &Workspace::inspectedChanged, this, &ArmingNotice::connectToServer);
    connectToServer();
}

void ArmingNotice::connectToServer()
{
    if (m_server) // The server may outlive this object.
        m_server->disconnect(this);
    m_messages.remove(armingTopic);
    m_server = m_workspace.inspected();
    if (!m_server)
        return;
    connect(m_server.data(), &InspectedServer::armedTimeEnded, this, &ArmingNotice::say);
    connect(m_server.data(), &InspectedServer::armedChanged, this, [this](bool isArmed) {
        if (isArmed)
            m_messages.remove(armingTopic);
    });
}

void ArmingNotice::say(std::chrono::minutes time)
{
    const auto *saved = m_workspace.servers().findEndpoint(m_server->endpoint());
    const QString name = saved == nullptr ? m_server->endpoint().display() : saved->name;
    m_messages.show({armingTopic,
                     widgets::Banner::Tone::Info,
                     tr("Writing to %1 was disarmed automatically after %2.").arg(name, base::wholeDuration(time)),
                     tr("Arm again…"),
                     [this] { m_questions.askToArm(); },
                     {}});
}

} // namespace latchkey::ui::shell
