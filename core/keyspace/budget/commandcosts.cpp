#include "core/keyspace/budget/commandcosts.h"

#include <algorithm>
#include <array>
#include <optional>

namespace latchkey::budget {

namespace {

struct Default
{
    const char *name;
    double microseconds;
};

/// Estimates of commands that take longer than a look-up: about twice the time measured on Redis 7.0. The value of SCAN
/// is for a thousand keys.
constexpr std::array defaults {
    Default {"scan", 1200},  Default {"hscan", 100}, Default {"sscan", 100},       Default {"hpttl", 50},
    Default {"lrange", 50},  Default {"zrange", 50}, Default {"memory", 50},       Default {"client", 200},
    Default {"cluster", 50}, Default {"info", 100},  Default {"pubsub", 10},       Default {"config", 10},
    Default {"dump", 50},    Default {"xrange", 50}, Default {"memory|usage", 50}, Default {"client|list", 200},
};
constexpr double defaultOfLookUp = 2;
/// Part of the default below which no estimate falls. Other clients may call the same command for fewer elements.
constexpr double minPart = 0.25;
/// Number of calls that an estimate counts as, when a new average is added to it.
constexpr double weightOfEstimate = 5;

/// The server's time for reading and answering, which its statistics leave out: of one command in a pipeline, and of
/// one request. Measured on Redis 7.0.
constexpr double perCommand = 0.3;
constexpr double perRequest = 4;

double defaultOf(const QByteArray &name)
{
    const auto found = std::ranges::find_if(defaults, [&](const Default &one) { return name == one.name; });
    return found == defaults.end() ? defaultOfLookUp : found->microseconds;
}

/// Returns the number after `name=` in a line of the statistics.
std::optional<quint64> numberIn(const QByteArray &line, const char *name)
{
    const qsizetype at = line.indexOf(name);
    if (at < 0)
        return std::nullopt;
    const qsizetype from = at + static_cast<qsizetype>(qstrlen(name));
    const qsizetype end = line.indexOf(',', from);
    bool isNumber = false;
    const quint64 number = line.mid(from, end < 0 ? -1 : end - from).trimmed().toULongLong(&isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

} // namespace

CommandCost &CommandCost::operator+=(const CommandCost &other)
{
    commands += other.commands;
    microseconds += other.microseconds;
    return *this;
}

CommandCost operator-(const CommandCost &a, const CommandCost &b)
{
    return {a.commands - b.commands, a.microseconds - b.microseconds};
}

void CommandCosts::forget()
{
    m_entries.clear();
    m_areKnown = false;
}

void CommandCosts::learn(const QByteArray &commandStats)
{
    bool hasAny = false;
    for (const QByteArray &line : commandStats.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (!line.startsWith("cmdstat_") || colon < 0)
            continue;
        const auto calls = numberIn(line, "calls=");
        const auto usec = numberIn(line, "usec=");
        if (!calls || !usec)
            continue;
        hasAny = true;
        constexpr qsizetype prefix = 8;
        learn(line.mid(prefix, colon - prefix).toLower(), *calls, *usec);
    }
    if (hasAny)
        m_areKnown = true;
    else
        refuse();
}

/// Adds the average of the calls since the last answer. Calls before the first answer only raise the estimate, because
/// other clients made them.
void CommandCosts::learn(const QByteArray &name, quint64 calls, quint64 usec)
{
    const double usual = defaultOf(name);
    auto found = m_entries.find(name);
    if (found == m_entries.end()) {
        const double average = calls > 0 ? static_cast<double>(usec) / static_cast<double>(calls) : 0;
        m_entries.insert(name, {m_areKnown && calls > 0 ? average : std::max(usual, average), calls, usec});
        return;
    }
    if (calls > found->calls && usec >= found->usec) {
        const auto count = static_cast<double>(calls - found->calls);
        const double time = found->microseconds * weightOfEstimate + static_cast<double>(usec - found->usec);
        found->microseconds = std::max(usual * minPart, time / (weightOfEstimate + count));
    }
    found->calls = calls; // The number is smaller than before after CONFIG RESETSTAT.
    found->usec = usec;
}

double CommandCosts::estimate(const QByteArray &name, const QByteArray &subcommand) const
{
    const QByteArray lower = name.toLower();
    auto found = subcommand.isEmpty() ? m_entries.cend() : m_entries.constFind(lower + '|' + subcommand.toLower());
    if (found == m_entries.cend())
        found = m_entries.constFind(lower); // Before Redis 7, all subcommands share one entry.
    return perCommand + (found == m_entries.cend() ? defaultOf(lower) : found->microseconds);
}

double CommandCosts::estimate(const resp::Command &command) const
{
    return estimate(command.name(), command.words().size() > 1 ? command.words()[1] : QByteArray());
}

CommandCost CommandCosts::estimate(const resp::Commands &request) const
{
    if (request.empty())
        return {};
    CommandCost expense {static_cast<double>(request.size()), perRequest};
    QByteArray name; // Most requests repeat one command.
    double cost = 0;
    for (const resp::Command &command : request) {
        if (command.name() != name) {
            name = command.name();
            cost = estimate(command);
        }
        expense.microseconds += cost;
    }
    return expense;
}

} // namespace latchkey::budget
