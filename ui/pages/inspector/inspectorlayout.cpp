// The layout of an InspectorPage, and how the layout is saved. The rest of the class is in inspectorpage.cpp.

#include "ui/pages/inspector/endedkeysdialog.h"
#include "ui/pages/inspector/exportcontrol.h"
#include "ui/pages/inspector/inspectorpage.h"

#include <QDataStream>
#include <QIODevice>
#include <QSplitter>

#include <algorithm>
#include <utility>

namespace latchkey::ui::inspector {

namespace {

// Pixels.
constexpr int maxDetailWidth = 1000;
constexpr int timelineHeight = 190;
/// Least size of the window with details and history by default.
constexpr int widthForDetails = 1100;
constexpr int heightForHistory = 900;

/// Magic number at the start of a saved layout that this version can read.
constexpr quint32 layoutMark = 0x4c4b4c31;

} // namespace

/// Creates the timeline of the current server if it is to be shown. A hidden timeline does not exist, so that it costs
/// no time.
void InspectorPage::makeTimeline()
{
    delete std::exchange(m_timeline, nullptr);
    if (!m_server || !m_header->isTimelineShown())
        return;
    m_timeline = new timeline::TimelineView(m_server->holds().history(), m_clock, m_appearance, this);
    m_rows->addWidget(m_timeline);
    m_rows->setStretchFactor(0, 1);
    // In a low window, the table needs the room more than the timeline does.
    const int height = std::min(timelineHeight, m_rows->height() * 2 / 5);
    m_rows->setSizes({m_rows->height() - height, height});
    connect(m_timeline, &timeline::TimelineView::holdChosen, this,
            [this](const history::Hold &hold) { chooseKey(hold.key); });
    choiceChanged();
}

void InspectorPage::fitPanels(const QSize &window)
{
    m_window = window;
    openDefaultPanels();
}

void InspectorPage::openDefaultPanels()
{
    if (!m_window.isValid())
        return;
    const InspectorHeader::Chosen &chosen = m_header->chosen();
    if (!chosen.details)
        m_header->setDetailsShown(m_window.width() >= widthForDetails);
    // The history stays open while all locks are free.
    const bool hasLocks = m_header->isTimelineShown() || (m_server && m_server->locks().lockCount() > 0);
    if (!chosen.timeline)
        m_header->setTimelineShown(hasLocks && m_window.height() >= heightForHistory);
}

void InspectorPage::connectLayout()
{
    connect(&m_panel->table(), &keytable::KeyTableView::columnChoicesChanged, this, &InspectorPage::layoutChanged);
    connect(m_header, &InspectorHeader::detailsToggled, this, &InspectorPage::layoutChanged);
    connect(m_header, &InspectorHeader::timelineToggled, this, &InspectorPage::layoutChanged);
    connect(m_header, &InspectorHeader::groupingChanged, this, &InspectorPage::layoutChanged);
    connect(m_split, &QSplitter::splitterMoved, this, &InspectorPage::layoutChanged);
}

void InspectorPage::showEndedKeys()
{
    if (!m_server)
        return;
    if (!m_ended) {
        m_ended = new EndedKeysDialog(m_appearance, *m_server, this);
        m_ended->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_ended, &EndedKeysDialog::exportRequested, m_export,
                [this](const base::Glob &filter) { m_export->ask(ExportControl::Subject::Ended, filter); });
    }
    m_ended->show();
    m_ended->raise();
    m_ended->activateWindow();
}

QByteArray InspectorPage::saveLayout() const
{
    QByteArray layout;
    QDataStream stream(&layout, QIODevice::WriteOnly);
    stream << layoutMark << m_header->areDetailsShown() << m_header->isTimelineShown()
           << static_cast<qint32>(m_detail->isVisible() ? m_detail->width() : m_detailWidth)
           << static_cast<quint8>(m_header->grouping()) << static_cast<quint8>(m_header->defaultGrouping())
           << m_header->chosen().details << m_header->chosen().timeline << m_panel->table().columnChoices().toBytes();
    return layout;
}

void InspectorPage::restoreLayout(const QByteArray &layout)
{
    QDataStream stream(layout);
    quint32 mark = 0;
    bool areDetailsShown = false;
    bool isTimelineShown = false;
    qint32 width = 0;
    stream >> mark >> areDetailsShown >> isTimelineShown >> width;
    if (stream.status() != QDataStream::Ok || mark != layoutMark)
        return;
    m_detailWidth = std::clamp(width, m_detail->minimumWidth(), maxDetailWidth);
    m_header->setDetailsShown(areDetailsShown);
    m_header->setTimelineShown(isTimelineShown);
    // In a layout of an older version, only an open panel is certainly the user's choice.
    InspectorHeader::Chosen chosen {areDetailsShown, isTimelineShown};
    m_header->setChosen(chosen);
    // Layouts saved by older versions end here.
    quint8 grouping = 0;
    quint8 usual = 0;
    stream >> grouping >> usual;
    constexpr auto last = static_cast<quint8>(rows::Grouping::LastColon);
    if (stream.status() != QDataStream::Ok || grouping > last || usual == 0 || usual > last)
        return;
    m_header->setDefaultGrouping(static_cast<rows::Grouping>(usual));
    m_header->setGrouping(static_cast<rows::Grouping>(grouping));
    stream >> chosen.details >> chosen.timeline;
    if (stream.status() != QDataStream::Ok)
        return;
    m_header->setChosen(chosen);
    QByteArray columns;
    stream >> columns;
    if (stream.status() == QDataStream::Ok)
        m_panel->table().setColumnChoices(keytable::ColumnChoices::fromBytes(columns));
}

} // namespace latchkey::ui::inspector
