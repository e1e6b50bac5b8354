#include "ui/pages/playground/clientcard.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/playground/beliefpanel.h"
#include "ui/pages/playground/lockform.h"
#include "ui/pages/playground/stablelabel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::playground {

using latchkey::playground::ClientProcess;
using latchkey::playground::ClientReport;
using State = ClientProcess::State;
using widgets::Pill;

namespace {

QPushButton *makeButton(const char *name, const QString &text, const char *kind, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    if (*kind != '\0')
        button->setProperty("kind", QLatin1String(kind));
    return button;
}

QLabel *makeLabel(const char *name, const QString &text, QWidget *parent)
{
    return widgets::makePlainLabel(QLatin1String(name), text, parent);
}

} // namespace

ClientCard::ClientCard(ClientProcess &client, theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_client(client)
    , m_appearance(appearance)
    , m_loop(client)
    , m_state(new Pill(appearance, this))
    , m_remove(makeButton("removeClient", QString(), "quiet", this))
    , m_fold(makeButton("foldedForm", QString(), "quiet", this))
    , m_acquire(makeButton("acquire", tr("Acquire"), "primary", this))
    , m_form(new LockForm(appearance, *m_acquire, this))
    , m_flaw(makeLabel("flaw", QString(), this))
    , m_belief(new BeliefPanel(appearance, this))
    , m_message(new StableLabel(QStringLiteral("clientMessage"), this, 1))
    , m_release(makeButton("release", tr("Release"), "", this))
    , m_renew(makeButton("renew", tr("Renew"), "", this))
    , m_extend(makeButton("extend", tr("Extend"), "", this))
    , m_write(makeButton("write", tr("Write"), "", this))
    , m_pause(makeButton("pauseClient", tr("Pause"), "", this))
    , m_lose(makeButton("loseReply", tr("Lose reply"), "", this))
    , m_crash(makeButton("crash", tr("Crash"), "danger", this))
    , m_restart(makeButton("restart", tr("Restart"), "", this))
{
    setObjectName(QStringLiteral("card"));
    setAccessibleName(client.name());
    setUpButtons();
    setUpLayout();
    connect(m_form, &LockForm::changed, this, &ClientCard::refresh);
    connect(m_form, &LockForm::submitted, m_acquire, &QPushButton::click);
    connect(&m_client, &ClientProcess::changed, this, &ClientCard::refresh);
    connect(&m_client, &ClientProcess::reported, this, &ClientCard::showReport);
    connect(&m_loop, &latchkey::playground::ClientLoop::runningChanged, this, &ClientCard::refresh);
    connect(&m_appearance, &theme::Appearance::changed, this, &ClientCard::applyAppearance);
    applyAppearance();
    refresh();
}

QHBoxLayout *ClientCard::makeTitle()
{
    auto *title = new QHBoxLayout;
    title->setSpacing(8);
    title->addWidget(makeLabel("cardTitle", m_client.name(), this));
    title->addWidget(m_state);
    title->addStretch(1);
    title->addWidget(m_remove);
    return title;
}

void ClientCard::setUpLayout()
{
    m_flaw->setWordWrap(true);
    auto *buttons = new QGridLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_release, 0, 0);
    buttons->addWidget(m_renew, 0, 1);
    buttons->addWidget(m_extend, 0, 2);
    buttons->addWidget(m_write, 0, 3);
    buttons->addWidget(m_pause, 1, 0);
    buttons->addWidget(m_lose, 1, 1);
    buttons->addWidget(m_crash, 1, 2, 1, 2);
    buttons->addWidget(m_restart, 1, 2, 1, 2);
    for (int column = 0; column < 4; ++column)
        buttons->setColumnStretch(column, 1);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 10);
    layout->setSpacing(6);
    layout->addLayout(makeTitle());
    layout->addWidget(m_fold);
    layout->addWidget(m_form);
    layout->addWidget(m_flaw);
    layout->addWidget(m_belief);
    layout->addWidget(m_message);
    layout->addStretch(1);
    layout->addLayout(buttons);
}

void ClientCard::applyAppearance()
{
    m_remove->setIcon(m_appearance.icon(QStringLiteral("close")));
    m_crash->setIcon(m_appearance.icon(QStringLiteral("crash"), m_appearance.theme().critical));
    m_acquire->setIcon(m_appearance.icon(QStringLiteral("lock"), m_appearance.theme().onAccent));
    m_message->setBackground(m_appearance.theme().surface);
    m_fold->setIcon(m_appearance.icon(QStringLiteral("chevron-neutral")));
    refresh();
}

base::Key ClientCard::key() const
{
    return m_client.hold() ? m_client.hold()->key : m_form->key();
}

const locks::Recipe &ClientCard::recipe() const
{
    if (m_client.hold()) {
        if (const auto held = locks::findRecipe(m_client.hold()->recipe))
            return **held;
    }
    return m_form->recipe();
}

void ClientCard::refresh()
{
    const QWidget *const focused = window()->focusWidget();
    const bool isMine = focused == this || (focused != nullptr && isAncestorOf(focused));
    const locks::Recipe &recipe = m_form->recipe();
    showAttempt();
    refreshButtons(recipe);
    refreshFold();
    m_flaw->setText(recipe.flaw.isEmpty() ? QString() : tr("Flaw: %1").arg(recipe.flaw.toString()));
    m_flaw->setVisible(!recipe.flaw.isEmpty());
    if (m_client.state() == State::Starting)
        m_message->setText({}); // The message is about the previous process.
    if (isMine && (focused == this || !focused->isEnabled() || !focused->isVisibleTo(this)))
        keepFocus();
    m_state->setToolTip(m_client.processId() > 0 ? tr("Process %1").arg(m_client.processId()) : QString());
}

/// Shows the current order, which may come from the demonstration instead of the user. While no order is active, the
/// fields are left to the user.
void ClientCard::showAttempt()
{
    const auto &attempt = m_client.attempt();
    const bool isActive = m_client.state() == State::Working || m_client.state() == State::Holding;
    if (!attempt || (!isActive && m_hasShownAttempt))
        return;
    m_hasShownAttempt = true;
    const QSignalBlocker blocker(m_form); // Blocked, because the card is already being refreshed.
    m_form->show(*attempt, !m_hasOrdered);
}

void ClientCard::showReport(const ClientReport &report)
{
    const QString text = reportText(report, m_client.attempt() ? m_client.attempt()->recipe : QString());
    if (!text.isEmpty())
        m_message->setText(text);
}

void ClientCard::printError(const QString &message)
{
    m_message->setText(widgets::sentence(message));
}

void ClientCard::showBelief(const BeliefView &view)
{
    const bool isNews = m_state->text() != view.state;
    m_state->set(view.state, view.stateTone);
    if (isNews)
        Q_EMIT refreshed();
    const bool isHolding = m_client.state() == State::Holding;
    m_belief->showBelief(view, isHolding);
    widgets::restyle(*this, "tone",
                     view.isConflict()               ? QStringLiteral("conflict")
                     : isHolding && view.isPastLease ? QStringLiteral("late")
                     : isHolding                     ? QStringLiteral("holding")
                                                     : QString());
    if (accessibleDescription() != view.state)
        setAccessibleDescription(view.state); // Only the state: the remaining text counts down, and a screen reader
                                              // would read it out without end.
}

void ClientCard::takeFocus()
{
    m_form->takeFocus();
}

void ClientCard::acquire()
{
    const auto order = m_form->order();
    if (!order)
        return printError(order.error().message());
    const auto work = m_form->work();
    if (m_form->isAutomatic() && !work)
        return printError(work.error().message());
    m_message->setText({});
    m_hasOrdered = true;
    if (m_form->isAutomatic())
        m_loop.start(*order, *work);
    else
        m_client.acquire(order->recipe, order->options, order->wait);
}

void ClientCard::release()
{
    if (m_loop.isRunning())
        m_loop.stop();
    else
        m_client.release();
}

void ClientCard::extend()
{
    const auto given = m_form->lease();
    if (!given)
        return printError(given.error().message());
    m_client.extend(*given);
}

void ClientCard::renew()
{
    const auto &hold = m_client.hold();
    const auto lease = hold && hold->lease ? base::Lease::of(*hold->lease) : m_form->lease();
    if (!lease)
        return printError(lease.error().message());
    m_client.extend(*lease);
}

void ClientCard::togglePause()
{
    if (m_client.isPaused())
        m_client.resume();
    else
        m_client.pause();
}

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
    m_belief->setLarge(!m_form->isVisibleTo(this));
}

/// Moves the keyboard focus from a button that becomes disabled to the next useful button. Qt would move the focus to
/// the next button, which may be Crash, or a button of another client. The card of a dead client takes the focus
/// itself, so that a second press of Space does not remove the client.
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
