#include "ui/pages/lab/forecastpanel.h"

#include "ui/kit/widgets/plaintext.h"

#include <QLabel>
#include <QVBoxLayout>

namespace latchkey::ui::lab {

using inspection::InspectedServer;
using rows::ForecastCounter;
using namespace std::chrono_literals;

namespace {

constexpr auto betweenCounts = 1s;
/// Time limit per turn of the event loop.
constexpr auto slice = 2ms;

} // namespace

ForecastPanel::ForecastPanel(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_view(new ForecastView(appearance, this))
    , m_empty(new widgets::EmptyState(appearance, this))
{
    setObjectName(QStringLiteral("forecastPanel"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view, 1);
    m_retryTimer.setInterval(betweenCounts);
    connect(&m_retryTimer, &QTimer::timeout, this, &ForecastPanel::begin);
    m_sliceTimer.setInterval(0);
    connect(&m_sliceTimer, &QTimer::timeout, this, &ForecastPanel::advance);
}

ForecastPanel::~ForecastPanel() = default;

void ForecastPanel::setServer(InspectedServer *server)
{
    m_counter.reset();
    m_sliceTimer.stop();
    m_server = server;
    m_view->setForecast({});
    if (isVisible())
        begin();
}

void ForecastPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_retryTimer.start();
    begin();
}

void ForecastPanel::hideEvent(QHideEvent *event)
{
    m_retryTimer.stop();
    m_sliceTimer.stop();
    m_counter.reset();
    QWidget::hideEvent(event);
}

void ForecastPanel::begin()
{
    showEmptyState();
    if (m_counter || !m_server)
        return;
    m_counter = std::make_unique<ForecastCounter>(m_server->store().known(), m_server->clock().now());
    m_sliceTimer.start();
}

void ForecastPanel::advance()
{
    if (!m_server || !m_counter->advance(QDeadlineTimer(slice, Qt::PreciseTimer)))
        return;
    m_sliceTimer.stop();
    m_view->setForecast(m_counter->forecast(static_cast<std::size_t>(m_view->room())));
    m_counter.reset();
}

void ForecastPanel::showEmptyState()
{
    const bool hasKeys = m_server && m_server->store().liveCount() > 0;
    m_view->setVisible(hasKeys);
    m_empty->setVisible(!hasKeys);
    if (!hasKeys)
        m_empty->show(
            QStringLiteral("timeline"), tr("No keys"),
            tr("Shows how many keys of the connected server expire in the next second, minute and hour, by prefix."));
}

} // namespace latchkey::ui::lab
