#include "app/cli/grouplisting.h"

#include "app/cli/groupedlocks.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"

#include <algorithm>
#include <cstdio>

namespace latchkey::cli {

GroupListing::GroupListing(const std::vector<Server> &servers, LsPrinter &printer)
    : m_order(servers.front().options.order)
    , m_onlyLocks(servers.front().options.onlyLocks)
    , m_timeout(servers.front().options.timeout)
    , m_printer(printer)
    , m_progress([this] { return progress(); })
{
    for (const Server &server : servers) {
        Listing::Options options = server.options;
        options.server = server.endpoint.display();
        m_endpoints.push_back(server.endpoint);
        m_listings.push_back(std::make_unique<Listing>(std::move(options), printer));
    }
}

ExitCode GroupListing::list()
{
    for (std::size_t i = 0; i < m_listings.size(); ++i) {
        m_listings[i]->start(m_endpoints[i]);
        connect(&m_listings[i]->session(), &net::Session::stateChanged, this, &GroupListing::findDependent);
    }
    gather();
    const ServerIdentity identity = compareUndescribed();
    if (m_dependent || identity.dependence)
        return printError((m_dependent ? *m_dependent : *identity.dependence).during(QStringLiteral("ls")));
    m_printer.begin(true);
    if (m_onlyLocks)
        listLocks();
    else
        listKeys();
    m_printer.end(); // Flushed before the missing parts are printed to standard error.
    ExitCode exitCode = ExitCode::Yes;
    for (const auto &listing : m_listings)
        exitCode = std::max(exitCode, listing->printMissingParts());
    return identity.unknown ? printError(identity.unknown->during(QStringLiteral("ls"))) : exitCode;
}

/// Compares the servers that were read and do not describe themselves.
ServerIdentity GroupListing::compareUndescribed() const
{
    std::vector<voting::DescribedServer> servers;
    for (std::size_t i = 0; i < m_listings.size(); ++i) {
        if (!m_listings[i]->failure())
            servers.push_back({m_endpoints[i], m_listings[i]->session().server()});
    }
    return m_dependent ? ServerIdentity() : ServerIdentity::compare(servers, m_timeout);
}

/// Compares the servers as soon as they describe themselves, so that dependent ones are not scanned to the end.
void GroupListing::findDependent()
{
    std::vector<voting::DescribedServer> servers;
    for (std::size_t i = 0; i < m_listings.size(); ++i)
        servers.push_back({m_endpoints[i], m_listings[i]->session().server()});
    m_dependent = voting::whyDependent(servers);
    if (m_dependent)
        Listing::endLoop();
}

/// Returns the sum of the counts of the servers. The total number of keys is unknown until each server has reported its
/// number.
ScanProgress::Counts GroupListing::progress() const
{
    ScanProgress::Counts sum;
    bool isKnown = true;
    for (const auto &listing : m_listings) {
        const ScanProgress::Counts counts = listing->progress();
        sum.scanned += counts.scanned;
        sum.all += counts.all;
        isKnown = isKnown && (counts.all > 0 || !listing->isGathering());
    }
    return isKnown ? sum : ScanProgress::Counts {sum.scanned, 0};
}

void GroupListing::gather()
{
    m_progress.show();
    while (!m_dependent && std::ranges::any_of(m_listings, &Listing::isGathering))
        QCoreApplication::exec();
    m_progress.erase();
}

void GroupListing::forEachPart(const std::function<void(std::size_t)> &take)
{
    std::vector<bool> isDone(m_listings.size());
    while (!isOutputLost() && std::ranges::find(isDone, false) != isDone.end()) {
        gather();
        for (std::size_t i = 0; i < m_listings.size(); ++i) {
            if (isDone[i])
                continue;
            if (m_listings[i]->hasPart())
                take(i);
            isDone[i] = !m_listings[i]->hasPart() || m_listings[i]->isWhole();
            if (!isDone[i])
                m_listings[i]->resume();
        }
    }
}

void GroupListing::listKeys()
{
    std::vector<LsLine> sorted;
    forEachPart([&](std::size_t server) {
        m_printer.setServer(m_endpoints[server].display());
        m_listings[server]->printPart();
        for (LsLine &line : m_listings[server]->takeLines()) {
            line.server = m_endpoints[server].display();
            sorted.push_back(std::move(line));
        }
        std::fflush(stdout);
    });
    if (!m_order)
        return;
    std::ranges::stable_sort(sorted, {},
                             [](const LsLine &line) { return line.json[QStringLiteral("key")].toString(); });
    m_order->sort(sorted);
    for (const LsLine &line : sorted) {
        m_printer.setServer(line.server);
        m_printer.print(line);
        if (isOutputLost())
            break;
    }
}

void GroupListing::listLocks()
{
    std::vector<GroupedLocks::Server> servers;
    for (std::size_t i = 0; i < m_listings.size(); ++i)
        servers.push_back({m_endpoints[i].display(), m_listings[i].get()});
    GroupedLocks locks(std::move(servers));
    forEachPart([&](std::size_t server) { locks.add(server, m_listings[server]->readLocks()); });
    locks.readAgain();
    std::vector<LsLine> lines = locks.lines(recognition::Recogniser(userDialects()).dialects());
    if (m_order)
        m_order->sort(lines);
    m_printer.printVotes(lines);
}

} // namespace latchkey::cli
