#include "core/explore/programs/exploredprogram.h"

#include "core/explore/programs/keyaccess.h"
#include "core/explore/programs/lockkeys.h"
#include "core/explore/programs/programrun.h"
#include "core/explore/programs/rules.h"
#include "core/explore/programs/schedulevalidation.h"
#include "core/explore/programs/unusedoptions.h"
#include "core/explore/races/transitions.h"
#include "core/recipes/caches/catalogue.h"

#include <algorithm>
#include <bit>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using races::ClientIndex;
using races::KeyInfluence;
using races::Move;
using races::ResourceAccess;
using races::Snapshot;
using races::SnapshotKey;

namespace {

/// Offset between the clocks of two consecutive clients.
constexpr std::chrono::milliseconds clocksApart(7);

/// Returns the error for a single client that has failed. output: its last line of output.
base::Error failureAlone(int exitCode, const QString &output, bool hasDocumentAsToken)
{
    const base::Text last = Process::lastOutputText(output);
    if (hasDocumentAsToken)
        return {ErrorKind::Protocol,
                base::Text(QT_TRANSLATE_NOOP("core", "a single client without faults ends with exit code %1, maybe "
                                                     "because its JSON document counts as one token, which a script "
                                                     "cannot read: let the documents of two processes differ only in "
                                                     "strings of at least 8 bytes; %2"),
                           exitCode, last)};
    return {ErrorKind::Protocol,
            base::Text(QT_TRANSLATE_NOOP("core", "a single client without faults ends with exit code %1; %2"), exitCode,
                       last)};
}

} // namespace

ExploredProgram::ExploredProgram(Program program, int clients)
    : m_program(std::move(program))
    , m_clients(clients)
{
    if (m_program.isCancelled)
        m_program.isCancelled = [this, asked = std::move(m_program.isCancelled)] {
            m_wasStopped = m_wasStopped || asked();
            return m_wasStopped;
        };
    const bool hasClock = !m_program.clockLibrary.isEmpty();
    const auto clock = hasClock ? std::optional(ProcessPool::Clock()) : std::nullopt;
    m_trees.push_back(std::make_shared<ObservationTree>(m_program, clock, std::make_shared<CriticalSectionIndex>()));
}

Result<void> ExploredProgram::open()
{
    m_isOpen = true;
    for (const auto &tree : m_trees) {
        if (auto opened = tree->open(); !opened) {
            if (restartAfterError())
                return open();
            return failure(opened.error().during(m_program.name()));
        }
    }
    return {};
}

/// Replaces the observed behaviour. Times sent by one client are not valid for another, because the clocks of two
/// clients always differ by some milliseconds: then there is one behaviour per client. Other errors may be due to a
/// program that behaves differently if it is forked.
bool ExploredProgram::restartAfterError()
{
    const auto maySend = [](const auto &tree) { return tree->maySendTimes(); };
    const bool isSeparate = m_trees.size() > 1 || std::ranges::any_of(m_trees, maySend);
    if (std::ranges::none_of(m_trees, maySend)) {
        if (m_wasStopped || !hasForked())
            return false;
        m_program.forksProcesses = false;
    }
    m_startsBefore = starts();
    m_trees.clear(); // Refers to m_program.
    const auto sections = std::make_shared<CriticalSectionIndex>();
    if (!isSeparate)
        m_trees.push_back(std::make_shared<ObservationTree>(m_program, ProcessPool::Clock(), sections));
    for (ClientIndex client = 0; isSeparate && client <= m_clients; ++client) {
        const ProcessPool::Clock clock {client * clocksApart, false};
        m_trees.push_back(std::make_shared<ObservationTree>(m_program, clock, sections));
    }
    m_isOpen = false;
    m_soloRun.reset();
    m_isPrepared = false;
    return true;
}

const std::shared_ptr<ObservationTree> &ExploredProgram::treeOf(ClientIndex client) const
{
    return m_trees[m_trees.size() > 1 ? static_cast<std::size_t>(client) : 0];
}

std::optional<base::Error> ExploredProgram::error() const
{
    for (const auto &tree : m_trees) {
        if (tree->error())
            return tree->error();
    }
    return std::nullopt;
}

bool ExploredProgram::hasReachedCommandLimit() const
{
    return std::ranges::any_of(m_trees, [](const auto &tree) { return tree->hasReachedCommandLimit(); });
}

std::optional<int> ExploredProgram::lateRetries() const
{
    const auto tree = std::ranges::find_if(m_trees, [](const auto &each) { return each->lateRetries().has_value(); });
    return tree == m_trees.end() ? std::nullopt : (*tree)->lateRetries();
}

bool ExploredProgram::hasBusyWait() const
{
    return std::ranges::any_of(m_trees, [](const auto &tree) { return tree->hasBusyWait(); });
}

bool ExploredProgram::hasOtherClocks() const
{
    return std::ranges::any_of(m_trees, [](const auto &tree) { return tree->hasOtherClocks(); });
}

bool ExploredProgram::hasWaited() const
{
    return std::ranges::any_of(m_trees, [](const auto &tree) { return tree->hasWaited(); });
}

std::optional<int> ExploredProgram::livelockRepetitions() const
{
    std::optional<int> least;
    for (const auto &tree : m_trees) {
        if (const auto retries = tree->livelockRepetitions())
            least = std::min(least.value_or(*retries), *retries);
    }
    return least;
}

qint64 ExploredProgram::starts() const
{
    qint64 starts = m_startsBefore;
    for (const auto &tree : m_trees)
        starts += tree->processes().starts();
    return starts;
}

bool ExploredProgram::hasForked() const
{
    return std::ranges::any_of(m_trees, [](const auto &tree) { return tree->processes().hasForked(); });
}

std::chrono::nanoseconds ExploredProgram::timeOfStarts() const
{
    std::chrono::nanoseconds time {};
    for (const auto &tree : m_trees)
        time += tree->processes().timeOfStarts();
    return time;
}

std::span<const races::Rule *const> ExploredProgram::rules() const
{
    return programs::rules();
}

races::RunFactory ExploredProgram::client(ClientIndex client) const
{
    return [this, client] { return std::make_unique<ProgramRun>(treeOf(client), client); };
}

Result<bool> ExploredProgram::prepare(races::EffectCache &effectCache, QDeadlineTimer deadline)
{
    while (!m_isPrepared) {
        auto prepared = m_soloRun ? advanceAlone(effectCache) : begin(effectCache);
        if (!prepared)
            return failure(std::move(prepared.error()));
        if (deadline.hasExpired())
            break;
    }
    return m_isPrepared;
}

Result<void> ExploredProgram::begin(races::EffectCache &effectCache)
{
    if (!m_isOpen) { // After restartAfterError().
        if (auto opened = open(); !opened)
            return opened;
    }
    const auto empty = effectCache.prepare({});
    if (!empty)
        return failure(empty.error());
    m_soloRun = std::make_unique<SoloRun>(
        treeOf(0), std::vector(static_cast<std::size_t>(program().servers), *empty), program().resource,
        [this](const resp::Commands &commands, const resp::Reply &reply, const Snapshot &before, const Snapshot &after,
               const KeyInfluence &influence) { return accessBy(commands, reply, before, after, influence); });
    return {};
}

Result<void> ExploredProgram::advanceAlone(races::EffectCache &effectCache)
{
    const auto isOver = m_soloRun->advance(effectCache);
    if (!isOver)
        return failure(isOver.error());
    if (const auto error = treeOf(0)->error())
        return failure(error->during(program().name()));
    return *isOver ? endAlone() : Result<void>();
}

/// Ends the solo run. A program that fails without other clients is rejected, because a failure of all its clients
/// would break no promise.
Result<void> ExploredProgram::endAlone()
{
    m_isPrepared = true;
    m_usesResource = m_soloRun->usesResource();
    m_lockKeys = m_soloRun->lockKeys();
    m_nextClientSections = m_soloRun->enteredSections(m_clients);
    std::erase_if(m_lockKeys, [this](const races::LockKey &lock) { return !isAuxiliary(lock.key); });
    classifyLockKeys(m_lockKeys, program());
    m_hasCriticalSections = !treeOf(0)->criticalSections().isEmpty();
    m_soloLivelockCommand = m_soloRun->endlessCommand();
    const auto &failed = treeOf(0)->failedEnds();
    const bool hasSentCommand = (*treeOf(0))[m_soloRun->at()].hasSentCommand();
    if (!hasSentCommand)
        return failure(
            base::Error(ErrorKind::Protocol,
                        base::Text(QT_TRANSLATE_NOOP("core", "it has ended without having sent a command to the server "
                                                             "of REDIS_URL; for a program with a fixed port, use "
                                                             "--fixed-port")))
                .during(program().name()));
    if (program().servers > 1 && std::popcount(treeOf(0)->connectedServers()) == 1)
        return failure(base::Error(ErrorKind::Protocol,
                                   base::Text(QT_TRANSLATE_NOOP("core", "it connects to only one of %1 servers: let it "
                                                                        "read all addresses from REDIS_URLS or "
                                                                        "REDIS_HOSTS, or leave --servers out"),
                                              program().servers))
                           .during(program().name()));
    if (!program().locks.isEmpty() && m_hasCriticalSections && !hasLock(m_lockKeys))
        return failure(
            base::Error(ErrorKind::Protocol, missingNamedLockReason(m_lockKeys, program())).during(program().name()));
    if (!failed.empty() && !m_soloRun->hasMoreCommands())
        return failure(failureAlone(failed.begin()->first, failed.begin()->second, treeOf(0)->hasDocumentAsToken())
                           .during(program().name()));
    // A client that waits for another one may send further commands.
    const bool isDecided = endsAlone() || !m_soloLivelockCommand.isEmpty();
    if (const auto unused = isDecided ? unusedOption(program(), *m_soloRun) : std::nullopt)
        return failure(base::Error(ErrorKind::Protocol, *unused).during(program().name()));
    return {};
}

bool ExploredProgram::endsAlone() const
{
    return m_soloRun && (*treeOf(0))[m_soloRun->at()].isOver;
}

bool ExploredProgram::hasEndedClient() const
{
    return std::ranges::any_of(m_trees, [](const auto &tree) { return tree->hasEnd(); });
}

std::vector<races::FailedEnd> ExploredProgram::failedEnds() const
{
    std::map<int, QString> all;
    for (const auto &tree : m_trees)
        all.insert(tree->failedEnds().begin(), tree->failedEnds().end());
    std::vector<races::FailedEnd> ends;
    for (const auto &[exitCode, words] : all)
        ends.push_back({exitCode, words});
    return ends;
}

bool ExploredProgram::applies(const QString &promise) const
{
    if (promise == lostUpdate())
        return m_usesResource;
    if (promise == catalogue::promiseId(catalogue::Promise::NoImmortalKey))
        return true;
    if (promise == catalogue::promiseId(catalogue::Promise::OwnerOnlyRelease))
        return m_hasCriticalSections && hasLock(m_lockKeys);
    return m_hasCriticalSections;
}

base::Text ExploredProgram::notApplicableReason(const QString &promise) const
{
    if (promise != catalogue::promiseId(catalogue::Promise::OwnerOnlyRelease) || !m_hasCriticalSections
        || hasLock(m_lockKeys))
        return {};
    return noLockReason(m_lockKeys);
}

bool ExploredProgram::mayBeLock(const QByteArray &key) const
{
    if (!isAuxiliary(key))
        return false;
    if (!program().locks.isEmpty())
        return matchesAny(key, program().locks);
    const auto known = std::ranges::find(m_lockKeys, key, &races::LockKey::key);
    return known == m_lockKeys.end() ? !matchesAny(key, program().data) : known->isLock();
}

bool ExploredProgram::isHeldAlone(const QByteArray &key) const
{
    const auto known = std::ranges::find(m_lockKeys, key, &races::LockKey::key);
    return known != m_lockKeys.end() ? known->isLock() : matchesAny(key, program().locks);
}

int ExploredProgram::majorityOf(const QByteArray &key) const
{
    const auto known = std::ranges::find(m_lockKeys, key, &races::LockKey::key);
    return known == m_lockKeys.end() ? 1 : known->servers / 2 + 1;
}

bool ExploredProgram::isAuxiliary(const QByteArray &key) const
{
    return key != program().resource;
}

bool ExploredProgram::mustExpire(const QByteArray &key) const
{
    return isAuxiliary(key) && !matchesAny(key, program().data);
}

ResourceAccess ExploredProgram::accessBy(const resp::Commands &commands, const resp::Reply &reply,
                                         const Snapshot &before, const Snapshot &after,
                                         const KeyInfluence &influence) const
{
    const QByteArray &key = program().resource;
    if (key.isEmpty())
        return {};
    const SnapshotKey *now = after.find(key);
    const bool hasChanged = !races::haveEqualValues(before.find(key), now);
    const QByteArray text = now == nullptr ? QByteArray() : now->text;
    if (before.find(key) != nullptr && now == nullptr && influence.reads)
        return {true, true, false}; // The reply contains the removed value, so nothing is lost.
    if (commands.size() == 1) {
        ResourceAccess one = accessOf(key, commands.front(), reply, hasChanged, text, influence);
        one.returnsOverwritten = influence.returnsValue;
        return one;
    }
    ResourceAccess all {influence.reads, influence.setsValue, influence.setsValue};
    bool isAnyProperty = false;
    bool isAnyValue = false;
    bool isAnyAbsence = false;
    const KeyInfluence whole {.isKnown = influence.isKnown}; // The influence is that of all commands together.
    for (std::size_t i = 0; i < reply.elements().size() && i + 2 < commands.size(); ++i) {
        const ResourceAccess one = accessOf(key, commands[i + 1], reply.elements()[i], hasChanged, text, whole);
        all = {all.reads || one.reads, all.writes || one.writes, all.overwrites || one.overwrites};
        isAnyProperty = isAnyProperty || one.readsProperty;
        isAnyValue = isAnyValue || (one.reads && !one.readsProperty);
        isAnyAbsence = isAnyAbsence || one.readsAbsence;
    }
    all.readsProperty = isAnyProperty && !isAnyValue;
    all.readsAbsence = all.readsProperty && isAnyAbsence;
    all.returnsOverwritten = influence.returnsValue;
    return all;
}

Result<void> ExploredProgram::validate(races::Transitions &transitions, const races::Schedule &schedule)
{
    ScheduleValidation validation(transitions, [this](ClientIndex client) { return treeOf(client); });
    for (const Move &move : schedule) {
        if (auto followed = validation.apply(move); !followed)
            return failure(followed.error().during(program().name()));
    }
    return {};
}

races::Subject subjectFor(const Program &program, int clients)
{
    const auto explored = std::make_shared<ExploredProgram>(program, clients);
    races::Subject subject;
    subject.recipe = program.name();
    subject.clients = clients;
    subject.servers = program.servers;
    subject.key = base::Key(program.resource);
    for (const races::Rule *rule : rules()) {
        subject.claims += rule->promise(); // All promises count as claimed: no program should break one.
        subject.promises += rule->promise();
    }
    subject.client = [explored](ClientIndex client, const races::Faults &) { return explored->client(client); };
    subject.mustExpire = [explored](const SnapshotKey &key) { return explored->mustExpire(key.key); };
    subject.program = explored;
    return subject;
}

} // namespace latchkey::programs
