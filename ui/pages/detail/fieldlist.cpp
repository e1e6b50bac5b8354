#include "ui/pages/detail/fieldlist.h"

#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytext.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace latchkey::ui::detail {

using keys::FieldDeadlines;
using namespace std::chrono_literals;

namespace {

constexpr int nameColumn = 0;
constexpr int leftColumn = 1;
/// Length limit of a displayed field name.
constexpr qsizetype maxFieldNameLength = 400;
/// Number of visible rows.
constexpr int maxShownRows = 6;
constexpr auto fieldTickInterval = 50ms;

} // namespace

FieldList::FieldList(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_time(time)
    , m_rows(new QTreeWidget(this))
    , m_note(widgets::makePlainLabel(QStringLiteral("caption"), {}, this))
{
    setObjectName(QStringLiteral("fieldList"));
    m_note->setProperty("testName", QStringLiteral("fieldNote"));
    m_note->setWordWrap(true);
    m_rows->setObjectName(QStringLiteral("fieldRows"));
    m_rows->setAccessibleName(tr("Expiring fields and their TTL"));
    m_rows->setColumnCount(leftColumn + 1);
    m_rows->setHeaderLabels({tr("Field"), tr("Time left")});
    m_rows->setRootIsDecorated(false);
    m_rows->setItemDelegate(new widgets::IndentedDelegate(m_rows));
    m_rows->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rows->setUniformRowHeights(true);
    m_rows->setSelectionMode(QAbstractItemView::SingleSelection);
    m_rows->setTextElideMode(Qt::ElideRight);
    m_rows->header()->setStretchLastSection(false);
    m_rows->header()->setSectionResizeMode(nameColumn, QHeaderView::Stretch);
    m_rows->header()->setSectionResizeMode(leftColumn, QHeaderView::ResizeToContents);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_note);
    layout->addWidget(m_rows);
    connect(&m_tick, &QTimer::timeout, this, &FieldList::countDown);
    connect(&m_appearance, &theme::Appearance::changed, this, &FieldList::applyAppearance);
    applyAppearance();
}

void FieldList::applyAppearance()
{
    m_rows->setFont(m_appearance.monospaced());
    countDown();
}

void FieldList::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_tick.start(fieldTickInterval);
}

void FieldList::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_tick.stop();
}

void FieldList::show(const FieldDeadlines &ends, const QString &refusal)
{
    m_ends = ends;
    m_note->setText(refusal.isEmpty() ? fieldNote(ends) : refusal);
    m_rows->setVisible(!ends.isEmpty());
    while (m_rows->topLevelItemCount() > ends.first.size())
        delete m_rows->takeTopLevelItem(m_rows->topLevelItemCount() - 1);
    for (int row = 0; row < ends.first.size(); ++row) {
        if (row == m_rows->topLevelItemCount())
            m_rows->addTopLevelItem(new QTreeWidgetItem);
        QTreeWidgetItem &item = *m_rows->topLevelItem(row);
        const QString name = base::printable(ends.first[row].name, maxFieldNameLength);
        if (item.text(nameColumn) == name)
            continue;
        item.setText(nameColumn, name);
        item.setToolTip(nameColumn, widgets::toolTipText(name));
    }
    countDown();
    const int shown = std::clamp<int>(m_rows->topLevelItemCount(), 1, maxShownRows);
    const int rowHeight = std::max(m_rows->sizeHintForRow(0), QFontMetrics(m_rows->font()).height());
    m_rows->setFixedHeight(m_rows->header()->sizeHint().height() + shown * rowHeight + 2 * m_rows->frameWidth());
}

void FieldList::countDown()
{
    const base::MonotonicTime now = m_time.now();
    const theme::Theme &theme = m_appearance.theme();
    for (int row = 0; row < m_rows->topLevelItemCount(); ++row) {
        QTreeWidgetItem &item = *m_rows->topLevelItem(row);
        const base::Deadline &deadline = m_ends.first[row].deadline;
        const QString left = keytable::timeLeftText(deadline, keys::KeyState::Live, now);
        if (item.text(leftColumn) == left)
            continue;
        item.setText(leftColumn, left);
        const QColor colour = keytable::urgencyColour(theme, deadline.remaining(now).value_or(0ns));
        item.setForeground(leftColumn, colour == theme.good ? theme.text : colour);
    }
}

QString fieldNote(const FieldDeadlines &ends)
{
    QString note;
    if (!ends.wholeEnd().isNever())
        note = FieldList::tr("All fields expire; the key expires with the last one.");
    else if (ends.isWhole)
        note = FieldList::tr("%1 of %2 fields expire.")
                   .arg(widgets::numberText(ends.endingCount), widgets::numberText(ends.readCount));
    else
        note = FieldList::tr("%1 of the %2 fields that were checked expire; %3 more were not checked.")
                   .arg(widgets::numberText(ends.endingCount), widgets::numberText(ends.readCount),
                        widgets::numberText(ends.unreadCount()));
    if (ends.moreEnding() > 0)
        note = FieldList::tr("%1 The first %2 are listed.", "a sentence, and another")
                   .arg(note, widgets::numberText(ends.first.size()));
    return note;
}

} // namespace latchkey::ui::detail
