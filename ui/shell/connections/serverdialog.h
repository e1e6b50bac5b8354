#pragma once

#include "core/redis/connections/savedconnections.h"
#include "ui/kit/theme/appearance.h"
#include "ui/shell/connections/connectiontest.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace latchkey::ui::connections {

class EndpointForm;

/// A dialog that asks for the name, the address and the environment of a saved connection. It can test the connection.
///
/// The address is a URL, a redis-cli command line, or separate fields. The side that was edited last applies, and the
/// other side shows the same endpoint. A password that is typed in the URL moves to its own field immediately, so that
/// the URL does not show it. The test uses the password. The password is saved only in the desktop's keychain, and only
/// at the user's request. Saving adds or replaces the saved connection and closes the dialog. If saving fails, the
/// dialog shows the reason and stays open. The keychain may ask the user to unlock it; the dialog never blocks on it.
/// Owned by the code that opens it. Appearance, saved connections, clock and random source are not owned.
class ServerDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerDialog)

public:
    /// `server`: initial content. `replaced`: name of the saved connection that is edited; empty for a new one.
    ServerDialog(theme::Appearance &appearance, latchkey::connections::SavedConnections &savedConnections,
                 const base::Clock &clock, base::RandomSource &random,
                 const latchkey::connections::SavedConnection &server, QString replaced, QWidget *parent);
    ~ServerDialog() override;

    /// Returns the input, with the entered passwords. Error (Usage): the address is invalid.
    [[nodiscard]] base::Result<latchkey::connections::SavedConnection> server() const;
    /// Returns the name under which the connection was saved; valid after accepted().
    [[nodiscard]] QString savedName() const;

private:
    void fill(const latchkey::connections::SavedConnection &server);
    void fillPasswords(const latchkey::connections::SavedConnection &server);
    void nameButtons();
    void setUpLayout();
    [[nodiscard]] QHBoxLayout *makeLabels();
    void urlEdited();
    void fieldsEdited();
    /// Shows the endpoint as a URL without passwords.
    void showUrl();
    void refresh();
    void forgetTest();
    void test();
    void showResult(const QString &result, const QString &tone = {});
    void say(const QString &result, const QString &tone = {});
    void copyWatcherLine();
    void save();
    void endSaving(const base::Result<void> &saved, const QString &name);

    theme::Appearance &m_appearance;                             // Not owned.
    latchkey::connections::SavedConnections &m_savedConnections; // Not owned.
    QString m_replaced;
    base::Result<net::Endpoint> m_endpoint; ///< Input of the side that was edited last, without the passwords.
    bool m_isFollowing = false;             ///< Whether one side is being set from the other.
    bool m_hasSecrets;                      ///< Whether the edited connection has passwords in the keychain.
    QLineEdit *m_name;
    QLineEdit *m_url;
    EndpointForm *m_fields;
    QLabel *m_parts;
    QFormLayout *m_form;
    QLineEdit *m_password;
    QCheckBox *m_keep;
    QLineEdit *m_proxyPassword;
    QLineEdit *m_sentinelPassword;
    QComboBox *m_environment;
    QLineEdit *m_group;
    QComboBox *m_mark;
    QPushButton *m_test;
    QLabel *m_result;
    QPushButton *m_watcher;
    QPushButton *m_save;
    ConnectionTest m_connectionTest;
    bool m_isSaving = false; ///< Whether the keychain is saving.
};

} // namespace latchkey::ui::connections
