#include "ui/pages/inspector/inspectorheader.h"

#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/inspector/changenotificationbutton.h"
#include "ui/pages/inspector/countchip.h"

#include "core/foundation/base/bytes.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::inspector {

using rows::Grouping;
using rows::RowFilter;

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

    addChips();
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
    widgets::tabInLayoutOrder(*layout);
    connect(&m_appearance, &theme::Appearance::changed, this, &InspectorHeader::applyAppearance);
    applyAppearance();
}

void InspectorHeader::addActionsTo(actions::ActionRegistry &registry, int page) const
{
    for (QPushButton *button : {m_details, m_timeline, m_group})
        registry.add(actions::ActionRegistry::Group::Table, *button, page);
    for (QAbstractButton *chip : m_chips->buttons())
        registry.add(actions::ActionRegistry::Group::Table, *chip, page,
                     [](const QString &keys) { return tr("Show: %1", "a filter of the table").arg(keys); });
}

void InspectorHeader::addChips()
{
    struct Entry
    {
        const rows::KeyCondition *condition; ///< Filter for the rows; null for all.
        const char *name;
        QString text;
        CountChip **chip;
    };
    const Entry entries[] {{nullptr, "showAll", tr("All"), nullptr},
                           {&rows::isLock, "showLocks", tr("Locks"), &m_locks},
                           {&rows::isExpiring, "showExpiring", tr("Expiring"), &m_expiring},
                           {&rows::isPersistent, "showPersistent", tr("No expiry"), &m_persistent},
                           {&rows::hasFindings, "showFindings", tr("Findings"), &m_findings}};
    for (const Entry &entry : entries) {
        auto *chip = new CountChip(entry.text, this);
        chip->setObjectName(QLatin1String(entry.name));
        chip->setCountShown(entry.chip != nullptr);
        chip->setChecked(entry.condition == nullptr);
        m_chips->addButton(chip, static_cast<int>(m_conditions.size()));
        m_conditions += entry.condition;
        if (entry.chip != nullptr)
            *entry.chip = chip;
    }
    m_counted = {m_persistent, m_expiring, m_findings, m_locks};
}

void InspectorHeader::setExpiryCounts(qsizetype expiring, qsizetype persistent)
{
    m_expiring->setCount(expiring);
    m_persistent->setCount(persistent);
    fitCounts();
}

void InspectorHeader::setLockCounts(qsizetype locks, qsizetype findings)
{
    m_locks->setCount(locks);
    m_findings->setCount(findings);
    fitCounts();
}

void InspectorHeader::forgetLongestCounts()
{
    for (CountChip *chip : std::as_const(m_counted))
        chip->forgetLongestCount();
    fitCounts();
}

/// Returns the width in pixels that the displayed counts add to the line.
int InspectorHeader::shownCountsWidth() const
{
    int width = 0;
    for (const CountChip *chip : m_counted)
        width += chip->isCountShown() ? chip->countRoom() : 0;
    return width;
}

QSize InspectorHeader::minimumSizeHint() const
{
    const QSize size = QWidget::minimumSizeHint();
    return {size.width() - shownCountsWidth(), size.height()};
}

/// Shows counts only where there is room: a truncated number would be wrong.
void InspectorHeader::fitCounts()
{
    int room = width() - minimumSizeHint().width();
    for (const CountChip *chip : std::as_const(m_counted))
        room -= chip->countRoom();
    for (CountChip *chip : std::as_const(m_counted)) {
        chip->setCountShown(room >= 0);
        room += room < 0 ? chip->countRoom() : 0;
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
    const auto updateTexts = [button] {
        button->setToolTip(tr("%1 (%2)", "what a button shows, and its shortcut")
                               .arg(button->whatsThis(), button->shortcut().toString(QKeySequence::NativeText)));
    };
    connect(new widgets::LanguageChangeNotifier(button), &widgets::LanguageChangeNotifier::changed, button,
            updateTexts);
    updateTexts();
    return button;
}

void InspectorHeader::setUpPanels()
{
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &InspectorHeader::fitCounts);
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
        action->setChecked(grouping == m_defaultGrouping);
        m_group->addAction(action);
    }
    m_group->setContextMenuPolicy(Qt::ActionsContextMenu);
    // A user who chooses a grouping also wants it applied.
    connect(m_groupings, &QActionGroup::triggered, this, [this](const QAction *action) {
        m_defaultGrouping = static_cast<Grouping>(action->data().toInt());
        if (m_group->isChecked())
            Q_EMIT groupingChanged(m_defaultGrouping);
        else
            m_group->setChecked(true);
    });
    connect(m_group, &QPushButton::toggled, this, [this] { Q_EMIT groupingChanged(grouping()); });
}

void InspectorHeader::setGrouping(Grouping grouping)
{
    if (grouping != Grouping::None)
        setDefaultGrouping(grouping);
    m_group->setChecked(grouping != Grouping::None);
}

Grouping InspectorHeader::grouping() const
{
    return m_group->isChecked() ? m_defaultGrouping : Grouping::None;
}

void InspectorHeader::setDefaultGrouping(Grouping grouping)
{
    m_defaultGrouping = grouping;
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
    widgets::tabInLayoutOrder(*layout());
}

void InspectorHeader::setChangeNotification(const std::optional<ChangeNotificationStatus> &status)
{
    m_changeNotification->set(status);
}

void InspectorHeader::setProgress(quint64 scanned, qint64 all)
{
    constexpr int steps = 1000;
    m_progress->setVisible(all > 0);
    if (all <= 0)
        return;
    const int step = static_cast<int>(std::min<qint64>(steps, static_cast<qint64>(scanned) * steps / all));
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
