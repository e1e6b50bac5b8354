#pragma once

#include "core/base/random.h"
#include "core/resp/session.h"
#include "core/servers/serverbook.h"
#include "ui/theme/appearance.h"

#include <QDialog>

#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace latchkey::ui::servers {

/// Asks what a server is called, where it is, and how careful one has to be with it; and tries whether it is there.
///
/// Where it is can be a URL or a redis-cli command line, and is read while it is typed. A password in it serves the
/// test and the connection, and is not kept. Saved, it is in the book, and the dialog closes; where that cannot be, it
/// says why and stays. Owned by the code that opens it; appearance, book, clock and random source are not owned.
class ServerDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerDialog)

public:
    /// server: what is said at first. replaced: the name of the server that is changed; empty: it is a new one.
    ServerDialog(theme::Appearance &appearance, latchkey::servers::ServerBook &book, const base::Clock &clock,
                 base::RandomSource &random, const latchkey::servers::KeptServer &server, QString replaced,
                 QWidget *parent);
    ~ServerDialog() override;

    /// What has been said so far, with the password that was pasted. Error (Usage): it leads nowhere.
    [[nodiscard]] base::Result<latchkey::servers::KeptServer> server() const;

private:
    void fill(const latchkey::servers::KeptServer &server);
    void arrange();
    void refresh();
    void test();
    void endTest(const QString &result, bool isGood);
    void copyWatcherLine();
    void save();

    theme::Appearance &m_appearance;       // Not owned.
    latchkey::servers::ServerBook &m_book; // Not owned.
    const base::Clock &m_clock;            // Not owned.
    base::RandomSource &m_random;          // Not owned.
    const QString m_replaced;
    QLineEdit *m_name;
    QLineEdit *m_place;
    QLabel *m_parts;
    QComboBox *m_environment;
    QLineEdit *m_group;
    QComboBox *m_mark;
    QPushButton *m_test;
    QLabel *m_result;
    QPushButton *m_watcher;
    QPushButton *m_save;
    std::unique_ptr<resp::Session> m_session; ///< Of the test, while it lasts.
    QVersionNumber m_version;                 ///< Of the server, once a test has told.
};

} // namespace latchkey::ui::servers
