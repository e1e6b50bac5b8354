// The buttons of the ClientCard. The rest is in clientcard.cpp.

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/pages/playground/clientcard.h"
#include "ui/pages/playground/lockform.h"
#include "ui/pages/playground/stablelabel.h"

#include <QPushButton>

namespace latchkey::ui::playground {

using State = latchkey::playground::ClientProcess::State;

void ClientCard::setUpButtons()
{
    const auto word = [this] { m_remove->setAccessibleName(tr("Remove %1").arg(m_client.name())); };
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, [this, word] {
        word();
        refresh();
    });
    word();
    m_remove->setToolTip(tr("Terminates this client and removes its card"));
    m_crash->setToolTip(tr("SIGKILL: the process ends at once and releases nothing"));
    m_pause->setToolTip(tr("SIGSTOP: the process is suspended and does not notice the time that passes"));
    m_lose->setCheckable(true);
    m_lose->setToolTip(tr("The server executes the next command, but its reply never reaches this client"));
    m_write->setToolTip(tr("Writes to the protected resource, with the fencing number if there is one"));
    m_restart->setToolTip(tr("Starts a new process, without the lock of the previous one"));
    connect(m_remove, &QPushButton::clicked, this, &ClientCard::removalRequested);
    connect(m_restart, &QPushButton::clicked, this, &ClientCard::restartRequested);
    connect(m_acquire, &QPushButton::clicked, this, &ClientCard::acquire);
    connect(m_extend, &QPushButton::clicked, this, &ClientCard::extend);
    connect(m_renew, &QPushButton::clicked, this, &ClientCard::renew);
    connect(m_lose, &QPushButton::clicked, &m_client, &ClientProcess::loseNextReply);
    connect(m_release, &QPushButton::clicked, this, &ClientCard::release);
    connect(m_write, &QPushButton::clicked, this, [this] { m_client.sendOrder(latchkey::playground::WriteOrder {}); });
    connect(m_pause, &QPushButton::clicked, this, &ClientCard::togglePause);
    connect(m_crash, &QPushButton::clicked, &m_client, &ClientProcess::crash);
    connect(m_fold, &QPushButton::clicked, this, [this] {
        m_isOpen = !m_isOpen;
        refresh();
    });
}

void ClientCard::refreshButtons(const locks::Recipe &recipe)
{
    const State state = m_client.state();
    const bool isAwake = state != State::Dead && !m_client.isPaused();
    const bool isHolding = isAwake && state == State::Holding;
    const bool canOrder = (state == State::Idle || state == State::Starting) && !m_loop.isRunning();
    m_form->setUsable(canOrder, state != State::Dead && recipe.canExtend);
    m_acquire->setEnabled(isAwake && state == State::Idle && !m_loop.isRunning());
    m_acquire->setText(m_form->isAutomatic() ? tr("Start") : tr("Acquire"));
    m_release->setEnabled(isHolding || m_loop.isRunning());
    m_release->setText(m_loop.isRunning() ? tr("Stop") : tr("Release"));
    m_write->setEnabled(isHolding && !m_loop.isRunning());
    refreshExtending(recipe, isHolding);
    m_pause->setEnabled(state != State::Dead && state != State::Starting);
    m_pause->setText(m_client.isPaused() ? tr("Resume") : tr("Pause"));
    m_lose->setEnabled(isAwake && state != State::Starting);
    m_lose->setChecked(m_client.isLosingReply());
    m_crash->setVisible(state != State::Dead);
    m_crash->setEnabled(state != State::Dead);
    m_restart->setVisible(state == State::Dead);
    m_restart->setEnabled(state == State::Dead);
    Q_EMIT refreshed();
}

QList<QPushButton *> ClientCard::presentedButtons() const
{
    return {m_acquire, m_release, m_write, m_pause, m_crash, m_restart};
}

bool ClientCard::isOffered(const QPushButton &button) const
{
    const bool canAcquire = m_client.state() == State::Idle && !m_loop.isRunning();
    return &button == m_acquire ? canAcquire : &button == m_release ? !canAcquire : !button.isHidden();
}

void ClientCard::refreshExtending(const locks::Recipe &recipe, bool isHolding)
{
    const QString cannot = tr("The recipe %1 cannot extend a lock").arg(recipe.id);
    m_extend->setEnabled(isHolding && recipe.canExtend);
    m_extend->setToolTip(recipe.canExtend ? tr("Extends the lease by the time in the field") : cannot);
    m_renew->setEnabled(isHolding && recipe.canExtend);
    m_renew->setToolTip(!recipe.canExtend ? cannot
                        : recipe.renews   ? tr("Renews the lease once; the client also renews it automatically")
                                          : tr("Renews the lease once, for its previous duration"));
}

void ClientCard::refreshFold()
{
    const State state = m_client.state();
    const bool isWorking =
        state == State::Working || state == State::Holding || state == State::Dead || m_loop.isRunning();
    if (!isWorking)
        m_isOpen = false;
    m_fold->setVisible(isWorking);
    m_fold->setText(m_form->line());
    m_fold->setToolTip(m_isOpen ? tr("Collapse the form") : tr("Expand the form"));
    m_fold->setAccessibleDescription(m_fold->toolTip());
    m_form->setVisible(!isWorking || m_isOpen);
    m_acquire->setVisible(!isWorking);
    const QString type = m_form->isVisibleTo(this) ? QString() : QStringLiteral("large");
    for (const Statement &statement : {m_belief, m_truth})
        widgets::restyle(statement.text->label(), "type", type);
}

/// Moves the keyboard focus from a button that becomes disabled to the next useful one. Qt would move the focus to the
/// next button, which may be Crash, or a button of another client. The card of a dead client takes the focus itself, so
/// that a second press of Space does not remove the client.
void ClientCard::keepFocus()
{
    if (m_release->isEnabled())
        m_release->setFocus();
    else if (m_acquire->isEnabled() && m_acquire->isVisibleTo(this))
        m_acquire->setFocus();
    else
        setFocus();
}

} // namespace latchkey::ui::playground
