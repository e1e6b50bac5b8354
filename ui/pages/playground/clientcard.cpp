#include "ui/pages/playground/clientcard.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/playground/countdownbar.h"
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
using Tone = widgets::Pill::Tone;
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

/// Returns the name of a tone in the style sheet.
QString toneName(Tone tone)
{
    switch (tone) {
    case Tone::Good:
        return QStringLiteral("good");
    case Tone::Warning:
        return QStringLiteral("warning");
    case Tone::Critical:
        return QStringLiteral("critical");
    case Tone::Neutral:
    case Tone::Accent:
    case Tone::Endless:
        break;
    }
    return {};
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
    , m_belief {new StableLabel(QStringLiteral("belief"), this), new CountdownBar(appearance, this)}
    , m_truth {new StableLabel(QStringLiteral("truth"), this), new CountdownBar(appearance, this)}
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
    arrange();
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

void ClientCard::addStatement(QVBoxLayout &layout, const QString &caption, const Statement &statement)
{
    auto *rows = new QVBoxLayout;
    rows->setSpacing(1);
    auto *countdown = new QHBoxLayout;
    countdown->setSpacing(8);
    countdown->addWidget(makeLabel("caption", caption, this));
    countdown->addWidget(statement.bar, 1);
    rows->addLayout(countdown);
    rows->addWidget(statement.text);
    layout.addLayout(rows);
}

void ClientCard::arrange()
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
    addStatement(*layout, tr("Believes"), m_belief);
    addStatement(*layout, tr("Server"), m_truth);
    layout->addWidget(m_message);
    layout->addStretch(1);
    layout->addLayout(buttons);
}

void ClientCard::applyAppearance()
{
    m_remove->setIcon(m_appearance.icon(QStringLiteral("close")));
    m_crash->setIcon(m_appearance.icon(QStringLiteral("crash"), m_appearance.theme().critical));
    m_acquire->setIcon(m_appearance.icon(QStringLiteral("lock"), m_appearance.theme().onAccent));
    for (StableLabel *part : {m_belief.text, m_truth.text, m_message})
        part->setGround(m_appearance.theme().surface);
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
    const bool isUnderWay = m_client.state() == State::Working || m_client.state() == State::Holding;
    if (!attempt || (!isUnderWay && m_hasShownAttempt))
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
    m_belief.text->setText(view.belief);
    m_truth.text->setText(view.truth);
    const bool isHolding = m_client.state() == State::Holding;
    m_belief.bar->set(view.beliefShare, view.isConflict() ? Tone::Critical : Tone::Accent);
    m_truth.bar->set(view.truthShare, view.truthTone == Tone::Neutral ? Tone::Accent : view.truthTone);
    widgets::restyle(m_belief.text->label(), "tone",
                     isHolding && (view.isPastLease || view.isConflict()) ? QStringLiteral("critical")
                     : isHolding                                          ? QStringLiteral("strong")
                                                                          : QString());
    widgets::restyle(m_truth.text->label(), "tone", toneName(view.truthTone));
    widgets::restyle(*this, "tone",
                     view.isConflict()               ? QStringLiteral("conflict")
                     : isHolding && view.isPastLease ? QStringLiteral("late")
                     : isHolding                     ? QStringLiteral("holding")
                                                     : QString());
    if (accessibleDescription() != view.state)
        setAccessibleDescription(view.state); // Only the state: the remaining text counts down, and a screen reader
                                              // would read it out without end.
}

void ClientCard::enter()
{
    m_form->enter();
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

} // namespace latchkey::ui::playground
