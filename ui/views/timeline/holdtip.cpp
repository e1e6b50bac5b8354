#include "ui/views/timeline/holdtip.h"

#include "core/foundation/base/bytes.h"
#include "core/inspect/history/historytexts.h"

#include <QCoreApplication>
#include <QStringList>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using history::Hold;

namespace {

/// The translation context of the texts, which is that of the view.
struct HoldText
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::timeline::TimelineView)
};

} // namespace

QString holdTip(const Hold &hold, const base::Clock &clock)
{
    QStringList lines {base::printable(hold.key, 200)};
    lines += hold.holder ? HoldText::tr("Holder: %1").arg(base::printable(*hold.holder, 200))
                         : HoldText::tr("Holder: unknown");
    const MonotonicTime now = clock.now();
    const base::WallTime wallNow = clock.wallNow();
    lines += HoldText::tr("%1 %2", "acquired, and when")
                 .arg(history::startText(hold.start), history::momentText(hold.from, now, wallNow));
    lines += hold.isOver() ? HoldText::tr("Held for %1, until %2")
                                 .arg(history::heldText(hold, now), history::momentText(*hold.until, now, wallNow))
                           : HoldText::tr("Held for %1 so far").arg(history::heldText(hold, now));
    if (hold.extensionCount > 0)
        lines += hold.extensionCount == 1
                   ? HoldText::tr("Extended once")
                   : HoldText::tr("Extended %n times", nullptr, static_cast<int>(hold.extensionCount));
    for (const history::OwnChange &change : hold.ownChanges)
        lines += history::ownChangeText(change, now, wallNow);
    if (hold.isOver())
        lines += history::endSentence(hold);
    if (hold.overlaps)
        lines += HoldText::tr("Another client held it at the same time.");
    return lines.join(u'\n');
}

} // namespace latchkey::ui::timeline
