#include "ui/shell/help/actionfinder.h"

#include "ui/kit/widgets/filterkeys.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace latchkey::ui::help {

using actions::ActionRegistry;

namespace {

constexpr int indexRole = Qt::UserRole;

} // namespace

ActionFinder::ActionFinder(ActionRegistry &registry, theme::Appearance &appearance, QWidget *parent)
    : QDialog(parent)
    , m_registry(registry)
    , m_appearance(appearance)
    , m_filter(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
    , m_empty(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
{
    setObjectName(QStringLiteral("actionFinder"));
    setWindowTitle(tr("Find an action"));
    resize(680, 440);
    setUpLayout();
    connect(m_filter, &QLineEdit::textChanged, this, &ActionFinder::fill);
    connect(m_list, &QTreeWidget::itemActivated, this, &ActionFinder::runCurrent);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ActionFinder::fill);
    connect(&m_appearance, &theme::Appearance::changed, this, &ActionFinder::fill);
    fill();
    m_filter->setFocus();
}

void ActionFinder::setUpLayout()
{
    m_filter->setObjectName(QStringLiteral("actionFilter"));
    m_filter->setPlaceholderText(tr("Words of an action"));
    m_filter->setAccessibleName(tr("Filter the actions"));
    m_filter->setClearButtonEnabled(true);
    connect(new widgets::FilterKeys(*m_filter, *m_list), &widgets::FilterKeys::chosen, this, &ActionFinder::runCurrent);
    m_list->setObjectName(QStringLiteral("actionList"));
    m_list->setAccessibleName(tr("Actions"));
    m_list->setColumnCount(ColumnCount);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setHeaderLabels({tr("Action"), tr("Group"), tr("Shortcut")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
    for (const int column : {GroupColumn, ShortcutColumn})
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_empty->setProperty("testName", QStringLiteral("noAction"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addWidget(m_filter);
    layout->addWidget(m_empty);
    layout->addWidget(m_list, 1);
}

/// Lists the matching actions and selects the first one that is enabled, so that Return runs it.
void ActionFinder::fill()
{
    const QTreeWidgetItem *before = m_list->currentItem();
    const QVariant kept = before == nullptr ? QVariant() : before->data(NameColumn, indexRole);
    m_list->clear();
    QTreeWidgetItem *first = nullptr;
    QTreeWidgetItem *same = nullptr;
    for (const ActionRegistry::Item &action : m_registry.items()) {
        if (!actions::matches(action, m_filter->text()))
            continue;
        const QString name = action.obstacle.isEmpty()
                               ? action.name
                               : tr("%1 (%2)", "an action, and why it is disabled").arg(action.name, action.obstacle);
        auto *item = new QTreeWidgetItem(m_list, {name, actions::groupText(action.group), action.shortcut});
        item->setData(NameColumn, indexRole, action.index);
        item->setToolTip(NameColumn, widgets::toolTipText(name));
        item->setDisabled(!action.isEnabled);
        for (int column = 0; !action.isEnabled && column < ColumnCount; ++column)
            item->setForeground(column, m_appearance.theme().disabled);
        if (!action.isEnabled)
            continue;
        first = first == nullptr ? item : first;
        same = action.index == kept ? item : same;
    }
    m_list->setCurrentItem(same == nullptr ? first : same);
    m_empty->setText(tr("No action has all these words in its name."));
    m_empty->setVisible(m_list->topLevelItemCount() == 0);
}

void ActionFinder::runCurrent()
{
    const QTreeWidgetItem *item = m_list->currentItem();
    if (item == nullptr || item->isDisabled())
        return;
    const int index = item->data(NameColumn, indexRole).toInt();
    accept();
    Q_EMIT chosen(index);
}

} // namespace latchkey::ui::help
