// The protected resource and the last result on the Playground page. The rest is in playgroundpage.cpp.

#include "ui/kit/widgets/bidi.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/playground/stablelabel.h"

#include <QLabel>

namespace latchkey::ui::playground {

using latchkey::playground::ClientProcess;
using latchkey::playground::ClientReport;

/// Shows the clients that believe that they hold a lock.
void PlaygroundPage::showResource()
{
    if (!isVisible())
        return;
    BelievedHolders inside;
    for (const sequence::Belief &belief : m_recorder.sequence().beliefs()) {
        if (!belief.until)
            inside[belief.key].push_back({belief.who, mistakeOf(belief)});
    }
    m_resourceView->showHolders(inside);
}

/// Returns whether a belief is wrong: the lease is over, or the only server does not have the key. The latter counts
/// only if the last read is newer than the belief.
BelievedHolder::Mistake PlaygroundPage::mistakeOf(const sequence::Belief &belief) const
{
    const base::MonotonicTime now = m_clock.now();
    if (belief.end() <= now)
        return BelievedHolder::Mistake::LeaseOver;
    if (!m_server || areServersPolled() || now - belief.from < maxReadAge
        || inspection::unseenInterval(m_server->watcher()))
        return BelievedHolder::Mistake::None;
    return m_server->store().known().table.find(belief.key.bytes()) ? BelievedHolder::Mistake::None
                                                                    : BelievedHolder::Mistake::KeyGone;
}

void PlaygroundPage::showWrite(const ClientProcess &client, const ClientReport &report)
{
    if (report.event != ClientReport::Event::Done || report.operationResult.outcome != u"writes")
        return;
    m_recorder.noteWrite(client.name(), m_resource.write(client.name(), report.fencing));
    m_resourceView->showWrites(m_resource);
}

void PlaygroundPage::showLast(const ClientProcess &client, const ClientReport &report)
{
    const QString recipe = client.attempt() ? client.attempt()->recipe : QString();
    if (const QString text = reportText(report, recipe); !text.isEmpty())
        m_sentence->setText(tr("%1: %2").arg(widgets::isolated(client.name()), text));
}

} // namespace latchkey::ui::playground
