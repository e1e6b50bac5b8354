#include "ui/pages/stories/searchlimitform.h"

#include "ui/pages/stories/formline.h"

#include <QComboBox>
#include <QSpinBox>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

namespace {

/// Upper limit of the race finder.
constexpr int maxFaults = 10;
/// Value of the spin box for "no limit", below 0.
constexpr int unbounded = -1;

// Names of the saved settings.
const QString crashesKey = QStringLiteral("crashes");
const QString expirationsKey = QStringLiteral("passes");
const QString timerStepsKey = QStringLiteral("waits");
const QString lostRepliesKey = QStringLiteral("lostReplies");
const QString preemptionsKey = QStringLiteral("preemptions");
const QString timeLimitKey = QStringLiteral("seconds");

} // namespace

SearchLimitForm::SearchLimitForm(QWidget *parent)
    : QWidget(parent)
    , m_crashes(new QSpinBox(this))
    , m_expirations(new QSpinBox(this))
    , m_timerSteps(new QSpinBox(this))
    , m_lostReplies(new QSpinBox(this))
    , m_preemptions(new QSpinBox(this))
    , m_longest(new QComboBox(this))
{
    makeFields();
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(formLineSpacing);
    // At most three fields per line, because the width of a field depends on the version of Qt.
    addFormLine(*this, *lines,
                {{tr("C&rashes"), m_crashes}, {tr("Expir&ations"), m_expirations}, {tr("Timer st&eps"), m_timerSteps}});
    addFormLine(
        *this, *lines,
        {{tr("L&ost replies"), m_lostReplies}, {tr("Pree&mptions"), m_preemptions}, {tr("Sto&p after"), m_longest}});
}

SearchLimitForm::~SearchLimitForm() = default;

void SearchLimitForm::makeFields()
{
    const auto make = [](QSpinBox *count, const char *name, const QString &accessible, const QString &toolTip,
                         int value) {
        count->setObjectName(QLatin1String(name));
        count->setAccessibleName(accessible);
        count->setToolTip(toolTip);
        count->setRange(0, maxFaults);
        count->setValue(value);
    };
    const schedules::FaultLimits usual;
    make(m_crashes, "programCrashes", tr("Crashes per schedule"),
         tr("Number of processes that may crash in one schedule"), usual.crashes);
    make(m_expirations, "programPasses", tr("Expirations per schedule"),
         tr("How often a lifetime may end in one schedule"), usual.expirations);
    make(m_timerSteps, "programWaits", tr("Timer steps per schedule"),
         tr("How often the clock may advance to the next timeout of a process"), usual.timerSteps);
    make(m_lostReplies, "programLostReplies", tr("Lost replies per schedule"),
         tr("Commands that the server executes, with reply and connection lost"), usual.lostReplies);
    make(m_preemptions, "programPreemptions", tr("Preemptions per schedule"),
         tr("How often the turn may change although a client could continue. Most races need one or two; a limit "
            "reduces the number of schedules."),
         0);
    m_preemptions->setMinimum(unbounded);
    m_preemptions->setSpecialValueText(tr("no limit"));
    m_preemptions->setValue(unbounded);
    m_longest->setObjectName(QStringLiteral("programLongest"));
    m_longest->setAccessibleName(tr("Time limit"));
    m_longest->addItem(tr("10 seconds"), 10);
    m_longest->addItem(tr("1 minute"), 60);
    m_longest->addItem(tr("10 minutes"), 600);
    m_longest->addItem(tr("1 hour"), 3600);
    m_longest->addItem(tr("no limit"), 0);
    m_longest->setCurrentIndex(1);
    m_longest->setToolTip(tr("The search stops after this time and reports its progress"));
}

schedules::FaultLimits SearchLimitForm::limits() const
{
    schedules::FaultLimits limits;
    limits.crashes = m_crashes->value();
    limits.expirations = m_expirations->value();
    limits.timerSteps = m_timerSteps->value();
    limits.lostReplies = m_lostReplies->value();
    if (m_preemptions->value() != unbounded)
        limits.preemptions = m_preemptions->value();
    return limits;
}

std::optional<std::chrono::seconds> SearchLimitForm::longest() const
{
    const int seconds = m_longest->currentData().toInt();
    return seconds > 0 ? std::optional(std::chrono::seconds(seconds)) : std::nullopt;
}

QVariantMap SearchLimitForm::saveState() const
{
    return {{crashesKey, m_crashes->value()},         {expirationsKey, m_expirations->value()},
            {timerStepsKey, m_timerSteps->value()},   {lostRepliesKey, m_lostReplies->value()},
            {preemptionsKey, m_preemptions->value()}, {timeLimitKey, m_longest->currentData()}};
}

void SearchLimitForm::restoreState(const QVariantMap &state)
{
    restoreCount(*m_crashes, state.value(crashesKey));
    restoreCount(*m_expirations, state.value(expirationsKey));
    restoreCount(*m_timerSteps, state.value(timerStepsKey));
    restoreCount(*m_lostReplies, state.value(lostRepliesKey));
    restoreCount(*m_preemptions, state.value(preemptionsKey));
    for (int index = 0; state.contains(timeLimitKey) && index < m_longest->count(); ++index) {
        if (m_longest->itemData(index).toInt() == state.value(timeLimitKey).toInt())
            m_longest->setCurrentIndex(index);
    }
}

} // namespace latchkey::ui::stories
