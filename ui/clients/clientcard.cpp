#include "ui/clients/clientcard.h"

#include "core/base/duration.h"
#include "ui/clients/keyfield.h"
#include "ui/clients/recipebox.h"
#include "ui/widgets/plaintext.h"
#include "ui/widgets/restyle.h"
#include "ui/widgets/sentence.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::clients {

using playground::ClientProcess;
using playground::ClientReport;
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

/// The name of a tone in the style sheet.
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
    , m_state(new Pill(appearance, this))
    , m_remove(makeButton("removeClient", QString(), "quiet", this))
    , m_recipe(new RecipeBox(appearance, this))
    , m_key(new KeyField(this))
    , m_lease(new QLineEdit(QStringLiteral("10s"), this))
    , m_wait(new QLineEdit(QStringLiteral("0s"), this))
    , m_belief(makeLabel("belief", QString(), this))
    , m_truth(makeLabel("truth", QString(), this))
    , m_message(makeLabel("clientMessage", QString(), this))
    , m_acquire(makeButton("acquire", tr("Acquire"), "primary", this))
    , m_extend(makeButton("extend", tr("Extend"), "", this))
    , m_release(makeButton("release", tr("Release"), "", this))
    , m_pause(makeButton("pauseClient", tr("Pause"), "", this))
    , m_crash(makeButton("crash", tr("Crash"), "danger", this))
{
    setObjectName(QStringLiteral("card"));
    setAccessibleName(client.name());
    setUpFields();
    setUpButtons();
    arrange();
    connect(&m_client, &ClientProcess::changed, this, &ClientCard::refresh);
    connect(&m_client, &ClientProcess::reported, this, &ClientCard::showReport);
    connect(&m_appearance, &theme::Appearance::changed, this, &ClientCard::applyAppearance);
    applyAppearance();
    refresh();
}

void ClientCard::setUpFields()
{
    m_recipe->setObjectName(QStringLiteral("recipe"));
    connect(m_recipe, &QComboBox::currentIndexChanged, this, &ClientCard::refresh);
    m_key->setKey(base::Key("lock:demo"));
    m_lease->setObjectName(QStringLiteral("lease"));
    m_lease->setAccessibleName(tr("Lease"));
    m_lease->setToolTip(tr("How long the lock is granted for: 500ms, 10s, 2m"));
    m_wait->setObjectName(QStringLiteral("wait"));
    m_wait->setAccessibleName(tr("Wait"));
    m_wait->setToolTip(tr("How long to retry while the lock is busy: 0s is a single attempt"));
    connect(m_key, &QLineEdit::returnPressed, m_acquire, &QPushButton::click);
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(2 * m_message->fontMetrics().lineSpacing()); // Most take two lines, and come and go.
    m_message->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    for (QLabel *label : {m_belief, m_truth})
        label->setWordWrap(true);
}

void ClientCard::setUpButtons()
{
    m_remove->setAccessibleName(tr("Remove %1").arg(m_client.name()));
    m_remove->setToolTip(tr("End this client and remove its card"));
    m_crash->setToolTip(tr("SIGKILL: the process ends at once and releases nothing"));
    m_pause->setToolTip(tr("SIGSTOP: the process sleeps, and wakes up believing what it believed"));
    connect(m_remove, &QPushButton::clicked, this, &ClientCard::removalAsked);
    connect(m_acquire, &QPushButton::clicked, this, &ClientCard::acquire);
    connect(m_extend, &QPushButton::clicked, this, &ClientCard::extend);
    connect(m_release, &QPushButton::clicked, &m_client, &ClientProcess::release);
    connect(m_pause, &QPushButton::clicked, this, &ClientCard::togglePause);
    connect(m_crash, &QPushButton::clicked, &m_client, &ClientProcess::crash);
}

void ClientCard::arrange()
{
    auto *title = new QHBoxLayout;
    title->setSpacing(8);
    title->addWidget(makeLabel("cardTitle", m_client.name(), this));
    title->addWidget(m_state);
    title->addStretch(1);
    title->addWidget(m_remove);

    auto *fields = new QGridLayout;
    fields->setHorizontalSpacing(8);
    fields->setVerticalSpacing(4);
    const auto addField = [&](int row, int column, const QString &caption, QWidget *field, int columns = 1) {
        auto *label = makeLabel("caption", caption, this);
        label->setBuddy(field);
        fields->addWidget(label, row, column, 1, columns);
        fields->addWidget(field, row + 1, column, 1, columns);
    };
    addField(0, 0, tr("Recipe"), m_recipe);
    addField(0, 1, tr("Key"), m_key, 2);
    addField(2, 1, tr("Lease"), m_lease);
    addField(2, 2, tr("Wait"), m_wait);
    fields->setColumnStretch(0, 5);
    fields->setColumnStretch(1, 4);
    fields->setColumnStretch(2, 4);
    fields->addWidget(m_acquire, 3, 0);

    auto *said = new QGridLayout;
    said->setHorizontalSpacing(12);
    said->setVerticalSpacing(6);
    said->addWidget(makeLabel("secondary", tr("Believes"), this), 0, 0, Qt::AlignTop);
    said->addWidget(m_belief, 0, 1);
    said->addWidget(makeLabel("secondary", tr("Server"), this), 1, 0, Qt::AlignTop);
    said->addWidget(m_truth, 1, 1);
    said->setColumnStretch(1, 1);

    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    for (QPushButton *button : {m_release, m_extend, m_pause, m_crash})
        buttons->addWidget(button, 1);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 14);
    layout->setSpacing(10);
    layout->addLayout(title);
    layout->addLayout(fields);
    layout->addLayout(said);
    layout->addWidget(m_message);
    layout->addStretch(1);
    layout->addLayout(buttons);
}

void ClientCard::applyAppearance()
{
    m_remove->setIcon(m_appearance.icon(QStringLiteral("close")));
    m_key->setClearIcon(m_appearance.icon(QStringLiteral("close")));
    m_crash->setIcon(m_appearance.icon(QStringLiteral("crash"), m_appearance.theme().critical));
    m_acquire->setIcon(m_appearance.icon(QStringLiteral("lock"), m_appearance.theme().onAccent));
    refresh();
}

base::Key ClientCard::key() const
{
    return m_client.hold() ? m_client.hold()->key : m_key->key();
}

void ClientCard::refresh()
{
    const QWidget *const focused = window()->focusWidget();
    const locks::Recipe &recipe = m_recipe->recipe();
    const State state = m_client.state();
    const bool isAwake = state != State::Dead && !m_client.isPaused();
    m_acquire->setEnabled(isAwake && state == State::Idle);
    m_release->setEnabled(isAwake && state == State::Holding);
    m_extend->setEnabled(isAwake && state == State::Holding && recipe.canExtend);
    m_extend->setToolTip(recipe.canExtend ? tr("A new lease, as long as the field says")
                                          : tr("The recipe %1 cannot extend a lock").arg(recipe.id));
    m_pause->setEnabled(state != State::Dead && state != State::Starting);
    m_pause->setText(m_client.isPaused() ? tr("Resume") : tr("Pause"));
    m_crash->setEnabled(state != State::Dead);
    m_recipe->setEnabled(state == State::Idle || state == State::Starting);
    m_key->setEnabled(m_recipe->isEnabled());
    m_lease->setEnabled(recipe.hasLease && state != State::Dead);
    m_wait->setEnabled(m_recipe->isEnabled());
    showAttempt();
    if (focused == this || (focused != nullptr && isAncestorOf(focused) && !focused->isEnabled()))
        keepFocus();
    m_state->setToolTip(m_client.processId() > 0 ? tr("Process %1").arg(m_client.processId()) : QString());
}

/// A button that has been pressed and is of no use now hands the keyboard to what is: left to itself it would go on to
/// the next button, which may be Crash, or another client's. On a dead client's card nothing is left but to remove it,
/// which nobody should do who presses Space once more: then the card itself has it.
void ClientCard::keepFocus()
{
    if (m_release->isEnabled())
        m_release->setFocus();
    else if (m_acquire->isEnabled())
        m_acquire->setFocus();
    else
        setFocus();
}

/// Somebody else may have given the order: the demonstration does. While nothing is under way the fields are the
/// user's.
void ClientCard::showAttempt()
{
    const auto &attempt = m_client.attempt();
    const bool isUnderWay = m_client.state() == State::Working || m_client.state() == State::Holding;
    if (!attempt || (!isUnderWay && m_hasShownAttempt))
        return;
    m_hasShownAttempt = true;
    m_key->setKey(attempt->options.key);
    m_recipe->choose(attempt->recipe);
    if (m_hasOrdered)
        return;
    if (attempt->options.lease)
        m_lease->setText(base::formatDuration(attempt->options.lease->duration()));
    m_wait->setText(base::formatDuration(attempt->wait));
}

void ClientCard::showReport(const ClientReport &report)
{
    const QString text = reportText(report, m_client.attempt() ? m_client.attempt()->recipe : QString());
    if (!text.isEmpty())
        m_message->setText(text);
}

void ClientCard::complain(const QString &message)
{
    m_message->setText(widgets::sentence(message));
}

void ClientCard::showBelief(const BeliefView &view)
{
    m_state->set(view.state, view.stateTone);
    m_belief->setText(view.belief);
    m_truth->setText(view.truth);
    const bool isHolding = m_client.state() == State::Holding;
    widgets::restyle(*m_belief, "tone", isHolding ? QStringLiteral("strong") : QString());
    widgets::restyle(*m_truth, "tone", toneName(view.truthTone));
    widgets::restyle(*this, "tone",
                     view.isConflict() ? QStringLiteral("conflict")
                     : isHolding       ? QStringLiteral("holding")
                                       : QString());
    if (accessibleDescription() != view.state)
        setAccessibleDescription(view.state); // Not the rest, which counts down and would be read out without end.
}

void ClientCard::enter()
{
    m_key->setFocus(Qt::OtherFocusReason);
    m_key->selectAll();
}

base::Result<base::Lease> ClientCard::lease() const
{
    const auto duration = base::parseDuration(m_lease->text().trimmed());
    if (!duration)
        return base::failure(duration.error());
    return base::Lease::of(*duration);
}

void ClientCard::acquire()
{
    const locks::Recipe &recipe = m_recipe->recipe();
    locks::LockOptions options;
    options.key = m_key->key();
    if (options.key.isEmpty())
        return complain(tr("The key is empty."));
    if (recipe.hasLease) {
        const auto given = lease();
        if (!given)
            return complain(given.error().message());
        options.lease = *given;
    }
    const auto wait = base::parseDuration(m_wait->text().trimmed());
    if (!wait)
        return complain(wait.error().message());
    m_message->clear();
    m_hasOrdered = true;
    m_client.acquire(recipe.id, options, *wait);
}

void ClientCard::extend()
{
    const auto given = lease();
    if (!given)
        return complain(given.error().message());
    m_client.extend(*given);
}

void ClientCard::togglePause()
{
    if (m_client.isPaused())
        m_client.resume();
    else
        m_client.pause();
}

} // namespace latchkey::ui::clients
