#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/redis/connections/savedconnection.h"
#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/pill.h"
#include "ui/shell/shell/connectiontexts.h"
#include "ui/shell/shell/costbutton.h"
#include "ui/shell/shell/serverurledit.h"

#include <QFrame>
#include <QPointer>

#include <optional>

class QLabel;
class QPushButton;

namespace latchkey::ui::shell {

/// A bar with the state of the server: address, connection, version, round trip time, rate of commands, and the switch
/// that allows writing.
///
/// The bar shows one InspectedServer at a time. Pausing, limits and a retry are applied to this server; all other
/// requests of the user are emitted as signals. Owned by the main window. Appearance and server are not owned.
class ConnectionBar final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ConnectionBar)

public:
    explicit ConnectionBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    void setRecentServers(const QStringList &displayUrls);
    /// Sets the saved connection of the server. Null if it is not saved.
    void setSavedConnection(const latchkey::connections::SavedConnection *server);
    /// Moves the keyboard focus to the URL.
    void editUrl();
    /// Adds the buttons of the bar to the registry.
    void addActionsTo(actions::ActionRegistry &registry) const;

Q_SIGNALS:
    /// Emitted when the user has entered a valid URL.
    void serverEntered(const latchkey::net::Endpoint &endpoint);
    /// Emitted when the user has entered an invalid URL. `message`: the reason.
    void urlRefused(const QString &message);
    /// Emitted when urlRefused() no longer applies: the text was edited, dropped or accepted.
    void urlRefusalCleared();
    void passwordRequested();
    void serverSwitchRequested();
    void armingRequested(bool arm);
    void commandsPerSecondChosen(int commands);
    void fastFirstScanChosen(bool isFast);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpWidgets();
    void setUpUrl();
    void enterUrl(const QString &url);
    void recover();
    void refresh();
    [[nodiscard]] bool isProduction() const;
    void showArming();
    void fitTexts();
    void applyAppearance();
    void showState();
    void showSavedConnection();
    [[nodiscard]] ConnectionStatus status() const;

    theme::Appearance &m_appearance;
    QPointer<inspection::InspectedServer> m_server;
    QPushButton *m_name;
    ServerUrlEdit *m_url;
    widgets::Pill *m_state;
    QPushButton *m_recoveryButton;
    QLabel *m_version;
    QLabel *m_roundTrip;
    CostButton *m_cost;
    QPushButton *m_pause;
    QPushButton *m_arm;
    RecoveryAction m_offered = RecoveryAction::None;
    std::optional<latchkey::connections::SavedConnection> m_saved;
};

} // namespace latchkey::ui::shell
