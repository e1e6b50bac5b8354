#pragma once

#include "core/playground/routine.h"
#include "ui/clients/clientbelief.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/pill.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace latchkey::ui::clients {

class CountdownBar;
class LockForm;
class Saying;

/// One client: what it is to do, the buttons that make it, and what it believes beside what the server says.
///
/// It shows the lesson, not the form: while the client is at work or holds a lock, the form is one line, which opens it
/// again. Owned by the page; client and appearance are not owned, and the client must outlive the card.
class ClientCard final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientCard)

public:
    ClientCard(playground::ClientProcess &client, theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] playground::ClientProcess &client() const { return m_client; }
    /// The key that it is concerned with: the one that it holds, else the one that stands in its field.
    [[nodiscard]] base::Key key() const;
    /// Likewise: by which it holds, else the one that is chosen.
    [[nodiscard]] const locks::Recipe &recipe() const;
    void showBelief(const BeliefView &view);
    /// Puts the keyboard into the first thing that one would fill in.
    void enter();

Q_SIGNALS:
    void removalAsked();
    /// It is dead, and is to have a new process.
    void restartAsked();

private:
    /// A row that says something large, with a countdown below it.
    struct Statement
    {
        Saying *text;
        CountdownBar *bar;
    };

    void setUpButtons();
    void arrange();
    [[nodiscard]] QHBoxLayout *makeTitle();
    void addStatement(QVBoxLayout &layout, const QString &caption, const Statement &statement);
    void applyAppearance();
    void refresh();
    void refreshButtons(const locks::Recipe &recipe);
    void refreshExtending(const locks::Recipe &recipe, bool isHolding);
    void refreshFold();
    void showAttempt();
    void keepFocus();
    void showReport(const playground::ClientReport &report);
    void complain(const QString &message);

    void acquire();
    void release();
    void extend();
    void renew();
    void togglePause();

    playground::ClientProcess &m_client;
    theme::Appearance &m_appearance;
    playground::Routine m_routine;
    widgets::Pill *m_state;
    QPushButton *m_remove;
    QPushButton *m_fold;
    QPushButton *m_acquire;
    LockForm *m_form;
    QLabel *m_flaw;
    Statement m_belief;
    Statement m_truth;
    Saying *m_message;
    QPushButton *m_release;
    QPushButton *m_renew;
    QPushButton *m_extend;
    QPushButton *m_write;
    QPushButton *m_pause;
    QPushButton *m_lose;
    QPushButton *m_crash;
    QPushButton *m_restart;
    bool m_isOpen = false; ///< The user has opened the form while it would be one line.
    bool m_hasShownAttempt = false;
    bool m_hasOrdered = false; ///< The user has used this card: its fields are the user's.
};

} // namespace latchkey::ui::clients
