#include "ui/pages/inspector/keychangeflow.h"

#include "ui/pages/inspector/deletedialog.h"
#include "ui/pages/inspector/expirydialog.h"
#include "ui/pages/inspector/removaltext.h"

#include <algorithm>
#include <iterator>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using inspection::KeyChangeQueue;
using inspection::ReleasePlan;
using watching::ChangeOutcome;
using watching::KeySnapshot;
using widgets::Banner;
using namespace std::chrono_literals;

/// A read of several keys, with some replies still missing.
struct KeyChangeFlow::PendingRead
{
    KeyChangeKind kind = KeyChangeKind::Delete;
    std::vector<base::Key> keys;
    std::vector<std::optional<base::Result<ReleasePlan>>> found; ///< In the order of the keys.
    std::size_t missing = 0;
    bool isProgressShown = false; ///< Whether the progress message is shown.
    bool isUnwanted = false;      ///< Whether the user cancelled the read.
};

namespace {

/// Delay before the first progress message, and interval between two progress messages.
constexpr auto progressDelay = 300ms;

KeyChangeKind undoing(KeyChangeKind kind)
{
    return kind == KeyChangeKind::SetExpiry ? KeyChangeKind::RestoreExpiry : KeyChangeKind::Restore;
}

bool canBeUndone(KeyChangeKind kind, const KeySnapshot &before)
{
    switch (kind) {
    case KeyChangeKind::SetExpiry:
        return true;
    case KeyChangeKind::Delete:
    case KeyChangeKind::Release:
        return before.isRestorable();
    case KeyChangeKind::Restore:
    case KeyChangeKind::RestoreExpiry:
        break;
    }
    return false;
}

Banner::Tone toneOf(const std::vector<KeyChangeResult> &results)
{
    if (std::ranges::any_of(results, [](const KeyChangeResult &one) { return !one.outcome; }))
        return Banner::Tone::Critical;
    const bool isAsWanted = std::ranges::all_of(results, [](const KeyChangeResult &one) {
        return one.outcome == ChangeOutcome::Done || one.outcome == ChangeOutcome::Gone;
    });
    return isAsWanted ? Banner::Tone::Info : Banner::Tone::Warning;
}

} // namespace

KeyChangeFlow::KeyChangeFlow(theme::Appearance &appearance, const base::Clock &clock, QWidget &window)
    : QObject(&window)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_window(window)
{
    m_undoTimer.setSingleShot(true);
    connect(&m_undoTimer, &QTimer::timeout, this, &KeyChangeFlow::undoEnded);
}

void KeyChangeFlow::setServer(InspectedServer *server)
{
    if (m_server) // The server may outlive this object, because other objects use it too.
        m_server->disconnect(this);
    m_server = server;
    forget();
    qDeleteAll(findChildren<KeyChangeRun *>(Qt::FindDirectChildrenOnly)); // The results for the previous server are not
                                                                          // reported.
    m_undoTimer.stop();
    if (server != nullptr)
        connect(server, &InspectedServer::armedChanged, this, &KeyChangeFlow::armedChanged);
}

void KeyChangeFlow::armedChanged(bool isArmed)
{
    if (!isArmed) {
        m_undoTimer.stop();
        Q_EMIT undoEnded();
    } else if (const auto waiting = std::exchange(m_waiting, std::nullopt)) {
        readKeys(waiting->kind, waiting->keys);
    }
}

void KeyChangeFlow::ask(KeyChangeKind kind, const std::vector<base::Key> &keys)
{
    if (!m_server || keys.empty())
        return;
    if (m_server->isArmed()) {
        readKeys(kind, keys);
    } else {
        m_waiting = Waiting {kind, keys};
        Q_EMIT armingRequested();
    }
}

void KeyChangeFlow::readKeys(KeyChangeKind kind, const std::vector<base::Key> &keys)
{
    auto pending = std::make_shared<PendingRead>();
    pending->kind = kind;
    pending->keys = keys;
    pending->found.resize(keys.size());
    pending->missing = keys.size();
    showReadProgress(pending);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto take = [alive = QPointer<KeyChangeFlow>(this), server = m_server, pending,
                           i](base::Result<ReleasePlan> found) {
            pending->found[i] = std::move(found);
            if (--pending->missing == 0 && !pending->isUnwanted && alive && server && server == alive->m_server)
                alive->keysRead(*pending);
        };
        if (kind == KeyChangeKind::Release)
            m_server->readReleasePlan(keys[i], take);
        else
            m_server->takeSnapshot(keys[i], [take](const base::Result<KeySnapshot> &snapshot) {
                take(snapshot.map([](const KeySnapshot &taken) { return ReleasePlan {taken, {}}; }));
            });
    }
}

/// Reports the progress of the read until it ends.
void KeyChangeFlow::showReadProgress(const std::shared_ptr<PendingRead> &pending)
{
    QTimer::singleShot(progressDelay, this, [this, server = m_server, weak = std::weak_ptr<PendingRead>(pending)] {
        const auto underWay = weak.lock();
        if (!underWay || underWay->missing == 0 || underWay->isUnwanted || !server || server != m_server)
            return;
        const auto all = static_cast<int>(underWay->keys.size());
        KeyChangeReport report {
            Banner::Tone::Info, readProgressText(all - static_cast<int>(underWay->missing), all), {}};
        report.cancel = [this, weak] {
            if (const auto unwanted = weak.lock())
                unwanted->isUnwanted = true;
            Q_EMIT undoEnded();
        };
        underWay->isProgressShown = true;
        Q_EMIT reported(report);
        showReadProgress(underWay);
    });
}

void KeyChangeFlow::keysRead(const PendingRead &pending)
{
    if (pending.isProgressShown)
        Q_EMIT undoEnded(); // The question replaces the progress message.
    ReleasePlans keys;
    std::vector<KeyChangeResult> withoutQuestion;
    bool hasFailed = false;
    for (std::size_t i = 0; i < pending.keys.size(); ++i) {
        const base::Result<ReleasePlan> &found = *pending.found[i];
        if (found && found->snapshot.exists()) {
            keys.push_back(*found);
            continue;
        }
        hasFailed = hasFailed || !found;
        withoutQuestion.push_back(
            {pending.keys[i], found.map([](const ReleasePlan &) { return ChangeOutcome::Gone; })});
    }
    // If any key cannot be read, the user is not asked about the others. Keys that were deleted meanwhile do not
    // prevent the question.
    if (keys.empty() || hasFailed)
        Q_EMIT reported({toneOf(withoutQuestion), resultText(pending.kind, withoutQuestion), {}});
    else if (pending.kind == KeyChangeKind::Delete)
        askAboutDeletion(keys);
    else if (pending.kind == KeyChangeKind::Release)
        askAboutRelease(keys);
    else
        askAboutEnds(keys);
}

/// Returns the name of the server as displayed to the user.
QString KeyChangeFlow::serverText() const
{
    return m_serverName.isEmpty() ? m_server->endpoint().display() : m_serverName;
}

void KeyChangeFlow::askAboutDeletion(const ReleasePlans &keys)
{
    const Snapshots snapshots = snapshotsOf(keys);
    auto *dialog =
        new DeleteDialog(m_appearance, m_clock, snapshots, RemovalText::ofDeletion(snapshots), serverText(), &m_window);
    connect(dialog, &QDialog::accepted, this, [this, snapshots] {
        std::vector<KeyChangeRun::Step> steps;
        for (const KeySnapshot &snapshot : snapshots)
            steps.push_back({snapshot, [server = m_server, snapshot](const KeyChangeQueue::Done &done) {
                                 server->deleteIfUnchanged(snapshot, done);
                             }});
        execute(KeyChangeKind::Delete, std::move(steps));
    });
    open(*dialog);
}

/// Asks about a release, only for the keys that can be released. The question states how many of the selected keys
/// cannot be released. Questions about other changes concern all selected keys.
void KeyChangeFlow::askAboutRelease(const ReleasePlans &keys)
{
    ReleasePlans locks;
    for (const ReleasePlan &key : keys) {
        if (key.method.isKnown())
            locks.push_back(key);
    }
    if (locks.empty()) {
        const ReleasePlan &first = keys.front();
        const QString why = keys.size() == 1 ? obstacleText(first.method.obstacle, first.method.kind)
                                             : KeyChangeText::tr("None of the selected locks can be released here.");
        Q_EMIT reported({Banner::Tone::Warning, notReleasedText(first.snapshot.key, why), {}});
        return;
    }
    auto *dialog = new DeleteDialog(m_appearance, m_clock, snapshotsOf(locks),
                                    RemovalText::ofRelease(locks, static_cast<int>(keys.size() - locks.size())),
                                    serverText(), &m_window);
    connect(dialog, &QDialog::accepted, this, [this, locks] {
        std::vector<KeyChangeRun::Step> steps;
        for (const ReleasePlan &lock : locks)
            steps.push_back({lock.snapshot, [server = m_server, lock](const KeyChangeQueue::Done &done) {
                                 server->release(lock, done);
                             }});
        execute(KeyChangeKind::Release, std::move(steps));
    });
    open(*dialog);
}

void KeyChangeFlow::askAboutEnds(const ReleasePlans &keys)
{
    const Snapshots snapshots = snapshotsOf(keys);
    auto *dialog = new ExpiryDialog(m_appearance, m_clock, snapshots, serverText(), &m_window);
    connect(dialog, &QDialog::accepted, this, [this, snapshots, dialog] {
        const auto end = dialog->newEnd();
        if (!end)
            return;
        std::vector<KeyChangeRun::Step> steps;
        for (const KeySnapshot &snapshot : snapshots)
            steps.push_back({snapshot, [server = m_server, snapshot, end = *end](const KeyChangeQueue::Done &done) {
                                 server->expireIfUnchanged(snapshot, end, done);
                             }});
        execute(KeyChangeKind::SetExpiry, std::move(steps));
    });
    open(*dialog);
}

void KeyChangeFlow::open(QDialog &question)
{
    question.setAttribute(Qt::WA_DeleteOnClose);
    connect(&question, &QDialog::finished, this, &KeyChangeFlow::answered);
    question.open();
}

void KeyChangeFlow::undo(KeyChangeKind kind, const std::vector<KeyChangeRun::Change> &changes)
{
    std::vector<KeyChangeRun::Step> steps;
    for (const KeyChangeRun::Change &change : changes)
        steps.push_back({change.before, [server = m_server, change](const KeyChangeQueue::Done &done) {
                             server->undo(change.before, change.after, done);
                         }});
    execute(kind, std::move(steps));
}

void KeyChangeFlow::execute(KeyChangeKind kind, std::vector<KeyChangeRun::Step> steps)
{
    if (!m_server) // The server may be closed while the question is open.
        return;
    auto *run = new KeyChangeRun(kind, std::move(steps), this);
    connect(run, &KeyChangeRun::progressed, this, [this, run](int done, int all) { showProgress(*run, done, all); });
    connect(run, &KeyChangeRun::finished, this, [this, run] { report(*run); });
    run->start();
}

void KeyChangeFlow::showProgress(KeyChangeRun &run, int done, int all)
{
    KeyChangeReport report {Banner::Tone::Info, progressText(run.kind(), done, all), {}};
    report.cancel = [alive = QPointer<KeyChangeRun>(&run)] {
        if (alive)
            alive->cancel();
    };
    Q_EMIT reported(report);
}

void KeyChangeFlow::report(KeyChangeRun &run)
{
    run.deleteLater();
    m_undoTimer.stop();
    const Banner::Tone tone = toneOf(run.results());
    KeyChangeReport report {tone, resultText(run.kind(), run.results(), run.leftOut()), {}};
    std::vector<KeyChangeRun::Change> changes;
    std::ranges::copy_if(run.changes(), std::back_inserter(changes),
                         [&](const KeyChangeRun::Change &change) { return canBeUndone(run.kind(), change.before); });
    if (!changes.empty() && m_server->isArmed()) {
        report.undo = [alive = QPointer<KeyChangeFlow>(this), server = m_server, kind = undoing(run.kind()), changes] {
            if (alive && server && server == alive->m_server)
                alive->undo(kind, changes);
        };
        limitUndo(changes);
    }
    Q_EMIT reported(report);
}

/// Keeps Undo available until the last of the previous expiries has passed.
void KeyChangeFlow::limitUndo(const std::vector<KeyChangeRun::Change> &changes)
{
    const auto last =
        std::ranges::max(changes, {}, [](const KeyChangeRun::Change &change) { return change.before.deadline.at(); });
    const auto left = last.before.deadline.remaining(m_clock.now());
    constexpr auto longest = 24h * 20; // Upper limit of a QTimer interval, in milliseconds.
    if (left && *left < longest)
        m_undoTimer.start(std::chrono::ceil<std::chrono::milliseconds>(std::max(*left, std::chrono::nanoseconds(0))));
}

} // namespace latchkey::ui::inspector
