#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/widgets/emptystate.h"
#include "ui/pages/lab/forecastview.h"

#include <QPointer>
#include <QTimer>

namespace latchkey::ui::lab {

/// A panel with the forecast of expiries on the connected server. While it is visible, the forecast is computed every
/// second from the known keys, without requests to the server. Owned by the LabPage. Server and appearance are not
/// owned.
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
    void advance();
    void showEmptyState();

    QPointer<inspection::InspectedServer> m_server;
    ForecastView *m_view;
    widgets::EmptyState *m_empty;
    QTimer m_retryTimer;
    QTimer m_sliceTimer;
    std::unique_ptr<rows::ForecastCounter> m_counter;
};

} // namespace latchkey::ui::lab
