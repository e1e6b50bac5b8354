#include "app/cli/fieldexpiryreader.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"

namespace latchkey::cli {

using help::CommandLine;
using watching::FieldLifetimes;

namespace {

/// Number of hashes that are read in the same round trips.
constexpr std::size_t hashesAtOnce = 100;

} // namespace

std::vector<FieldLifetimes> FieldExpiryReader::read(const std::vector<base::Key> &hashes)
{
    std::vector<FieldLifetimes> known;
    const std::size_t end = std::min(hashes.size(), maxHashes);
    for (std::size_t first = 0; first < end && !isRefused(); first += hashesAtOnce) {
        const auto begin = hashes.begin() + static_cast<std::ptrdiff_t>(first);
        const auto last = hashes.begin() + static_cast<std::ptrdiff_t>(std::min(end, first + hashesAtOnce));
        auto read = m_driver(watching::readFieldLifetimes({begin, last}, {}, m_support));
        if (!read) {
            m_error = std::move(read.error());
            break; // The remaining data can still be listed.
        }
        m_support = read->support;
        for (FieldLifetimes &hash : read->hashes) {
            if (hash.isKnown && !hash.ends.isEmpty())
                known.push_back(std::move(hash));
        }
    }
    return known;
}

std::optional<base::Error> FieldExpiryReader::whyNotKnown() const
{
    const bool isDenied = m_support.state == watching::FieldLifetimeSupport::State::Denied;
    return isDenied ? m_support.refusal : m_error;
}

void FieldExpiryReader::reportUnknown(const QString &operation, std::size_t hashes) const
{
    const QString subject = operation + QStringLiteral(": ");
    if (const auto why = whyNotKnown())
        printError(subject + CommandLine::tr("expiry of hash fields unknown: %1").arg(why->message()));
    if (hashes > maxHashes && !isRefused())
        printError(subject
                   + CommandLine::tr("of %1 hashes, only the first %2 were checked for expiring fields")
                         .arg(hashes)
                         .arg(maxHashes));
}

} // namespace latchkey::cli
