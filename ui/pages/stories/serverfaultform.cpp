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
const QString faultsKey = QStringLiteral("serverFaultCount");
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
    , m_faults(new QSpinBox(this))
    , m_lostWrites(new QSpinBox(this))
    , m_persistence(new QComboBox(this))
    , m_delay(new QComboBox(this))
{
    makeFields(name);
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    addFormLine(*this, *lines,
                {{tr("At most"), m_faults},
                 {tr("Lost &writes"), m_lostWrites},
                 {tr("Save&d"), m_persistence},
                 {tr("Retur&n"), m_delay}});
    connect(m_persistence, &QComboBox::currentIndexChanged, this, &ServerFaultForm::refresh);
    setPromises({});
}

ServerFaultForm::~ServerFaultForm() = default;

void ServerFaultForm::makeFields(const QString &name)
{
    m_faults->setObjectName(name + QStringLiteral("ServerFaultCount"));
    m_faults->setAccessibleName(tr("Server faults per schedule"));
    m_faults->setToolTip(tr("Number of faults of each chosen kind in one schedule (--failovers, --restarts, "
                            "--clock-jumps, --partitions)"));
    m_lostWrites->setObjectName(name + QStringLiteral("LostWrites"));
    m_lostWrites->setAccessibleName(tr("Lost writes per fault"));
    m_lostWrites->setToolTip(tr("Largest number of a server's last writes that a failover loses, or a restart with "
                                "everysec (--lost-writes)"));
    for (QSpinBox *count : {m_faults, m_lostWrites})
        count->setRange(1, ServerFaultLimits::maxCount);
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
    setFieldShown(*m_lostWrites, hasFailovers || losesWrites);
    setFieldShown(*m_persistence, hasRestarts);
    setFieldShown(*m_delay, hasRestarts && m_subject == Subject::Recipe);
    setVisible(!schedules::limitsText(m_promises, {}).isEmpty());
}

ServerFaultLimits ServerFaultForm::limits() const
{
    ServerFaultLimits limits;
    for (int *count : {&limits.failovers, &limits.restarts, &limits.clockJumps, &limits.partitions})
        *count = m_faults->value();
    limits.lostWrites = m_lostWrites->value();
    limits.persistence = static_cast<Persistence>(m_persistence->currentData().toInt());
    limits.restartsAfterLease = m_subject == Subject::Recipe && m_delay->currentIndex() == 1;
    return limits;
}

QVariantMap ServerFaultForm::saveState() const
{
    return {{faultsKey, m_faults->value()},
            {lostWritesKey, m_lostWrites->value()},
            {persistenceKey, m_persistence->currentText()}};
}

void ServerFaultForm::restoreState(const QVariantMap &state)
{
    restoreCount(*m_faults, state.value(faultsKey));
    restoreCount(*m_lostWrites, state.value(lostWritesKey));
    if (const int index = m_persistence->findText(state.value(persistenceKey).toString()); index >= 0)
        m_persistence->setCurrentIndex(index);
}

} // namespace latchkey::ui::stories
