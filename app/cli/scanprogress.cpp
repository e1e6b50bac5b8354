#include "app/cli/scanprogress.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"

#include <QLocale>

#include <cstdio>

#include <unistd.h>

namespace latchkey::cli {

using help::CommandLine;
using namespace std::chrono_literals;

namespace {

constexpr auto timeBefore = 2s;

} // namespace

ScanProgress::ScanProgress(std::function<Counts()> counts)
    : m_counts(std::move(counts))
    , m_began(base::SystemClock::instance().now())
{
    QObject::connect(&m_secondTimer, &QTimer::timeout, &m_secondTimer, [this] { print(); });
}

ScanProgress::~ScanProgress()
{
    erase();
}

void ScanProgress::show()
{
    if (isatty(STDERR_FILENO) != 0 && !isQuiet())
        m_secondTimer.start(1s);
}

void ScanProgress::erase()
{
    m_secondTimer.stop();
    if (std::exchange(m_isShown, false))
        std::fputs("\r\x1b[K", stderr);
}

QString ScanProgress::text(const Counts &counts, std::chrono::duration<double> passed)
{
    if (counts.scanned <= 0)
        return {};
    const QLocale locale;
    const QString scanned = locale.toString(counts.scanned);
    if (counts.all <= counts.scanned)
        return CommandLine::tr("ls: %1 keys so far").arg(scanned);
    const double part = static_cast<double>(counts.all - counts.scanned) / static_cast<double>(counts.scanned);
    const auto left = std::chrono::ceil<std::chrono::seconds>(passed * part);
    return CommandLine::tr("ls: %1 of %2 keys, %3 left")
        .arg(scanned, locale.toString(counts.all), base::displayDuration(left));
}

void ScanProgress::print()
{
    const auto passed = base::SystemClock::instance().now() - m_began;
    const QString line = text(m_counts(), passed);
    if (passed < timeBefore || line.isEmpty())
        return;
    m_isShown = true;
    std::fputs(("\r\x1b[K" + line.toUtf8()).constData(), stderr);
}

} // namespace latchkey::cli
