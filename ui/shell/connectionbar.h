#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/servers/keptserver.h"
#include "ui/shell/connectionwords.h"
#include "ui/shell/serverurledit.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/pill.h"

#include <QFrame>
#include <QPointer>
#include <QTimer>

#include <optional>

class QLabel;
class QMenu;
class QPushButton;

namespace latchkey::ui::shell {

/// The server at a glance: where it is, whether it answers, what it is, how far away, and what this window costs it;
/// and the switch that allows writing to it.
///
/// Shows one InspectedServer at a time. It asks for what the user wants by signals and connects nothing itself.
/// Owned by the main window; appearance and server are not owned.
class ConnectionBar final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ConnectionBar)

public:
    explicit ConnectionBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    void setRecentServers(const QStringList &displayUrls);
    /// As what the server is kept; null: it is not.
    void setKept(const latchkey::servers::KeptServer *server);
    /// Puts the keyboard into the URL.
    void editUrl();

Q_SIGNALS:
    /// The user has entered a URL that can be read.
    void serverEntered(const latchkey::resp::Endpoint &endpoint);
    /// The user has entered one that cannot; message: why.
    void urlRefused(const QString &message);
    /// What was refused is no longer there.
    void urlForgotten();
    void passwordWanted();
    void switchingWanted();
    void armingAsked(bool arm);
    void commandsPerSecondChosen(int commands);
    void fastFirstScanChosen(bool isFast);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpWidgets();
    void setUpBudgetMenu();
    void setUpUrl();
    void enterUrl(const QString &url);
    void remedy();
    void refresh();
    void measure();
    [[nodiscard]] QString fastFirstScanText() const;
    void applyAppearance();
    void showState();
    void showKept();
    [[nodiscard]] ConnectionFacts facts() const;

    theme::Appearance &m_appearance;
    QPointer<inspection::InspectedServer> m_server;
    QPushButton *m_name;
    ServerUrlEdit *m_url;
    widgets::Pill *m_state;
    QPushButton *m_remedy;
    QLabel *m_version;
    QLabel *m_roundTrip;
    QPushButton *m_cost;
    QPushButton *m_pause;
    QPushButton *m_arm;
    QMenu *m_budget;
    Remedy m_offered = Remedy::None;
    std::optional<latchkey::servers::KeptServer> m_kept;
    QTimer m_second;
    quint64 m_lastCommands = 0;
    base::MonotonicTime m_lastMeasured;
};

} // namespace latchkey::ui::shell
