#include "ui/inspector/actflow.h"

#include "ui/inspector/deletedialog.h"
#include "ui/inspector/enddialog.h"

#include <algorithm>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using keyspace::Acted;
using keyspace::ActOutcome;
using keyspace::KeySnapshot;
using widgets::Banner;
using namespace std::chrono_literals;

/// Looks at several keys, of which some are under way.
struct ActFlow::Looking
{
    ActKind kind = ActKind::Delete;
    std::vector<base::Key> keys;
    std::vector<std::optional<base::Result<KeySnapshot>>> found; ///< In the order of the keys.
    std::size_t missing = 0;
};

/// Acts on several keys, of which some are under way.
struct ActFlow::Acting
{
    ActKind kind = ActKind::Delete;
    std::size_t missing = 0;
    std::vector<ActedOn> acted;
    std::vector<Change> changes; ///< Those that can be undone.
};

namespace {

ActKind undoing(ActKind kind)
{
    return kind == ActKind::Delete ? ActKind::PutBack : ActKind::SetEndBack;
}

bool canBeUndone(ActKind kind, const KeySnapshot &before)
{
    return kind == ActKind::SetEnd || (kind == ActKind::Delete && before.isKept());
}

Banner::Tone toneOf(const std::vector<ActedOn> &acted)
{
    if (std::ranges::any_of(acted, [](const ActedOn &one) { return !one.outcome; }))
        return Banner::Tone::Critical;
    const bool isAsWanted = std::ranges::all_of(
        acted, [](const ActedOn &one) { return one.outcome == ActOutcome::Done || one.outcome == ActOutcome::Gone; });
    return isAsWanted ? Banner::Tone::Info : Banner::Tone::Warning;
}

} // namespace

ActFlow::ActFlow(theme::Appearance &appearance, const base::Clock &clock, QWidget &window)
    : QObject(&window)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_window(window)
{
    m_undoEnds.setSingleShot(true);
    connect(&m_undoEnds, &QTimer::timeout, this, &ActFlow::undoEnded);
}

void ActFlow::setServer(InspectedServer *server)
{
    if (m_server) // It may live on: others look at it too.
        m_server->disconnect(this);
    m_server = server;
    forget();
    m_undoEnds.stop();
    if (server != nullptr)
        connect(server, &InspectedServer::armedChanged, this, &ActFlow::armedChanged);
}

void ActFlow::armedChanged(bool isArmed)
{
    if (!isArmed) {
        m_undoEnds.stop();
        Q_EMIT undoEnded();
    } else if (const auto waiting = std::exchange(m_waiting, std::nullopt)) {
        look(waiting->kind, waiting->keys);
    }
}

void ActFlow::ask(ActKind kind, const std::vector<base::Key> &keys)
{
    if (!m_server || keys.empty())
        return;
    if (m_server->isArmed()) {
        look(kind, keys);
    } else {
        m_waiting = Waiting {kind, keys};
        Q_EMIT armingWanted();
    }
}

void ActFlow::look(ActKind kind, const std::vector<base::Key> &keys)
{
    auto looking = std::make_shared<Looking>();
    looking->kind = kind;
    looking->keys = keys;
    looking->found.resize(keys.size());
    looking->missing = keys.size();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        m_server->takeSnapshot(keys[i], [alive = QPointer<ActFlow>(this), server = m_server, looking,
                                         i](const base::Result<KeySnapshot> &snapshot) {
            looking->found[i] = snapshot;
            if (--looking->missing == 0 && alive && server && server == alive->m_server)
                alive->looked(*looking);
        });
    }
}

void ActFlow::looked(const Looking &looking)
{
    Snapshots snapshots;
    std::vector<ActedOn> withoutQuestion;
    bool hasFailed = false;
    for (std::size_t i = 0; i < looking.keys.size(); ++i) {
        const base::Result<KeySnapshot> &found = *looking.found[i];
        if (found && found->exists()) {
            snapshots.push_back(*found);
            continue;
        }
        hasFailed = hasFailed || !found;
        withoutQuestion.push_back({looking.keys[i], found.map([](const KeySnapshot &) { return ActOutcome::Gone; })});
    }
    // Nobody is asked about a part of what was chosen; what has gone meanwhile is none.
    if (snapshots.empty() || hasFailed)
        Q_EMIT reported({toneOf(withoutQuestion), actedText(looking.kind, withoutQuestion), {}});
    else
        showQuestion(looking.kind, std::move(snapshots));
}

void ActFlow::showQuestion(ActKind kind, Snapshots snapshots)
{
    const QString server = m_server->endpoint().display();
    QDialog *question = nullptr;
    if (kind == ActKind::Delete) {
        auto *dialog = new DeleteDialog(m_appearance, m_clock, std::move(snapshots), server, &m_window);
        connect(dialog, &QDialog::accepted, this, [this, dialog] { remove(*dialog); });
        question = dialog;
    } else {
        auto *dialog = new EndDialog(m_appearance, m_clock, std::move(snapshots), server, &m_window);
        connect(dialog, &QDialog::accepted, this, [this, dialog] { setEnds(*dialog); });
        question = dialog;
    }
    question->setAttribute(Qt::WA_DeleteOnClose);
    connect(question, &QDialog::finished, this, &ActFlow::answered);
    question->open();
}

void ActFlow::remove(const DeleteDialog &dialog)
{
    if (!m_server)
        return;
    auto acting = std::make_shared<Acting>();
    acting->missing = dialog.snapshots().size();
    for (const KeySnapshot &snapshot : dialog.snapshots())
        m_server->deleteIfUnchanged(snapshot, collect(acting, snapshot));
}

void ActFlow::setEnds(const EndDialog &dialog)
{
    const auto end = dialog.newEnd();
    if (!m_server || !end)
        return;
    auto acting = std::make_shared<Acting>();
    acting->kind = ActKind::SetEnd;
    acting->missing = dialog.snapshots().size();
    for (const KeySnapshot &snapshot : dialog.snapshots())
        m_server->expireIfUnchanged(snapshot, *end, collect(acting, snapshot));
}

void ActFlow::undo(ActKind kind, const std::vector<Change> &changes)
{
    if (!m_server)
        return;
    auto acting = std::make_shared<Acting>();
    acting->kind = kind;
    acting->missing = changes.size();
    for (const Change &change : changes)
        m_server->undo(change.before, change.after, collect(acting, change.before));
}

inspection::Acts::Done ActFlow::collect(const std::shared_ptr<Acting> &acting, const KeySnapshot &before)
{
    return [alive = QPointer<ActFlow>(this), server = m_server, acting, before](const base::Result<Acted> &acted) {
        acting->acted.push_back({before.key, acted.map([](const Acted &done) { return done.outcome; })});
        if (acted && acted->outcome == ActOutcome::Done && canBeUndone(acting->kind, before))
            acting->changes.push_back({before, acted->after});
        if (--acting->missing == 0 && alive && server && server == alive->m_server)
            alive->report(*acting);
    };
}

void ActFlow::report(const Acting &acting)
{
    m_undoEnds.stop();
    ActReport said {toneOf(acting.acted), actedText(acting.kind, acting.acted), {}};
    if (!acting.changes.empty() && m_server->isArmed()) {
        said.undo = [alive = QPointer<ActFlow>(this), server = m_server, kind = undoing(acting.kind),
                     changes = acting.changes] {
            if (alive && server && server == alive->m_server)
                alive->undo(kind, changes);
        };
        limitUndo(acting.changes);
    }
    Q_EMIT reported(said);
}

/// Until the last of the ends that they had has passed.
void ActFlow::limitUndo(const std::vector<Change> &changes)
{
    const auto last = std::ranges::max(changes, {}, [](const Change &change) { return change.before.deadline.at(); });
    const auto left = last.before.deadline.remaining(m_clock.now());
    constexpr auto longest = 24h * 20; // As many milliseconds as a timer takes.
    if (left && *left < longest)
        m_undoEnds.start(std::chrono::ceil<std::chrono::milliseconds>(std::max(*left, std::chrono::nanoseconds(0))));
}

} // namespace latchkey::ui::inspector
