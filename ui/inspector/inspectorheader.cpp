#include "ui/inspector/inspectorheader.h"

#include "ui/widgets/elidedlabel.h"

#include "core/base/bytes.h"

#include <QAction>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::inspector {

using rows::RowFilter;

InspectorHeader::InspectorHeader(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_counts(new widgets::ElidedLabel(this))
    , m_expiry(new QButtonGroup(this))
{
    auto *title = new QLabel(tr("Inspector"), this);
    title->setObjectName(QStringLiteral("pageTitle"));
    m_counts->setObjectName(QStringLiteral("secondary"));
    m_counts->setProperty("testName", QStringLiteral("counts"));
    m_counts->setTextFormat(Qt::PlainText);
    m_counts->setSizePolicy(QSizePolicy::Ignored,
                            QSizePolicy::Preferred); // What is too long is cut; the page is not widened.

    addChip(nullptr, "showAll", tr("All"));
    addChip(&rows::isExpiring, "showExpiring", tr("Expiring"));
    addChip(&rows::isPersistent, "showPersistent", tr("No expiry"));
    connect(m_expiry, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked)
            Q_EMIT filterChanged();
    });
    setUpFilter();

    auto *line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(title);
    line->addStretch(1);
    for (QAbstractButton *chip : m_expiry->buttons())
        line->addWidget(chip);
    line->addSpacing(8);
    line->addWidget(m_filter);

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
    layout->addWidget(m_counts);
    layout->addWidget(m_progress);
    connect(&m_appearance, &theme::Appearance::changed, this, &InspectorHeader::applyAppearance);
    applyAppearance();
}

void InspectorHeader::addChip(const rows::Condition *condition, const char *name, const QString &text)
{
    auto *chip = new QPushButton(text, this);
    chip->setObjectName(QLatin1String(name));
    chip->setProperty("kind", QStringLiteral("chip"));
    chip->setCheckable(true);
    chip->setChecked(condition == nullptr);
    m_expiry->addButton(chip, static_cast<int>(m_conditions.size()));
    m_conditions += condition;
}

void InspectorHeader::setUpFilter()
{
    m_filter = new QLineEdit(this);
    m_filterIcon = new QAction(this);
    m_filter->setObjectName(QStringLiteral("filter"));
    m_filter->setAccessibleName(tr("Filter keys"));
    m_filter->setPlaceholderText(tr("Part of a key, or a pattern: lock:*"));
    m_filter->setToolTip(tr("Part of a key as the table shows it, or a pattern for the whole key: * ? and with these "
                            "[a-z] (Ctrl+F; Esc clears)"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(300);
    m_filter->addAction(m_filterIcon, QLineEdit::LeadingPosition);
    connect(m_filter, &QLineEdit::textChanged, this, &InspectorHeader::filterChanged);
    m_filter->installEventFilter(this);
}

void InspectorHeader::applyAppearance()
{
    m_filterIcon->setIcon(m_appearance.icon(QStringLiteral("search")));
}

RowFilter InspectorHeader::filter() const
{
    RowFilter filter;
    filter.glob = keys::Glob::fromFilter(base::fromPrintable(m_filter->text()));
    if (const rows::Condition *condition = m_conditions.value(m_expiry->checkedId()))
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
    m_expiry->button(0)->click();
}

void InspectorHeader::setCounts(const QString &text)
{
    if (text == m_counts->text())
        return;
    m_counts->setText(text);
    m_counts->setToolTip(text); // Where it does not fit.
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
    // A progress bar repaints at once, and with it all that waits to be painted: here it waits for its turn too.
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
