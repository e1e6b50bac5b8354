#include "ui/pages/inspector/inspectorlayout.h"

#include <QDataStream>
#include <QIODevice>
#include <QSplitter>

#include <algorithm>

namespace latchkey::ui::inspector {

namespace {

// Pixels.
constexpr int minDetailWidth = 260;
constexpr int maxDetailWidth = 1000;
constexpr int minPanelWidth = 380;
constexpr int timelineHeight = 190;
/// Least size of the window with details and history by default.
constexpr int widthForDetails = 1100;
constexpr int heightForHistory = 900;

/// Magic number at the start of a saved layout that this version can read.
constexpr quint32 layoutMark = 0x4c4b4c31;

} // namespace

InspectorLayout::InspectorLayout(InspectorHeader &header, KeyPanel &panel, detail::DetailPanel &detail, QWidget &page)
    : QObject(&page)
    , m_header(header)
    , m_panel(panel)
    , m_detail(detail)
    , m_page(page)
    , m_rows(new QSplitter(Qt::Vertical, &page))
    , m_split(new QSplitter(&page))
{
    m_rows->setObjectName(QStringLiteral("inspectorRows"));
    m_rows->setHandleWidth(12);
    m_rows->setChildrenCollapsible(false);
    m_rows->addWidget(m_split);
    m_split->setObjectName(QStringLiteral("inspectorSplit"));
    m_split->setHandleWidth(12);
    m_split->setChildrenCollapsible(false);
    if (page.isRightToLeft()) // Workaround: in a right-to-left layout QSplitter places its children one pixel too far
                              // to the right.
        m_split->setContentsMargins(0, 0, 1, 0);
    m_split->addWidget(&m_panel);
    m_panel.setMinimumWidth(minPanelWidth);
    m_detail.setMinimumWidth(minDetailWidth);
    m_detail.hide();
    connect(&m_header, &InspectorHeader::detailsToggled, this, &InspectorLayout::showDetails);
    connect(&m_panel.table(), &keytable::KeyTableView::columnChoicesChanged, this, &InspectorLayout::changed);
    connect(&m_header, &InspectorHeader::detailsToggled, this, &InspectorLayout::changed);
    connect(&m_header, &InspectorHeader::timelineToggled, this, &InspectorLayout::changed);
    connect(&m_header, &InspectorHeader::groupingChanged, this, &InspectorLayout::changed);
    connect(m_split, &QSplitter::splitterMoved, this, &InspectorLayout::changed);
}

void InspectorLayout::openDefaultPanels(bool hasLocks)
{
    if (!m_window.isValid())
        return;
    const InspectorHeader::Chosen &chosen = m_header.chosen();
    if (!chosen.details)
        m_header.setDetailsShown(m_window.width() >= widthForDetails);
    // The history stays open while all locks are free.
    const bool showsHistory = m_header.isTimelineShown() || hasLocks;
    if (!chosen.timeline)
        m_header.setTimelineShown(showsHistory && m_window.height() >= heightForHistory);
}

void InspectorLayout::addTimeline(QWidget *timeline)
{
    m_rows->addWidget(timeline);
    m_rows->setStretchFactor(0, 1);
    // In a low window, the table needs the room more than the timeline does.
    const int height = std::min(timelineHeight, m_rows->height() * 2 / 5);
    m_rows->setSizes({m_rows->height() - height, height});
}

/// Shows or hides the detail panel. A hidden panel is removed from the splitter, because the splitter would keep room
/// for its handle (in a right-to-left layout on the wrong side).
void InspectorLayout::showDetails(bool areShown)
{
    if (areShown) {
        m_split->addWidget(&m_detail);
        m_split->setStretchFactor(0, 1);
        m_split->setSizes({std::max(m_split->width() - m_detailWidth, minPanelWidth), m_detailWidth});
        m_detail.show();
    } else {
        m_detailWidth = m_detail.width();
        m_detail.setParent(&m_page);
        m_detail.hide();
    }
}

QByteArray InspectorLayout::save() const
{
    QByteArray layout;
    QDataStream stream(&layout, QIODevice::WriteOnly);
    stream << layoutMark << m_header.areDetailsShown() << m_header.isTimelineShown()
           << static_cast<qint32>(m_detail.isVisible() ? m_detail.width() : m_detailWidth)
           << static_cast<quint8>(m_header.grouping()) << static_cast<quint8>(m_header.defaultGrouping())
           << m_header.chosen().details << m_header.chosen().timeline << m_panel.table().columnChoices().toBytes();
    return layout;
}

void InspectorLayout::restore(const QByteArray &layout)
{
    QDataStream stream(layout);
    quint32 mark = 0;
    bool areDetailsShown = false;
    bool isTimelineShown = false;
    qint32 width = 0;
    stream >> mark >> areDetailsShown >> isTimelineShown >> width;
    if (stream.status() != QDataStream::Ok || mark != layoutMark)
        return;
    m_detailWidth = std::clamp(width, m_detail.minimumWidth(), maxDetailWidth);
    m_header.setDetailsShown(areDetailsShown);
    m_header.setTimelineShown(isTimelineShown);
    // In a layout of an older version, only an open panel is certainly the user's choice.
    InspectorHeader::Chosen chosen {areDetailsShown, isTimelineShown};
    m_header.setChosen(chosen);
    // Layouts saved by older versions end here.
    quint8 grouping = 0;
    quint8 usual = 0;
    stream >> grouping >> usual;
    constexpr auto last = static_cast<quint8>(rows::Grouping::LastColon);
    if (stream.status() != QDataStream::Ok || grouping > last || usual == 0 || usual > last)
        return;
    m_header.setDefaultGrouping(static_cast<rows::Grouping>(usual));
    m_header.setGrouping(static_cast<rows::Grouping>(grouping));
    stream >> chosen.details >> chosen.timeline;
    if (stream.status() != QDataStream::Ok)
        return;
    m_header.setChosen(chosen);
    QByteArray columns;
    stream >> columns;
    if (stream.status() == QDataStream::Ok)
        m_panel.table().setColumnChoices(keytable::ColumnChoices::fromBytes(columns));
}

} // namespace latchkey::ui::inspector
