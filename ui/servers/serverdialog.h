#pragma once

#include "core/base/random.h"
#include "core/resp/session.h"
#include "core/servers/serverbook.h"
#include "ui/theme/appearance.h"

#include <QDialog>

#include <memory>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace latchkey::ui::servers {

/// Asks what a server is called, where it is, and how careful one has to be with it; and tries whether it is there.
///
/// Where it is can be a URL or a redis-cli command line, and is read while it is typed. A password, in it or in the
/// field for that, serves the test; it is kept in the desktop's keychain if the user says so, and else nowhere. Saved,
/// the server is in the book, and the dialog closes; where that cannot be, it says why and stays. The keychain may ask
/// the user to unlock it, and is never waited for. Owned by the code that opens it; appearance, book, clock and random
/// source are not owned.
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

    /// What has been said so far, with the passwords that were. Error (Usage): it leads nowhere.
    [[nodiscard]] base::Result<latchkey::servers::KeptServer> server() const;

private:
    void fill(const latchkey::servers::KeptServer &server);
    void fillPasswords(const latchkey::servers::KeptServer &server);
    void arrange();
    void refresh();
    void forgetTest();
    void test();
    void begin(const resp::Endpoint &endpoint);
    void endTest(const QString &result, bool isGood);
    void say(const QString &result, const QString &tone = {});
    void copyWatcherLine();
    void save();
    void endSaving(const base::Result<void> &saved, const QString &name);

    theme::Appearance &m_appearance;       // Not owned.
    latchkey::servers::ServerBook &m_book; // Not owned.
    const base::Clock &m_clock;            // Not owned.
    base::RandomSource &m_random;          // Not owned.
    QString m_replaced;
    bool m_hasSecrets; ///< The server that is changed has its passwords in the keychain.
    QLineEdit *m_name;
    QLineEdit *m_place;
    QLabel *m_parts;
    QFormLayout *m_form;
    QLineEdit *m_password;
    QCheckBox *m_keep;
    QLineEdit *m_proxyPassword;
    QComboBox *m_environment;
    QLineEdit *m_group;
    QComboBox *m_mark;
    QPushButton *m_test;
    QLabel *m_result;
    QPushButton *m_watcher;
    QPushButton *m_save;
    std::unique_ptr<resp::Session> m_session; ///< Of the test, while it lasts.
    resp::ServerInfo m_tested;                ///< What the server says of itself, once a test has asked.
    int m_asked = 0;                          ///< Of the keychain for tests; what it says to an earlier one is late.
    bool m_isSaving = false;                  ///< The keychain is at it.
};

} // namespace latchkey::ui::servers
