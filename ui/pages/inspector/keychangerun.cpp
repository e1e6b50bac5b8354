#include "ui/pages/inspector/keychangerun.h"

#include <QPointer>

namespace latchkey::ui::inspector {

using base::ErrorKind;
using watching::ChangeOutcome;
using watching::ChangeResult;
using namespace std::chrono_literals;

namespace {

/// Duration below which a run seems instantaneous and reports no progress.
constexpr auto noticeable = 500ms;

/// Returns whether the error would occur for every further key too.
bool isAboutAll(ErrorKind kind)
{
    return base::leavesOutcomeUnknown(kind) || kind == ErrorKind::Unreachable || kind == ErrorKind::Usage;
}

} // namespace

KeyChangeRun::KeyChangeRun(KeyChangeKind kind, std::vector<Step> steps, QObject *parent)
    : QObject(parent)
    , m_kind(kind)
    , m_steps(std::move(steps))
{
    connect(&m_progress, &QTimer::timeout, this,
            [this] { Q_EMIT progressed(static_cast<int>(m_results.size()), static_cast<int>(m_steps.size())); });
}

void KeyChangeRun::start()
{
    if (m_steps.size() > 1)
        m_progress.start(noticeable);
    next();
}

void KeyChangeRun::cancel()
{
    m_isCancelled = true;
    m_progress.stop();
}

void KeyChangeRun::next()
{
    if (m_isCancelled || m_results.size() == m_steps.size())
        return finish();
    m_steps[m_results.size()].start([alive = QPointer<KeyChangeRun>(this)](const base::Result<ChangeResult> &result) {
        if (alive)
            alive->ended(result);
    });
}

void KeyChangeRun::ended(const base::Result<ChangeResult> &result)
{
    const watching::KeySnapshot &before = m_steps[m_results.size()].before;
    m_results.push_back({before.key, result.map([](const ChangeResult &done) { return done.outcome; })});
    if (result && result->outcome == ChangeOutcome::Done)
        m_changes.push_back({before, result->after});
    if (!result && isAboutAll(result.error().kind))
        abort(result.error());
    next();
}

void KeyChangeRun::abort(const base::Error &error)
{
    while (m_results.size() < m_steps.size())
        m_results.push_back({m_steps[m_results.size()].before.key, base::failure(error)});
}

void KeyChangeRun::finish()
{
    m_progress.stop();
    Q_EMIT finished();
}

} // namespace latchkey::ui::inspector
