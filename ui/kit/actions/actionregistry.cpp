#include "ui/kit/actions/actionregistry.h"

#include <QKeySequence>

#include <algorithm>

namespace latchkey::ui::actions {

namespace {

/// Removes the mnemonic from a text. Chinese texts have it in brackets at the end.
QString withoutMnemonic(QString text)
{
    if (const qsizetype at = text.indexOf(QStringLiteral("(&")); at > 0 && text.indexOf(u')', at) == at + 3)
        text.remove(at, 4);
    return text.remove(u'&').trimmed();
}

} // namespace

void ActionRegistry::add(Group group, QAction &action, int page, Naming naming)
{
    m_entries.push_back({group, page, &action, nullptr, naming});
}

void ActionRegistry::add(Group group, QAbstractButton &button, int page, Naming naming)
{
    m_entries.push_back({group, page, nullptr, &button, naming});
}

ActionRegistry::Item ActionRegistry::itemOf(const Entry &entry, int index)
{
    Item item;
    item.index = index;
    item.group = entry.group;
    if (entry.action) {
        item.name = withoutMnemonic(entry.action->text());
        item.shortcut = entry.action->shortcut().toString(QKeySequence::NativeText);
        item.isEnabled = entry.action->isEnabled();
        item.obstacle = entry.action->statusTip();
    } else {
        const QString spoken = entry.button->accessibleName(); // The accessible name describes more than an icon or a
                                                               // state text.
        item.name = spoken.isEmpty() ? withoutMnemonic(entry.button->text()) : spoken;
        item.shortcut = entry.button->shortcut().toString(QKeySequence::NativeText);
        item.isEnabled = entry.button->isEnabled();
        item.obstacle = entry.button->toolTip();
    }
    if (entry.naming != nullptr)
        item.name = entry.naming(item.name);
    if (item.isEnabled)
        item.obstacle.clear();
    return item;
}

std::vector<ActionRegistry::Item> ActionRegistry::items() const
{
    std::vector<Item> items;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Entry &entry = m_entries[i];
        const bool exists = entry.action ? entry.action->isVisible() : !entry.button.isNull();
        if (exists)
            items.push_back(itemOf(entry, static_cast<int>(i)));
    }
    std::ranges::stable_sort(items, {}, &Item::group);
    return items;
}

void ActionRegistry::run(int index)
{
    const Entry entry = m_entries.at(static_cast<std::size_t>(index)); // Copied, because an action may add other
                                                                       // actions.
    if (!entry.action && !entry.button)
        return;
    if (!itemOf(entry, index).isEnabled)
        return;
    if (entry.page != everyPage)
        Q_EMIT pageRequested(entry.page);
    if (entry.action)
        entry.action->trigger();
    else if (entry.button)
        entry.button->click();
}

QString groupText(ActionRegistry::Group group)
{
    switch (group) {
    case ActionRegistry::Group::Pages:
        return ActionRegistry::tr("Pages");
    case ActionRegistry::Group::Server:
        return ActionRegistry::tr("Server");
    case ActionRegistry::Group::Keys:
        return ActionRegistry::tr("Selected keys");
    case ActionRegistry::Group::Table:
        return ActionRegistry::tr("Inspector");
    case ActionRegistry::Group::Playground:
        return ActionRegistry::tr("Playground");
    case ActionRegistry::Group::Stories:
        return ActionRegistry::tr("Stories");
    case ActionRegistry::Group::Lab:
        return ActionRegistry::tr("Expiry lab");
    case ActionRegistry::Group::Window:
        return ActionRegistry::tr("Window");
    case ActionRegistry::Group::Help:
        return ActionRegistry::tr("Help");
    }
    Q_UNREACHABLE();
}

bool matches(const ActionRegistry::Item &item, const QString &typed)
{
    const QString searched = groupText(item.group) + u' ' + item.name;
    const QStringList words = typed.simplified().split(u' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(
        words, [&searched](const QString &word) { return searched.contains(word, Qt::CaseInsensitive); });
}

} // namespace latchkey::ui::actions
