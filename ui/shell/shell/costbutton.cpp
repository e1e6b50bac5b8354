#include "ui/shell/shell/costbutton.h"

#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/plaintext.h"

#include <QActionGroup>
#include <QMenu>

namespace latchkey::ui::shell {

using namespace std::chrono_literals;

CostButton::CostButton(theme::Appearance &appearance, QWidget *parent)
    : QPushButton(parent)
    , m_appearance(appearance)
    , m_menu(new QMenu(this))
{
    setObjectName(QStringLiteral("commandsPerSecond"));
    setProperty("kind", QStringLiteral("menu"));
    setMenu(m_menu);
    setUpMenu();
    const auto showIcon = [this] { setIcon(m_appearance.icon(QStringLiteral("gauge"))); };
    connect(&m_appearance, &theme::Appearance::changed, this, showIcon);
    showIcon();
    m_secondTimer.setInterval(1s);
    connect(&m_secondTimer, &QTimer::timeout, this, &CostButton::measure);
    m_secondTimer.start();
    showCost();
}

void CostButton::setServer(inspection::InspectedServer *server)
{
    m_server = server;
    m_lastCommands = m_server ? m_server->commandsSent() : 0;
    m_lastSpent = m_server ? m_server->watcher().serverTimeSpent() : std::nullopt;
    m_lastMeasured = m_server ? m_server->clock().now() : base::MonotonicTime();
    measure();
}

void CostButton::setRoom(int barWidth, bool isShort)
{
    m_cost.width = barWidth;
    m_cost.isShort = isShort;
    showCost();
}

void CostButton::setUpMenu()
{
    auto *group = new QActionGroup(this);
    for (const int limit : {100, 300, 1000, 3000, 10'000}) {
        QAction *action = m_menu->addAction(QString());
        action->setCheckable(true);
        action->setData(limit);
        group->addAction(action);
    }
    connect(group, &QActionGroup::triggered, this, [this](const QAction *action) {
        if (m_server)
            m_server->watcher().setLimit(budget::CommandLimit::ofShareAt(action->data().toInt()));
        Q_EMIT commandsPerSecondChosen(action->data().toInt());
        measure();
    });
    m_menu->addSeparator();
    QAction *fast = m_menu->addAction(QString());
    fast->setObjectName(QStringLiteral("fastFirstScan"));
    fast->setCheckable(true);
    connect(fast, &QAction::triggered, this, [this](bool isFast) {
        if (m_server)
            m_server->watcher().setFirstScanLimit(isFast ? std::nullopt
                                                         : std::optional(budget::CommandLimit::ofFirstScan()));
        Q_EMIT fastFirstScanChosen(isFast);
    });
    connect(m_menu, &QMenu::aboutToShow, this, [this, group, fast] {
        const bool isCostKnown = m_server == nullptr || m_server->watcher().serverTimeSpent();
        for (QAction *action : group->actions()) {
            const int limit = action->data().toInt();
            action->setText(limitText(limit, isCostKnown));
            action->setChecked(m_server != nullptr && limit == m_server->watcher().limit().perSecond());
        }
        fast->setEnabled(m_server != nullptr);
        fast->setChecked(m_server == nullptr || m_server->watcher().hasFastFirstScan());
        fast->setText(fastFirstScanText());
    });
}

/// Returns the text about reading all keys at full speed. Only the first scan and the data for sorting may exceed the
/// limit, unless the user forbids it. The text states the duration of a first scan within the limit.
QString CostButton::fastFirstScanText() const
{
    const qint64 keys = m_server ? m_server->watcher().databaseSize() : 0;
    const auto seconds =
        m_server ? m_server->watcher().scanTimeWithin(budget::CommandLimit::ofFirstScan(), keys).count() : 0;
    if (seconds < 2)
        return tr("Read all keys at full speed on connect and for sorting");
    const QString time = seconds < 120 ? tr("%Ln s", nullptr, static_cast<int>(seconds))
                                       : tr("%Ln min", nullptr, static_cast<int>((seconds + 59) / 60));
    return tr("Read all keys at full speed on connect and for sorting (within the limit: %1)").arg(time);
}

void CostButton::measure()
{
    m_cost.perSecond = 0;
    m_cost.share.reset();
    if (m_server) {
        const quint64 commands = m_server->commandsSent();
        const auto now = m_server->clock().now();
        const std::chrono::duration<double> passed = now - m_lastMeasured;
        if (passed.count() > 0.2)
            m_cost.perSecond = static_cast<double>(commands - m_lastCommands) / passed.count();
        m_cost.limit = m_server->watcher().limit().perSecond();
        if (const std::optional<double> spent = m_server->watcher().serverTimeSpent()) {
            constexpr double second = 1e6;
            m_cost.share = m_cost.perSecond > 0 ? (*spent - m_lastSpent.value_or(*spent)) / second / passed.count() : 0;
            m_lastSpent = spent;
        } else {
            m_lastSpent.reset();
        }
        setToolTip(widgets::toolTipText(costExplanation(m_cost.share.has_value())));
        m_lastCommands = commands;
        m_lastMeasured = now;
    }
    showCost();
    Q_EMIT measured();
}

void CostButton::showCost()
{
    setText(m_server ? widgets::isolated(costText(m_cost)) : tr("0 commands/s"));
}

} // namespace latchkey::ui::shell
