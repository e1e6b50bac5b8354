#pragma once

#include "ui/clients/clientbelief.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/pill.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QPushButton;

namespace latchkey::ui::clients {

class KeyField;
class RecipeBox;

/// One client: what it is to do, the buttons that make it, and what it believes beside what the server says.
/// Owned by the page; client and appearance are not owned, and the client must outlive the card.
class ClientCard final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientCard)

public:
    ClientCard(playground::ClientProcess &client, theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] playground::ClientProcess &client() const { return m_client; }
    /// The key that it is concerned with: the one that it holds, else the one that stands in its field.
    [[nodiscard]] base::Key key() const;
    void showBelief(const BeliefView &view);
    /// Puts the keyboard into the first thing that one would fill in.
    void enter();

Q_SIGNALS:
    void removalAsked();

private:
    void setUpFields();
    void setUpButtons();
    void arrange();
    void applyAppearance();
    void refresh();
    void showAttempt();
    void keepFocus();
    void showReport(const playground::ClientReport &report);
    void complain(const QString &message);

    void acquire();
    void extend();
    void togglePause();
    [[nodiscard]] base::Result<base::Lease> lease() const;

    playground::ClientProcess &m_client;
    theme::Appearance &m_appearance;
    widgets::Pill *m_state;
    QPushButton *m_remove;
    RecipeBox *m_recipe;
    KeyField *m_key;
    QLineEdit *m_lease;
    QLineEdit *m_wait;
    QLabel *m_belief;
    QLabel *m_truth;
    QLabel *m_message;
    QPushButton *m_acquire;
    QPushButton *m_extend;
    QPushButton *m_release;
    QPushButton *m_pause;
    QPushButton *m_crash;
    bool m_hasShownAttempt = false;
    bool m_hasOrdered = false; ///< The user has used this card: its fields are the user's.
};

} // namespace latchkey::ui::clients
