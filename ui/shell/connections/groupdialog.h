#pragma once

#include "core/redis/connections/savedconnections.h"
#include "ui/shell/connections/grouptest.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace latchkey::ui::connections {

/// A dialog that asks for the name and the servers of a redlock group: saved servers, and URLs of others.
///
/// Saving adds or replaces the group and closes the dialog. If the group is refused, the dialog shows the reason and
/// stays open. It connects to the servers only to test them. Owned by the code that opens it. The saved connections,
/// clock and random source are not owned.
class GroupDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupDialog)

public:
    /// `group`: initial content. `replaced`: name of the group that is edited; empty for a new one.
    GroupDialog(latchkey::connections::SavedConnections &savedConnections, const base::Clock &clock,
                base::RandomSource &random, const latchkey::connections::RedlockGroup &group, QString replaced,
                QWidget *parent);

    /// Returns the name under which the group was saved; valid after accepted().
    [[nodiscard]] QString savedName() const;

private:
    void fill(const latchkey::connections::RedlockGroup &group);
    void setUpLayout();
    void setUpResult();
    [[nodiscard]] latchkey::connections::RedlockGroup group() const;
    void refresh();
    void save();
    void test();
    void forgetTest();
    void showTest();

    latchkey::connections::SavedConnections &m_savedConnections; // Not owned.
    const QString m_replaced;
    QLineEdit *m_name;
    QListWidget *m_servers;
    QLineEdit *m_urls;
    QLabel *m_problem;
    QLabel *m_result;
    QScrollArea *m_resultArea;
    QPushButton *m_test;
    QPushButton *m_save;
    GroupTest m_groupTest;
};

} // namespace latchkey::ui::connections
