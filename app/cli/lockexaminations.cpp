#include "app/cli/lockexaminations.h"

#include "core/foundation/base/bytes.h"
#include "core/redis/exchange/loopdriver.h"

#include <algorithm>

namespace latchkey::cli {

using detection::KeyExamination;
using namespace std::chrono_literals;

namespace {

/// Number of examinations at a time. Each has at most a few commands in the pipeline.
constexpr std::size_t maxConcurrent = 64;

} // namespace

LockExaminations::LockExaminations(const recognition::Recogniser &recogniser, exchange::LoopDriver &driver,
                                   std::function<bool()> mayBegin, QObject *parent)
    : QObject(parent)
    , m_recogniser(recogniser)
    , m_driver(driver)
    , m_mayBegin(std::move(mayBegin))
{
    m_retryTimer.setSingleShot(true);
    m_retryTimer.setInterval(20ms);
    connect(&m_retryTimer, &QTimer::timeout, this, &LockExaminations::beginMore);
}

LockExaminations::~LockExaminations() = default;

void LockExaminations::begin(std::vector<KeyExamination> examinations)
{
    m_results.clear();
    m_waiting.assign(std::make_move_iterator(examinations.begin()), std::make_move_iterator(examinations.end()));
    QMetaObject::invokeMethod(this, &LockExaminations::beginMore, Qt::QueuedConnection);
}

KeyExamination *LockExaminations::examinationOf(const QByteArray &key)
{
    const auto found = m_results.find(key);
    return found == m_results.end() ? nullptr : &*found;
}

events::Coverage LockExaminations::addedTo(const events::Coverage &coverage) const
{
    if (m_refusedCount == 0)
        return coverage;
    const QString first = base::printable(m_firstRefused, 100);
    const base::Text refused =
        m_refusedCount == 1
            ? base::Text(QT_TRANSLATE_NOOP("core", "the key \"%1\" beside a lock"), first)
            : base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" and other keys beside %2 locks"), first, m_refusedCount);
    events::Coverage::Parts parts = coverage.parts();
    parts.denied.push_back({events::KeyRequest::Value, {base::ErrorKind::PermissionDenied, refused}, true});
    return events::Coverage(std::move(parts));
}

void LockExaminations::beginMore()
{
    // The first examination runs alone, because the others use its facts about the server.
    const std::size_t maximum = m_isFirstDone && !m_mayBegin ? maxConcurrent : 1;
    while (!m_waiting.empty() && m_running < maximum) {
        if (m_mayBegin && !m_mayBegin())
            return m_retryTimer.start();
        KeyExamination examination = std::move(m_waiting.front());
        m_waiting.pop_front();
        ++m_running;
        if (!examination.serverContext.scripts)
            examination.serverContext = m_known;
        const QByteArray key = examination.sample.key;
        m_driver.run<KeyExamination>(
            detection::examineFurther(std::move(examination), m_recogniser),
            [this, key](base::Result<KeyExamination> result) { take(key, std::move(result)); });
    }
    if (m_waiting.empty() && m_running == 0)
        Q_EMIT finished();
}

void LockExaminations::noteRefusals(const KeyExamination &examination)
{
    const auto refused = std::ranges::find(examination.refused, recognition::ReadRequest::Kind::Companion,
                                           &recognition::ReadRequest::kind);
    if (refused == examination.refused.end())
        return;
    if (m_refusedCount++ == 0)
        m_firstRefused = refused->subject;
}

void LockExaminations::take(const QByteArray &key, base::Result<KeyExamination> result)
{
    --m_running;
    m_isFirstDone = true;
    if (result) {
        if (!m_known.scripts)
            m_known.scripts = result->serverContext.scripts;
        noteRefusals(*result);
        m_results.insert(key, std::move(*result));
    } else if (result.error().kind != base::ErrorKind::PermissionDenied) {
        m_error = result.error();
        if (base::leavesOutcomeUnknown(m_error->kind) || m_error->kind == base::ErrorKind::Unreachable)
            m_waiting.clear();
    }
    beginMore();
}

} // namespace latchkey::cli
