#pragma once

#include "core/playground/playground/clientloop.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/pill.h"
#include "ui/pages/playground/clientbelief.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace latchkey::ui::playground {

class BeliefPanel;
class LockForm;
class StableLabel;

/// A card of one client: the order to give, the buttons, and the client's belief beside the server's state.
///
/// While the client works or holds a lock, the form is folded to one line, which unfolds it. Owned by the page. Client
/// and appearance are not owned; the client must outlive the card.
class ClientCard final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientCard)

public:
    ClientCard(latchkey::playground::ClientProcess &client, theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] latchkey::playground::ClientProcess &client() const { return m_client; }
    /// Returns the key of the current hold, or else the key in the form.
    [[nodiscard]] base::Key key() const;
    /// Returns the recipe of the current hold, or else the recipe chosen in the form.
    [[nodiscard]] const locks::Recipe &recipe() const;
    void showBelief(const BeliefView &view);
    /// Moves the keyboard focus to the first field of the form.
    void takeFocus();

    [[nodiscard]] const widgets::Pill &statePill() const { return *m_state; }
    /// Returns the buttons for a demonstration in front of a class, in their order.
    [[nodiscard]] QList<QPushButton *> presentedButtons() const;
    /// Returns whether a button is applicable in the client's state: a client acquires or releases, crashes or
    /// restarts.
    [[nodiscard]] bool isOffered(const QPushButton &button) const;

Q_SIGNALS:
    /// Emitted after an update of the buttons or of the client's state.
    void refreshed();
    void removalRequested();
    /// Emitted when the user wants to restart a dead client with a new process.
    void restartRequested();

private:
    void setUpButtons();
    void setUpLayout();
    [[nodiscard]] QHBoxLayout *makeTitle();
    void applyAppearance();
    void refresh();
    void refreshButtons(const locks::Recipe &recipe);
    void refreshExtending(const locks::Recipe &recipe, bool isHolding);
    void refreshFold();
    void showAttempt();
    void keepFocus();
    void showReport(const latchkey::playground::ClientReport &report);
    void printError(const QString &message);

    void acquire();
    void release();
    void extend();
    void renew();
    void togglePause();

    latchkey::playground::ClientProcess &m_client;
    theme::Appearance &m_appearance;
    latchkey::playground::ClientLoop m_loop;
    widgets::Pill *m_state;
    QPushButton *m_remove;
    QPushButton *m_fold;
    QPushButton *m_acquire;
    LockForm *m_form;
    QLabel *m_flaw;
    BeliefPanel *m_belief;
    StableLabel *m_message;
    QPushButton *m_release;
    QPushButton *m_renew;
    QPushButton *m_extend;
    QPushButton *m_write;
    QPushButton *m_pause;
    QPushButton *m_lose;
    QPushButton *m_crash;
    QPushButton *m_restart;
    bool m_isOpen = false; ///< Whether the user has unfolded the form.
    bool m_hasShownAttempt = false;
    bool m_hasOrdered = false; ///< Whether the user has given an order on this card. If so, its fields are not
                               ///< overwritten.
};

} // namespace latchkey::ui::playground
