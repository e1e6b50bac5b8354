#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/redis/connections/savedconnections.h"
#include "ui/kit/theme/appearance.h"

#include <QDialog>
#include <QTimer>

#include <functional>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace latchkey::ui::connections {

/// A dialog to choose among the saved connections, the redlock groups and the recent servers. It shows the state of
/// watched servers.
///
/// Typing filters the list, Up and Down move the selection, Return opens the server. The dialog opens no connection
/// itself. Owned by the code that opens it. Appearance, saved connections, clock and random source are not owned.
class ServerSwitcher final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerSwitcher)

public:
    /// Function from an endpoint to its watched server; null if it is not watched.
    using Watched = std::function<inspection::InspectedServer *(const net::Endpoint &)>;
    /// The data of the window that the dialog needs.
    struct WindowData
    {
        const base::Clock &clock;
        base::RandomSource &random;
        QStringList recentUrls;
        /// Current server of the window; initial content for a new saved connection.
        std::optional<net::Endpoint> current;
        Watched watched;
    };

    ServerSwitcher(theme::Appearance &appearance, latchkey::connections::SavedConnections &savedConnections,
                   WindowData data, QWidget *parent);

Q_SIGNALS:
    void chosen(const latchkey::net::Endpoint &endpoint);
    /// Emitted with the name of a redlock group.
    void groupChosen(const QString &name);

private:
    /// A listed server, or a listed redlock group.
    struct Entry
    {
        latchkey::connections::SavedConnection server {};
        std::optional<latchkey::connections::RedlockGroup> group {};

        [[nodiscard]] const QString &name() const { return group ? group->name : server.name; }
        [[nodiscard]] bool matches(const QString &wanted) const;
    };
    enum Column : int { NameColumn, EnvironmentColumn, StateColumn, PlaceColumn, ColumnCount };

    void setUpLayout();
    void fill();
    /// Returns the item of a listed server; null if there is none.
    [[nodiscard]] QTreeWidgetItem *itemOf(const QString &name) const;
    /// Selects a saved connection. Clears a filter that hides it.
    void select(const QString &name);
    QTreeWidgetItem *addHeading(const QString &title);
    void addGroup(const QString &title, const std::vector<latchkey::connections::SavedConnection> &servers);
    void addRedlockGroups();
    QTreeWidgetItem *addEntry(QTreeWidgetItem *heading, const QStringList &texts, Entry entry);
    void applyFilter();
    void showStates();
    void showActions();
    [[nodiscard]] QString stateOf(const Entry &entry) const;
    [[nodiscard]] std::optional<Entry> current() const;
    void go();
    void edit(const latchkey::connections::SavedConnection &server, const QString &replaced);
    void editGroup(const latchkey::connections::RedlockGroup &group, const QString &replaced);
    void remove();
    void exportAll();
    void importSome();
    void say(const QString &text);

    theme::Appearance &m_appearance;                             // Not owned.
    latchkey::connections::SavedConnections &m_savedConnections; // Not owned.
    const WindowData m_data;
    std::vector<Entry> m_listed; ///< Indexed by the data of a list item.
    QLineEdit *m_filter;
    QTreeWidget *m_list;
    QLabel *m_problem;
    QPushButton *m_new;
    QPushButton *m_newGroup;
    QPushButton *m_edit;
    QPushButton *m_remove;
    QPushButton *m_go;
    QTimer m_secondTimer;
    QString m_removing; ///< Name to be removed by a second click; empty without one.
};

} // namespace latchkey::ui::connections
