#include "app/cli/lsorder.h"

#include "app/help/commandline.h"

#include <QJsonArray>

#include <algorithm>
#include <array>
#include <compare>
#include <tuple>

namespace latchkey::cli {

using help::CommandLine;

namespace {

struct SortColumn
{
    const char *name;
    const char *member; ///< Null: the order by key.
};

constexpr std::array sortColumns {
    SortColumn {"key", nullptr},       SortColumn {"type", "type"},         SortColumn {"time", "pttl_ms"},
    SortColumn {"kind", "kind"},       SortColumn {"count", "count"},       SortColumn {"waiting", "waiters"},
    SortColumn {"fencing", "fencing"}, SortColumn {"findings", "findings"}, SortColumn {"holder", "holder"},
    SortColumn {"votes", "votes"},
};

/// The value of a row in a column: absent, a number, or a text.
struct SortValue
{
    bool isAbsent = true;
    qint64 number = 0;
    QString text;

    friend auto operator<=>(const SortValue &a, const SortValue &b)
    {
        return std::tie(a.isAbsent, a.number, a.text) <=> std::tie(b.isAbsent, b.number, b.text);
    }
};

SortValue sortValueOf(const QJsonObject &row, const char *member)
{
    const QJsonValue value = row[QLatin1String(member)];
    // A missing expiry is the latest one.
    if (value.isDouble())
        return {value.toInteger() < 0, value.toInteger(), {}};
    if (value.isArray())
        return {false, value.toArray().size(), {}};
    if (const QJsonValue votes = value[QLatin1String("votes")]; votes.isDouble())
        return {false, votes.toInteger(), {}};
    if (value.isObject())
        return {false, 0, value[QLatin1String("id")].toString()};
    return {!value.isString(), 0, value.toString()};
}

} // namespace

base::Result<std::optional<LsOrder>> LsOrder::from(const Arguments &arguments)
{
    if (!arguments.isSet("sort") && arguments.isSet("reverse"))
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--reverse: of an order, so with --sort"));
    if (!arguments.isSet("sort"))
        return std::nullopt;
    const QString text = arguments.text("sort");
    const auto *const found = std::ranges::find_if(
        sortColumns, [&text](const SortColumn &column) { return text == QLatin1String(column.name); });
    if (found == sortColumns.end())
        return base::failure(base::ErrorKind::Usage,
                             CommandLine::tr("--sort: unknown column \"%1\"; there are key, type, time, kind, count, "
                                             "waiting, fencing, findings, holder and votes")
                                 .arg(text));
    LsOrder order;
    order.m_member = found->member;
    order.m_isDownwards = arguments.isSet("reverse");
    return std::optional(order);
}

QList<QCommandLineOption> LsOrder::options()
{
    return {
        makeOption("sort", "key|type|time|kind|count|waiting|fencing|findings|holder|votes",
                   CommandLine::tr(
                       "all keys sorted by this column, which takes memory for all of them; without a value last")),
        makeOption("reverse", "", CommandLine::tr("with --sort: the greatest first")),
    };
}

void LsOrder::sort(std::vector<LsLine> &lines) const
{
    if (m_isDownwards)
        std::ranges::reverse(lines); // Reversed, so that equal lines, which keep their order, are in descending order
                                     // too.
    if (m_member == nullptr)
        return;
    std::vector<std::pair<SortValue, std::size_t>> places;
    places.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        places.emplace_back(sortValueOf(lines[i].json, m_member), i);
    std::ranges::stable_sort(
        places, [this](const auto &a, const auto &b) { return m_isDownwards ? b.first < a.first : a.first < b.first; });
    std::vector<LsLine> sorted;
    sorted.reserve(lines.size());
    for (const auto &[value, place] : places)
        sorted.push_back(std::move(lines[place]));
    lines = std::move(sorted);
}

} // namespace latchkey::cli
