#include "ui/pages/inspector/expirydialog.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/views/keytable/keytext.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTimer>
#include <QVBoxLayout>

#include <array>

namespace latchkey::ui::inspector {

using base::Lease;
using watching::NewExpiry;
using namespace std::chrono_literals;

namespace {

constexpr int expiryTextWidth = 504;
constexpr int fieldWidth = 90;
constexpr std::array<std::chrono::milliseconds, 5> presets {10s, 30s, 1min, 5min, 1h};

} // namespace

ExpiryDialog::ExpiryDialog(theme::Appearance &appearance, const base::Clock &clock, Snapshots snapshots,
                           const QString &server, QWidget *parent)
    : QDialog(parent)
    , m_clock(clock)
    , m_snapshots(std::move(snapshots))
    , m_in(new QRadioButton(tr("&Expires in"), this))
    , m_at(new QRadioButton(tr("Expires &at"), this))
    , m_never(new QRadioButton(tr("&Never expires"), this))
    , m_time(new QLineEdit(base::formatDuration(1min), this))
    , m_moment(new QDateTimeEdit(this))
    , m_only(new QComboBox(this))
    , m_result(widgets::makePlainLabel(QStringLiteral("endResult"), {}, this))
    , m_confirm(new QPushButton(tr("&Set"), this))
{
    setObjectName(QStringLiteral("endDialog"));
    setWindowTitle(tr("Set expiry"));
    m_in->setObjectName(QStringLiteral("endIn"));
    m_in->setChecked(true);
    m_never->setObjectName(QStringLiteral("endNever"));
    m_time->setObjectName(QStringLiteral("endTime"));
    m_time->setAccessibleName(tr("Expires in"));
    m_time->setFixedWidth(fieldWidth);
    m_at->setObjectName(QStringLiteral("endAt"));
    m_moment->setObjectName(QStringLiteral("endMoment"));
    m_moment->setAccessibleName(tr("Expires at"));
    m_moment->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    const auto inAWhile = m_clock.wallNow() + 5min;
    m_moment->setDateTime(QDateTime::fromSecsSinceEpoch(inAWhile.time_since_epoch().count() / 1000));
    m_only->setObjectName(QStringLiteral("endOnly"));
    m_only->setAccessibleName(tr("Set"));
    m_confirm->setObjectName(QStringLiteral("endConfirm"));
    setUpLayout(appearance, server);
    connectParts();
    refresh();
    fitToContent(*this);
    m_time->setFocus();
    m_time->selectAll();
}

void ExpiryDialog::connectParts()
{
    connect(m_time, &QLineEdit::textChanged, this, [this] {
        m_in->setChecked(true);
        refresh();
    });
    connect(m_moment, &QDateTimeEdit::dateTimeChanged, this, [this] {
        m_at->setChecked(true);
        refresh();
    });
    for (const QRadioButton *choice : {m_in, m_at, m_never})
        connect(choice, &QRadioButton::toggled, this, &ExpiryDialog::refresh);
    connect(m_only, &QComboBox::currentIndexChanged, this, &ExpiryDialog::refresh);
    auto *ticker = new QTimer(this);
    connect(ticker, &QTimer::timeout, this, &ExpiryDialog::refresh);
    ticker->start(200ms);
}

void ExpiryDialog::setUpLayout(theme::Appearance &appearance, const QString &server)
{
    const auto count = static_cast<int>(m_snapshots.size());
    QLabel *title = widgets::makePlainLabel(
        QStringLiteral("pageTitle"),
        count == 1 ? tr("Expiry of this key") : tr("Expiry of these %Ln keys", nullptr, count), this);
    QLabel *text = widgets::makePlainLabel(
        QStringLiteral("secondary"),
        count == 1 ? tr("The expiry is set only if value and expiry are unchanged.")
                   : tr("The expiry of each key is set only if its value and expiry are unchanged."),
        this);
    text->setWordWrap(true);
    text->setMinimumWidth(expiryTextWidth);
    m_result->setWordWrap(true);
    m_result->setMinimumWidth(expiryTextWidth);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(text);
    layout->addLayout(new SnapshotView(appearance, m_clock, m_snapshots, server, *this));
    layout->addLayout(makeChoice());
    layout->addWidget(m_result);
    layout->addSpacing(6);
    layout->addLayout(makeButtons());
}

QLayout *ExpiryDialog::makeTimes()
{
    auto *times = new QHBoxLayout;
    times->setSpacing(8);
    times->addWidget(m_in);
    times->addWidget(m_time);
    for (const std::chrono::milliseconds preset : presets) {
        const QString text = base::formatDuration(preset);
        auto *button = new QPushButton(text, this);
        button->setObjectName(QStringLiteral("preset") + text);
        button->setAccessibleName(tr("Expires in %1").arg(text));
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, [this, text] {
            m_in->setChecked(true);
            m_time->setText(text);
        });
        times->addWidget(button);
    }
    times->addStretch(1);
    return times;
}

/// Creates the choice of the condition. The texts describe the comparison of the server, without the names of its
/// options.
QLayout *ExpiryDialog::makeConditions()
{
    using Condition = NewExpiry::Condition;
    for (const auto &[only, text] : {std::pair(Condition::Always, tr("always")),
                                     {Condition::IfNone, tr("only if it has no expiry")},
                                     {Condition::IfAny, tr("only if it has an expiry")},
                                     {Condition::IfLater, tr("only if later than the current expiry")},
                                     {Condition::IfEarlier, tr("only if earlier than the current expiry")}})
        m_only->addItem(text, static_cast<int>(only));
    auto *label = new QLabel(tr("&Set"), this);
    label->setBuddy(m_only);
    auto *conditions = new QHBoxLayout;
    conditions->setSpacing(8);
    conditions->addWidget(label);
    conditions->addWidget(m_only);
    conditions->addStretch(1);
    return conditions;
}

QLayout *ExpiryDialog::makeChoice()
{
    auto *moment = new QHBoxLayout;
    moment->setSpacing(8);
    moment->addWidget(m_at);
    moment->addWidget(m_moment);
    moment->addStretch(1);
    auto *choice = new QVBoxLayout;
    choice->setSpacing(10);
    choice->addLayout(makeTimes());
    choice->addLayout(moment);
    choice->addWidget(m_never);
    choice->addLayout(makeConditions());
    return choice;
}

QLayout *ExpiryDialog::makeButtons()
{
    auto *cancel = new QPushButton(tr("&Cancel"), this);
    cancel->setObjectName(QStringLiteral("endCancel"));
    cancel->setAutoDefault(false);
    m_confirm->setDefault(true);
    m_confirm->setProperty("kind", QStringLiteral("primary"));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_confirm, &QPushButton::clicked, this, &QDialog::accept);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_confirm);
    return buttons;
}

base::WallTime ExpiryDialog::chosenTime() const
{
    return base::WallTime(std::chrono::milliseconds(m_moment->dateTime().toMSecsSinceEpoch()));
}

base::Result<NewExpiry> ExpiryDialog::newEnd() const
{
    if (m_never->isChecked())
        return NewExpiry::never();
    const auto only = static_cast<NewExpiry::Condition>(m_only->currentData().toInt());
    if (m_at->isChecked()) {
        if (chosenTime() <= m_clock.wallNow())
            return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "that time has passed"));
        return NewExpiry::at(chosenTime(), only);
    }
    return base::parseDuration(m_time->text().trimmed()).and_then(Lease::of).map([only](Lease lease) {
        return NewExpiry::in(lease, only);
    });
}

void ExpiryDialog::refresh()
{
    const auto end = newEnd();
    m_only->setEnabled(!m_never->isChecked());
    m_confirm->setEnabled(end.has_value());
    const QLatin1String error("error");
    widgets::restyle(*m_time, "kind", !end && m_in->isChecked() ? error : QLatin1String());
    widgets::restyle(*m_moment, "kind", !end && m_at->isChecked() ? error : QLatin1String());
    m_result->setText(end ? resultText(*end) : widgets::sentence(end.error().message()));
    m_confirm->setToolTip(end ? QString() : m_result->text());
}

QString ExpiryDialog::resultText(const NewExpiry &end) const
{
    const base::MonotonicTime now = m_clock.now();
    switch (end.kind) {
    case NewExpiry::Kind::Never:
        return tr("The key stays until it is deleted.");
    case NewExpiry::Kind::At:
        return tr("That is in %1. The server's clock decides; it may differ from this one.")
            .arg(keytable::durationText(chosenTime() - m_clock.wallNow()));
    case NewExpiry::Kind::In:
        break;
    }
    const base::Deadline deadline = base::Deadline::measured(end.time, now, now);
    const auto wall = base::localTime(m_clock.wallNow());
    return tr("If set now, it expires at %1.").arg(keytable::endText(deadline, now, wall));
}

} // namespace latchkey::ui::inspector
