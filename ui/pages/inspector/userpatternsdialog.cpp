#include "ui/pages/inspector/userpatternsdialog.h"

#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"

#include <QDir>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

using recognition::LockPattern;
using recognition::UserDialects;

namespace {

constexpr int patternListWidth = 560;
constexpr int listHeight = 200;

} // namespace

UserPatternsDialog::UserPatternsDialog(UserDialects &own, QWidget *parent)
    : QDialog(parent)
    , m_own(own)
    , m_text(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_list(new QTreeWidget(this))
    , m_note(widgets::makePlainLabel(QStringLiteral("patternsNote"), {}, this))
    , m_change(new QPushButton(tr("&Change…"), this))
    , m_remove(new QPushButton(tr("&Remove"), this))
    , m_undo(new QPushButton(tr("&Undo"), this))
{
    setObjectName(QStringLiteral("ownPatternsDialog"));
    setWindowTitle(tr("Lock patterns of your own"));
    setUpLayout();
    connect(m_list, &QTreeWidget::currentItemChanged, this, &UserPatternsDialog::refreshButtons);
    connect(m_list, &QTreeWidget::itemActivated, this, &UserPatternsDialog::change);
    connect(m_change, &QPushButton::clicked, this, &UserPatternsDialog::change);
    connect(m_remove, &QPushButton::clicked, this, &UserPatternsDialog::remove);
    connect(m_undo, &QPushButton::clicked, this, &UserPatternsDialog::undo);
    connect(&m_own, &UserDialects::changed, this, &UserPatternsDialog::refresh);
    m_own.reload(); // Another program may have edited the file.
    refresh();
    m_list->setFocus();
}

void UserPatternsDialog::setUpLayout()
{
    m_text->setWordWrap(true);
    m_text->setMinimumWidth(patternListWidth);
    m_note->setWordWrap(true);
    m_note->setMinimumWidth(patternListWidth);
    m_list->setObjectName(QStringLiteral("patterns"));
    m_list->setAccessibleName(windowTitle());
    m_list->setHeaderLabels({tr("Locks"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setUniformRowHeights(true);
    m_list->header()->setSectionResizeMode(QHeaderView::Stretch);
    m_list->setFixedHeight(listHeight);
    m_change->setObjectName(QStringLiteral("patternsChange"));
    m_remove->setObjectName(QStringLiteral("patternsRemove"));
    m_remove->setProperty("kind", QStringLiteral("danger"));
    m_undo->setObjectName(QStringLiteral("patternsUndo"));
    m_undo->hide();
    auto *close = new QPushButton(tr("C&lose"), this);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    for (QPushButton *button : {m_change, m_remove, m_undo, close})
        button->setAutoDefault(false);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_change);
    buttons->addWidget(m_remove);
    buttons->addWidget(m_undo);
    buttons->addStretch(1);
    buttons->addWidget(close);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(widgets::makePlainLabel(QStringLiteral("pageTitle"), windowTitle(), this));
    layout->addWidget(m_text);
    layout->addWidget(m_list);
    layout->addWidget(m_note);
    layout->addLayout(buttons);
}

void UserPatternsDialog::refresh()
{
    const QString file = QDir::toNativeSeparators(m_own.file());
    QString text = tr("Stored in %1, which can also be edited.").arg(file);
    if (m_own.problem())
        text = tr("%1. The file is not changed until this is corrected.")
                   .arg(widgets::sentence(m_own.problem()->message()));
    else if (m_own.entries().empty())
        text =
            tr("No patterns yet. Select a key in the table and click \"This is a lock…\". Patterns are stored in %1.")
                .arg(file);
    widgets::setWrapped(*m_text, text, patternListWidth);
    m_list->clear();
    for (const UserDialects::Entry &entry : m_own.entries()) {
        auto *item = new QTreeWidgetItem(m_list);
        item->setText(0, entry.title);
        item->setText(1, entry.pattern ? base::printable(entry.pattern->keys)
                                       : tr("see line %1 of the file").arg(entry.line));
        item->setToolTip(0, widgets::toolTipText(item->text(0)));
        item->setToolTip(1, widgets::toolTipText(item->text(1)));
    }
    if (m_list->topLevelItemCount() > 0)
        m_list->setCurrentItem(m_list->topLevelItem(0));
    refreshButtons();
}

const UserDialects::Entry *UserPatternsDialog::chosen() const
{
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    return row < 0 ? nullptr : &m_own.entries().at(static_cast<std::size_t>(row));
}

void UserPatternsDialog::refreshButtons()
{
    const UserDialects::Entry *entry = chosen();
    m_change->setEnabled(entry != nullptr && entry->pattern.has_value());
    m_change->setToolTip(entry != nullptr && !entry->pattern ? tr("Too complex for the dialog: edit the file")
                                                             : QString());
    m_remove->setEnabled(entry != nullptr);
}

void UserPatternsDialog::change()
{
    const UserDialects::Entry *entry = chosen();
    if (entry != nullptr && entry->pattern)
        Q_EMIT changeRequested(LockPattern(*entry->pattern));
}

void UserPatternsDialog::remove()
{
    const UserDialects::Entry *entry = chosen();
    if (entry == nullptr)
        return;
    const QString title = entry->title;
    const auto removed = m_own.remove(entry->id);
    if (removed)
        m_removed = *removed;
    widgets::setWrapped(*m_note,
                        removed ? tr("\"%1\" was removed.").arg(title) : widgets::sentence(removed.error().message()),
                        patternListWidth);
    m_undo->setVisible(removed.has_value());
}

void UserPatternsDialog::undo()
{
    const auto restored = m_own.restore(m_removed);
    widgets::setWrapped(*m_note, restored ? QString() : widgets::sentence(restored.error().message()),
                        patternListWidth);
    m_undo->setVisible(!restored);
}

} // namespace latchkey::ui::inspector
