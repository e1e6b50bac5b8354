#include "core/inspect/detection/lockfacts.h"

#include <algorithm>

namespace latchkey::detection {

using keys::KeyAnalysis;
using recognition::Recognition;

KeyAnalysis factsFrom(const Recognition &recognition, const recognition::Dialects &dialects)
{
    KeyAnalysis facts;
    if (!recognition.isLock())
        return facts;
    facts.kind = recognition.best().dialect;
    const recognition::Dialect *dialect = dialects.find(facts.kind);
    facts.title = dialect != nullptr ? dialect->title : facts.kind;
    facts.isCertain = recognition.best().confidence >= recognition::Confidence::High;
    if (!recognition.decoded.holders.empty())
        facts.holder = recognition.decoded.holders.front().bytes;
    facts.isHolderRecorded = recognition.decoded.isHolderRecorded;
    facts.count = recognition.decoded.holdCount();
    return facts;
}

void addFindings(const std::vector<findings::Finding> &found, KeyAnalysis &facts)
{
    for (const findings::Finding &finding : found) {
        if (finding.severity == findings::Severity::Info)
            continue;
        ++facts.findings;
        facts.severity = std::max(facts.severity, static_cast<int>(finding.severity));
    }
}

void addClient(const std::vector<HolderClients::HolderClient> &joined, KeyAnalysis &facts)
{
    const auto found = std::ranges::find_if(joined, [&facts](const HolderClients::HolderClient &client) {
        return client.holder == facts.holder || client.holder.isEmpty();
    });
    if (found == joined.end())
        return;
    const std::vector<Client> &clients = found->join.clients;
    facts.clientName = clients.front().name;
    const QByteArray &address = clients.front().address;
    if (clients.size() == 1 && !address.startsWith('/') && !address.startsWith("unix:"))
        facts.clientAddress = address;
}

} // namespace latchkey::detection
