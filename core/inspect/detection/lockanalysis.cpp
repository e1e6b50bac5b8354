#include "core/inspect/detection/lockanalysis.h"

#include <algorithm>

namespace latchkey::detection {

using keys::KeyAnalysis;
using recognition::Recognition;

KeyAnalysis analysisFrom(const Recognition &recognition, const recognition::Dialects &dialects)
{
    KeyAnalysis analysis;
    if (!recognition.isLock())
        return analysis;
    analysis.kind = recognition.best().dialect;
    const recognition::Dialect *dialect = dialects.find(analysis.kind);
    analysis.title = dialect != nullptr ? dialect->title : analysis.kind;
    analysis.isCertain = recognition.best().confidence >= recognition::Confidence::High;
    if (!recognition.decoded.holders.empty())
        analysis.holder = recognition.decoded.holders.front().bytes;
    analysis.isHolderRecorded = recognition.decoded.isHolderRecorded;
    analysis.count = recognition.decoded.holdCount();
    return analysis;
}

void addFindings(const std::vector<findings::Finding> &found, KeyAnalysis &analysis)
{
    for (const findings::Finding &finding : found) {
        if (finding.severity == findings::Severity::Info)
            continue;
        ++analysis.findings;
        analysis.severity = std::max(analysis.severity, static_cast<int>(finding.severity));
    }
}

void addClient(const std::vector<HolderClients::HolderClient> &matched, KeyAnalysis &analysis)
{
    const auto found = std::ranges::find_if(matched, [&analysis](const HolderClients::HolderClient &client) {
        return client.holder == analysis.holder || client.holder.isEmpty();
    });
    if (found == matched.end())
        return;
    const std::vector<ConnectedClient> &clients = found->match.clients;
    analysis.clientName = clients.front().name;
    const QByteArray &address = clients.front().address;
    if (clients.size() == 1 && !address.startsWith('/') && !address.startsWith("unix:"))
        analysis.clientAddress = address;
}

} // namespace latchkey::detection
