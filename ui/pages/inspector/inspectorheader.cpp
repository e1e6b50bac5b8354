#include "ui/pages/inspector/inspectorheader.h"

#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/languagewatch.h"
#include "ui/pages/inspector/changenotificationbutton.h"

#include "core/foundation/base/bytes.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::inspector {

using rows::Grouping;
using rows::RowFilter;

namespace {

QString withCount(const QString &name, qsizetype count)
{
    return count > 0
             ? InspectorHeader::tr("%1 %2", "a chip and how many keys it shows").arg(name, QLocale().toString(count))
             : name;
}

} // namespace

InspectorHeader::InspectorHeader(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_counts(new widgets::ElidedLabel(this))
    , m_changeNotification(new ChangeNotificationButton(this))
    , m_chips(new QButtonGroup(this))
{
    auto *title = new QLabel(tr("Inspector"), this);
    title->setObjectName(QStringLiteral("pageTitle"));
    m_counts->setObjectName(QStringLiteral("secondary"));
    m_counts->setProperty("testName", QStringLiteral("counts"));
    m_counts->setTextFormat(Qt::PlainText);
    m_counts->setSizePolicy(QSizePolicy::Ignored,
                            QSizePolicy::Preferred); // A text that is too long is cut instead of widening the page.

    addChip(nullptr, "showAll", tr("All"));
    m_locks = addChip(&rows::isLock, "showLocks", tr("Locks"));
    m_expiring = addChip(&rows::isExpiring, "showExpiring", tr("Expiring"));
    m_persistent = addChip(&rows::isPersistent, "showPersistent", tr("No expiry"));
    m_findings = addChip(&rows::hasFindings, "showFindings", tr("Findings"));
    m_counted = {{m_persistent, m_persistent->text()},
                 {m_expiring, m_expiring->text()},
                 {m_findings, m_findings->text()},
                 {m_locks, m_locks->text()}};
    connect(m_chips, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked)
            Q_EMIT filterChanged();
    });
    setUpFilter();
    setUpPanels();

    auto *line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(title);
    line->addStretch(0);
    for (QAbstractButton *chip : m_chips->buttons())
        line->addWidget(chip);
    line->addSpacing(8);
    line->addWidget(m_filter, 1);

    m_progress = new QProgressBar(this);
    m_progress->setObjectName(QStringLiteral("scanProgress"));
    m_progress->setAccessibleName(tr("Scan progress"));
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->hide();

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(line);
    m_secondLine = new QHBoxLayout;
    m_secondLine->setSpacing(8);
    m_secondLine->addWidget(m_counts, 1);
    m_secondLine->addWidget(m_changeNotification);
    for (QPushButton *toggle : {m_group, m_timeline, m_details})
        m_secondLine->addWidget(toggle);
    layout->addLayout(m_secondLine);
    layout->addWidget(m_progress);
    connect(&m_appearance, &theme::Appearance::changed, this, &InspectorHeader::applyAppearance);
    applyAppearance();
    setLockCounts(0, 0);
}

void InspectorHeader::addActionsTo(actions::ActionRegistry &registry, int page) const
{
    for (QPushButton *button : {m_details, m_timeline, m_group})
        registry.add(actions::ActionRegistry::Group::Table, *button, page);
    for (QAbstractButton *chip : m_chips->buttons())
        registry.add(actions::ActionRegistry::Group::Table, *chip, page,
                     [](const QString &keys) { return tr("Show: %1", "a filter of the table").arg(keys); });
}

QPushButton *InspectorHeader::addChip(const rows::KeyCondition *condition, const char *name, const QString &text)
{
    auto *chip = new QPushButton(text, this);
    chip->setObjectName(QLatin1String(name));
    chip->setProperty("kind", QStringLiteral("chip"));
    chip->setCheckable(true);
    chip->setChecked(condition == nullptr);
    m_chips->addButton(chip, static_cast<int>(m_conditions.size()));
    m_conditions += condition;
    return chip;
}

void InspectorHeader::setExpiryCounts(qsizetype expiring, qsizetype persistent)
{
    m_counted[0].count = persistent;
    m_counted[1].count = expiring;
    fitCounts();
}

void InspectorHeader::setLockCounts(qsizetype locks, qsizetype findings)
{
    m_counted[2].count = findings;
    m_counted[3].count = locks;
    m_locks->setVisible(locks > 0 || m_locks->isChecked());
    m_findings->setVisible(findings > 0 || m_findings->isChecked());
    fitCounts();
}

/// Returns the width in pixels that the displayed counts add to the line. If `isAll` is true, returns the width of all
/// counts.
int InspectorHeader::countsWidth(bool isAll) const
{
    int width = 0;
    for (const ChipCount &counted : m_counted) {
        const QFontMetrics metrics = counted.chip->fontMetrics();
        const QString text = isAll ? withCount(counted.name, counted.count) : counted.chip->text();
        if (counted.chip->isVisibleTo(this))
            width += metrics.horizontalAdvance(text) - metrics.horizontalAdvance(counted.name);
    }
    return width;
}

QSize InspectorHeader::minimumSizeHint() const
{
    const QSize size = QWidget::minimumSizeHint();
    return {size.width() - countsWidth(false), size.height()};
}

/// Shows counts only where there is room: a truncated number would be wrong. A count without room is in the tool tip.
void InspectorHeader::fitCounts()
{
    int needed = minimumSizeHint().width() + countsWidth(true);
    for (const ChipCount &counted : std::as_const(m_counted)) {
        const QString all = withCount(counted.name, counted.count);
        const bool hasRoom = needed <= width() || all == counted.name;
        const QFontMetrics metrics = counted.chip->fontMetrics();
        if (!hasRoom && counted.chip->isVisibleTo(this))
            needed -= metrics.horizontalAdvance(all) - metrics.horizontalAdvance(counted.name);
        if (const QString text = hasRoom ? all : counted.name; counted.chip->text() != text)
            counted.chip->setText(text);
        if (const QString toolTip = hasRoom ? QString() : all; counted.chip->toolTip() != toolTip)
            counted.chip->setToolTip(toolTip);
    }
}

void InspectorHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitCounts();
}

void InspectorHeader::setUpFilter()
{
    m_filter = new QLineEdit(this);
    m_filterIcon = new QAction(this);
    m_filter->setObjectName(QStringLiteral("filter"));
    m_filter->setAccessibleName(tr("Filter keys"));
    m_filter->setPlaceholderText(tr("Text or pattern: lock:*"));
    m_filter->setToolTip(tr("Part of a key, or a pattern for the whole key with *, ? and [a-z] (Ctrl+F; Esc clears)"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(110);
    m_filter->setMaximumWidth(300);
    m_filter->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_filter->addAction(m_filterIcon, QLineEdit::LeadingPosition);
    connect(m_filter, &QLineEdit::textChanged, this, &InspectorHeader::filterChanged);
    m_filter->installEventFilter(this);
}

QPushButton *InspectorHeader::addPanelButton(const char *name, const QKeySequence &shortcut, const QString &text,
                                             const QString &toolTip)
{
    auto *button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    button->setProperty("kind", QStringLiteral("quiet"));
    button->setCheckable(true);
    button->setShortcut(shortcut);
    button->setWhatsThis(toolTip);
    const auto word = [button] {
        button->setToolTip(tr("%1 (%2)", "what a button shows, and its shortcut")
                               .arg(button->whatsThis(), button->shortcut().toString(QKeySequence::NativeText)));
    };
    connect(new widgets::LanguageWatch(button), &widgets::LanguageWatch::changed, button, word);
    word();
    return button;
}

void InspectorHeader::setUpPanels()
{
    connect(new widgets::LanguageWatch(this), &widgets::LanguageWatch::changed, this, [this] {
        m_counted[0].name = tr("No expiry");
        m_counted[1].name = tr("Expiring");
        m_counted[2].name = tr("Findings");
        m_counted[3].name = tr("Locks");
        fitCounts();
    });
    setUpGrouping();
    m_timeline = addPanelButton("showTimeline", Qt::CTRL | Qt::Key_T, tr("History"),
                                tr("Shows the holds of all locks below the table"));
    m_details = addPanelButton("showDetails", Qt::CTRL | Qt::Key_I, tr("Details"),
                               tr("Shows the details of the selected key beside the table"));
    connect(m_timeline, &QPushButton::clicked, this, [this] { m_chosen.timeline = true; });
    connect(m_details, &QPushButton::clicked, this, [this] { m_chosen.details = true; });
    connect(m_timeline, &QPushButton::toggled, this, &InspectorHeader::timelineToggled);
    connect(m_details, &QPushButton::toggled, this, &InspectorHeader::detailsToggled);
}

void InspectorHeader::setUpGrouping()
{
    m_group = addPanelButton("groupKeys", Qt::CTRL | Qt::Key_G, tr("Group"),
                             tr("Groups keys by prefix; the menu selects the prefix"));
    m_groupings = new QActionGroup(this);
    for (const auto &[grouping, text] : {std::pair(Grouping::FirstColon, tr("Up to the &first colon: a: of a:b:c")),
                                         {Grouping::LastColon, tr("Up to the &last colon: a:b: of a:b:c")}}) {
        QAction *action = m_groupings->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(grouping));
        action->setChecked(grouping == m_usualGrouping);
        m_group->addAction(action);
    }
    m_group->setContextMenuPolicy(Qt::ActionsContextMenu);
    // A user who chooses a grouping also wants it applied.
    connect(m_groupings, &QActionGroup::triggered, this, [this](const QAction *action) {
        m_usualGrouping = static_cast<Grouping>(action->data().toInt());
        if (m_group->isChecked())
            Q_EMIT groupingChanged(m_usualGrouping);
        else
            m_group->setChecked(true);
    });
    connect(m_group, &QPushButton::toggled, this, [this] { Q_EMIT groupingChanged(grouping()); });
}

void InspectorHeader::setGrouping(Grouping grouping)
{
    if (grouping != Grouping::None)
        setUsualGrouping(grouping);
    m_group->setChecked(grouping != Grouping::None);
}

Grouping InspectorHeader::grouping() const
{
    return m_group->isChecked() ? m_usualGrouping : Grouping::None;
}

void InspectorHeader::setUsualGrouping(Grouping grouping)
{
    m_usualGrouping = grouping;
    for (QAction *action : m_groupings->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(grouping));
}

void InspectorHeader::setTimelineShown(bool isShown)
{
    m_timeline->setChecked(isShown);
}

bool InspectorHeader::isTimelineShown() const
{
    return m_timeline->isChecked();
}

void InspectorHeader::setDetailsShown(bool areShown)
{
    m_details->setChecked(areShown);
}

void InspectorHeader::openDetails()
{
    m_chosen.details = true;
    m_details->setChecked(true);
}

bool InspectorHeader::areDetailsShown() const
{
    return m_details->isChecked();
}

void InspectorHeader::applyAppearance()
{
    m_details->setIcon(m_appearance.icon(QStringLiteral("panel")));
    m_timeline->setIcon(m_appearance.icon(QStringLiteral("timeline")));
    m_group->setIcon(m_appearance.icon(QStringLiteral("group")));

    m_filterIcon->setIcon(m_appearance.icon(QStringLiteral("search")));
}

RowFilter InspectorHeader::filter() const
{
    RowFilter filter;
    filter.glob = base::Glob::fromFilter(base::fromPrintable(m_filter->text()));
    if (const rows::KeyCondition *condition = m_conditions.value(m_chips->checkedId()))
        filter.conditions = {condition};
    return filter;
}

void InspectorHeader::editFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void InspectorHeader::showAll()
{
    m_filter->clear();
    m_chips->button(0)->click();
}

void InspectorHeader::setCounts(const QString &text)
{
    if (text == m_counts->text())
        return;
    m_counts->setText(text);
    m_counts->setToolTip(text); // The tool tip has the full text if the label cuts it.
}

void InspectorHeader::addTool(QWidget *tool)
{
    m_secondLine->insertWidget(m_secondLine->indexOf(m_changeNotification), tool);
}

void InspectorHeader::setChangeNotification(const std::optional<ChangeNotificationStatus> &status)
{
    m_changeNotification->set(status);
}

void InspectorHeader::setProgress(quint64 met, qint64 all)
{
    constexpr int steps = 1000;
    m_progress->setVisible(all > 0);
    if (all <= 0)
        return;
    const int step = static_cast<int>(std::min<qint64>(steps, static_cast<qint64>(met) * steps / all));
    m_progress->setMaximum(steps);
    if (step == m_progress->value())
        return;
    // A progress bar repaints at once, and all pending paint events with it. Here the bar waits for the next paint
    // event.
    m_progress->setUpdatesEnabled(false);
    m_progress->setValue(step);
    m_progress->setUpdatesEnabled(true);
}

bool InspectorHeader::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        m_filter->clear();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace latchkey::ui::inspector
