#include "ui/pages/stories/serverfaultform.h"

#include "core/recipes/locks/catalogue.h"
#include "ui/pages/stories/formline.h"

#include <QComboBox>
#include <QSpinBox>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

using catalogue::Promise;
using catalogue::promiseId;
using schedules::Persistence;
using schedules::ServerFaultLimits;

namespace {

// Names of the saved settings.
const QString faultsKey = QStringLiteral("serverFaultCount"); ///< Of an earlier version: one number for all kinds.
const QString lostWritesKey = QStringLiteral("lostWrites");
const QString persistenceKey = QStringLiteral("persistence");

} // namespace

void addServerFaultChoices(QComboBox &choice, const QString &all, int role)
{
    QStringList promises;
    for (const Promise promise : locks::serverFaultPromises())
        promises += promiseId(promise);
    choice.addItem(all);
    choice.setItemData(choice.count() - 1, promises, role);
    for (const auto &[text, promise] : {std::pair {ServerFaultForm::tr("failovers"), Promise::FailoverSafe},
                                        std::pair {ServerFaultForm::tr("restarts"), Promise::RestartSafe},
                                        std::pair {ServerFaultForm::tr("clock jumps"), Promise::ServerClockSafe},
                                        std::pair {ServerFaultForm::tr("partitions"), Promise::PartitionSafe}}) {
        choice.addItem(text);
        choice.setItemData(choice.count() - 1, QStringList {promiseId(promise)}, role);
    }
}

ServerFaultForm::ServerFaultForm(const QString &name, Subject subject, QWidget *parent)
    : QWidget(parent)
    , m_subject(subject)
    , m_lostWrites(new QSpinBox(this))
    , m_persistence(new QComboBox(this))
    , m_delay(new QComboBox(this))
{
    setObjectName(name + QStringLiteral("FaultLimits"));
    makeCounts(name);
    makeFields(name);
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(formLineSpacing);
    addFormLine(*this, *lines,
                {{tr("Failovers"), m_counts[0].field},
                 {tr("Restarts"), m_counts[1].field},
                 {tr("Clock jumps"), m_counts[2].field},
                 {tr("Partitions"), m_counts[3].field}});
    addFormLine(*this, *lines,
                {{tr("Lost &writes"), m_lostWrites}, {tr("Save&d"), m_persistence}, {tr("Retur&n"), m_delay}});
    connect(m_persistence, &QComboBox::currentIndexChanged, this, &ServerFaultForm::refresh);
    setPromises({});
}

ServerFaultForm::~ServerFaultForm() = default;

/// Makes the fields in the order of the choices; see addServerFaultChoices().
void ServerFaultForm::makeCounts(const QString &name)
{
    const auto add = [&](Promise promise, int ServerFaultLimits::*limit, const char *id, const QString &accessible,
                         const QString &tip) {
        auto *field = new QSpinBox(this);
        field->setObjectName(name + QLatin1String(id));
        field->setAccessibleName(accessible);
        field->setToolTip(tip);
        field->setRange(0, ServerFaultLimits::maxCount);
        field->setValue(ServerFaultLimits().*limit);
        m_counts.push_back({promise, limit, QStringLiteral("server") + QLatin1String(id), field});
    };
    add(Promise::FailoverSafe, &ServerFaultLimits::failovers, "Failovers", tr("Failovers per schedule"),
        tr("Largest number of failovers in one schedule (--failovers)"));
    add(Promise::RestartSafe, &ServerFaultLimits::restarts, "Restarts", tr("Restarts per schedule"),
        tr("Largest number of restarts of servers in one schedule (--restarts)"));
    add(Promise::ServerClockSafe, &ServerFaultLimits::clockJumps, "ClockJumps", tr("Clock jumps per schedule"),
        tr("Largest number of jumps of a server's clock in one schedule (--clock-jumps)"));
    add(Promise::PartitionSafe, &ServerFaultLimits::partitions, "Partitions", tr("Partitions per schedule"),
        tr("Largest number of partitions in one schedule (--partitions)"));
}

void ServerFaultForm::makeFields(const QString &name)
{
    m_lostWrites->setObjectName(name + QStringLiteral("LostWrites"));
    m_lostWrites->setAccessibleName(tr("Lost writes per fault"));
    m_lostWrites->setToolTip(tr("Largest number of a server's last writes that a failover loses, or a restart with "
                                "everysec (--lost-writes)"));
    m_lostWrites->setRange(1, ServerFaultLimits::maxCount);
    m_persistence->setObjectName(name + QStringLiteral("Persistence"));
    m_persistence->setAccessibleName(tr("Data that a restarted server has saved"));
    for (const Persistence persistence : {Persistence::None, Persistence::EverySec, Persistence::Always})
        m_persistence->addItem(persistenceId(persistence), QVariant::fromValue(static_cast<int>(persistence)));
    m_persistence->setToolTip(tr("What a restarted server has saved. none: nothing; everysec: all but its last writes; "
                                 "always: everything (--persistence)"));
    m_delay->setObjectName(name + QStringLiteral("RestartDelay"));
    m_delay->setAccessibleName(tr("Time after which a restarted server can be reached"));
    m_delay->addItem(tr("at once"));
    m_delay->addItem(tr("after all leases"));
    m_delay->setToolTip(tr("How long a restarted server stays away (--restart-delay)"));
}

void ServerFaultForm::setPromises(const QStringList &promises)
{
    m_promises = promises;
    refresh();
}

void ServerFaultForm::refresh()
{
    const bool hasFailovers = m_promises.contains(promiseId(Promise::FailoverSafe));
    const bool hasRestarts = m_promises.contains(promiseId(Promise::RestartSafe));
    const bool losesWrites = hasRestarts && limits().persistence == Persistence::EverySec;
    for (const Count &count : m_counts)
        setFieldShown(*count.field, m_promises.contains(promiseId(count.promise)));
    setFieldShown(*m_lostWrites, hasFailovers || losesWrites);
    setFieldShown(*m_persistence, hasRestarts);
    setFieldShown(*m_delay, hasRestarts && m_subject == Subject::Recipe);
    setVisible(!schedules::limitsText(m_promises, {}).isEmpty());
}

ServerFaultLimits ServerFaultForm::limits() const
{
    ServerFaultLimits limits;
    for (const Count &count : m_counts)
        limits.*count.limit = count.field->value();
    limits.lostWrites = m_lostWrites->value();
    limits.persistence = static_cast<Persistence>(m_persistence->currentData().toInt());
    limits.restartsAfterLease = m_subject == Subject::Recipe && m_delay->currentIndex() == 1;
    return limits;
}

QVariantMap ServerFaultForm::saveState() const
{
    QVariantMap state {{lostWritesKey, m_lostWrites->value()}, {persistenceKey, m_persistence->currentText()}};
    for (const Count &count : m_counts)
        state[count.savedName] = count.field->value();
    return state;
}

void ServerFaultForm::restoreState(const QVariantMap &state)
{
    for (const Count &count : m_counts)
        restoreCount(*count.field, state.value(count.savedName, state.value(faultsKey)));
    restoreCount(*m_lostWrites, state.value(lostWritesKey));
    if (const int index = m_persistence->findText(state.value(persistenceKey).toString()); index >= 0)
        m_persistence->setCurrentIndex(index);
}

} // namespace latchkey::ui::stories
