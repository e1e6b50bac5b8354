#include "ui/pages/playground/serverpanel.h"

#include "core/inspect/inspection/readstate.h"
#include "ui/kit/widgets/emptystate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/commandlog/commandlogview.h"
#include "ui/views/keytable/keytableview.h"
#include "ui/views/keytable/visiblekeys.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace latchkey::ui::playground {

using latchkey::playground::ClientProcess;
using latchkey::playground::ClientReport;

ServerPanel::ServerPanel(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_table(new keytable::KeyTableView(appearance, clock, this))
    , m_noKeys(new widgets::EmptyState(appearance, m_table->viewport()))
    , m_commandLog(new commandlog::CommandLogView(appearance, this))
{
    m_table->setCompact(true);
    setUpLayout();
    connect(&m_appearance, &theme::Appearance::changed, this, &ServerPanel::applyAppearance);
    applyAppearance();
}

ServerPanel::~ServerPanel() = default;

void ServerPanel::setUpLayout()
{
    auto *parts = new QSplitter(Qt::Vertical, this);
    parts->setChildrenCollapsible(false);
    parts->setHandleWidth(10);
    const auto addPart = [parts](const QString &title, QWidget *content, int stretch) {
        auto *part = new QWidget(parts);
        auto *layout = new QVBoxLayout(part);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(6);
        layout->addWidget(widgets::makePlainLabel(QLatin1String("sectionTitle"), title, part));
        layout->addWidget(content, 1);
        parts->addWidget(part);
        parts->setStretchFactor(parts->count() - 1, stretch);
    };
    addPart(tr("Keys on the server"), m_table, 3);
    addPart(tr("Command log"), m_commandLog, 2);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(parts);
}

void ServerPanel::applyAppearance()
{
    QFont small = m_appearance.monospaced();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    m_commandLog->setFont(small);
}

void ServerPanel::setServer(inspection::InspectedServer *server)
{
    m_server = server;
    m_table->setRows(nullptr);
    m_rows = server == nullptr ? nullptr : std::make_unique<rows::RowList>(server->store());
    m_table->setRows(m_rows.get());
}

void ServerPanel::refresh()
{
    if (!m_server)
        return;
    if (m_rows->rowCount() == 0)
        m_noKeys->show(QStringLiteral("key"), tr("No keys"), QString());
    else
        m_noKeys->hide();
    const auto unseen = inspection::unreadInterval(m_server->watcher());
    m_table->freezeAt(unseen ? std::optional(unseen->from) : std::nullopt);
}

std::vector<keys::KeyId> ServerPanel::keysOnScreen() const
{
    return m_table->isVisible() ? keytable::keysOnScreen(*m_table) : std::vector<keys::KeyId>();
}

void ServerPanel::log(const ClientProcess &client, const ClientReport &report)
{
    if (report.event == ClientReport::Event::Wire)
        m_commandLog->add(client.name(), report.command, report.reply.toString());
    else if (report.event != ClientReport::Event::Renewed) // Left out: renewals repeat while the lock is held.
        m_commandLog->closeOperation(client.name());
}

} // namespace latchkey::ui::playground
