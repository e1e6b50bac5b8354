#pragma once

#include <QAbstractButton>
#include <QAction>
#include <QObject>
#include <QPointer>
#include <QString>

#include <vector>

namespace latchkey::ui::actions {

/// The list of the window's actions, with their current names, shortcuts and states.
///
/// The menu, the finder and the help are generated from the list, so that they agree with the actions. Each entry
/// refers to a QAction or a button, which stays with its page. Owned by the main window. Actions and buttons are not
/// owned; an entry ends with its object.
class ActionRegistry final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ActionRegistry)

public:
    using QObject::QObject;

    /// The groups, in the order of the menu.
    enum class Group : int { Pages, Server, Keys, Table, Playground, Stories, Lab, Window, Help };
    /// The page of an action that applies to every page.
    static constexpr int everyPage = -1;
    /// A function that converts the text of a button to the name of its action.
    using Naming = QString (*)(const QString &text);

    /// One action in its current state.
    struct Item
    {
        int index = 0; ///< Argument of run().
        Group group = Group::Pages;
        QString name;     ///< Without mnemonic.
        QString shortcut; ///< In the notation of the desktop; empty without a shortcut.
        bool isEnabled = true;
        QString obstacle; ///< Reason why the action is disabled; empty if it is enabled or the reason is unknown.
    };

    /// Adds an action. Its status tip is the reason why it is disabled. `page`: number of the page that is shown before
    /// the action runs.
    void add(Group group, QAction &action, int page = everyPage, Naming naming = nullptr);
    /// Adds a button. Its tool tip is the reason why it is disabled.
    void add(Group group, QAbstractButton &button, int page = everyPage, Naming naming = nullptr);

    /// Returns the current actions, sorted by group, without hidden actions.
    [[nodiscard]] std::vector<Item> items() const;
    /// Runs an action unless it is disabled. Does nothing for an action that no longer exists.
    void run(int index);

Q_SIGNALS:
    /// Emitted before an action of a page runs.
    void pageRequested(int page);

private:
    struct Entry
    {
        Group group;
        int page;
        QPointer<QAction> action; // One of the two is set.
        QPointer<QAbstractButton> button;
        Naming naming;
    };

    [[nodiscard]] static Item itemOf(const Entry &entry, int index);

    std::vector<Entry> m_entries;
};

/// Returns the translated title of a group.
[[nodiscard]] QString groupText(ActionRegistry::Group group);

/// Returns whether the name or the group of the action contains every word of `typed`, in any order and case.
[[nodiscard]] bool matches(const ActionRegistry::Item &item, const QString &typed);

} // namespace latchkey::ui::actions
