#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/lab/forecastview.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QTimer>

namespace latchkey::ui::lab {

/// The forecast for the connected server, counted anew every second while it is shown: of what the window knows
/// anyway, so that it asks the server nothing.
/// Owned by the LabPage; server and appearance are not owned.
class ForecastPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ForecastPanel)

public:
    explicit ForecastPanel(theme::Appearance &appearance, QWidget *parent = nullptr);
    ~ForecastPanel() override;

    void setServer(inspection::InspectedServer *server);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void begin();
    void goOn();
    void sayWhereNothingIs();

    QPointer<inspection::InspectedServer> m_server;
    ForecastView *m_view;
    widgets::EmptyState *m_empty;
    QTimer m_again;
    QTimer m_slice;
    std::unique_ptr<rows::ForecastWalk> m_walk;
};

} // namespace latchkey::ui::lab
