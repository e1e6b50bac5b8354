#include "app/cli/lsvotes.h"

#include "app/cli/lscolumns.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"
#include "core/inspect/exports/exportrows.h"

#include <QJsonArray>

#include <algorithm>
#include <array>
#include <numeric>

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// The cells of a row: votes, time left, kind, holder, other servers, key.
using VoteCells = std::array<QString, 6>;
using Widths = std::array<qsizetype, 6>;

constexpr std::size_t votesColumn = 0;
constexpr std::size_t voteTimeColumn = 1;
constexpr std::size_t voteKindColumn = 2;
constexpr std::size_t voteHolderColumn = 3;
constexpr std::size_t serversColumn = 4;
/// Least width of a column that is cut.
constexpr qsizetype minVoteWidth = 8;

/// Returns the addresses of the servers with this vote.
QStringList serversOf(const QJsonObject &row, QLatin1String vote)
{
    QStringList servers;
    for (const QJsonValue &server : row[QStringLiteral("servers")].toArray()) {
        if (server[QStringLiteral("vote")].toString() == vote)
            servers += server[QStringLiteral("server")].toString();
    }
    return servers;
}

QString votesCell(const QJsonValue &counts)
{
    const QString votes = CommandLine::tr("%1 of %2")
                              .arg(counts[QLatin1String("votes")].toInt())
                              .arg(counts[QLatin1String("servers")].toInt());
    const QJsonValue majority = counts[QLatin1String("majority")];
    if (majority.toBool())
        return votes;
    return majority.isNull() ? CommandLine::tr("%1, majority not known").arg(votes)
                             : CommandLine::tr("%1, no majority").arg(votes);
}

QString timeCell(const QJsonValue &left)
{
    if (left.isNull())
        return QStringLiteral("-");
    return left.toInteger() < 0 ? CommandLine::tr("no expiry")
                                : base::displayDuration(std::chrono::milliseconds(left.toInteger()));
}

/// Returns the bytes of a member as a text; a dash without the member.
QString bytesCell(const QJsonObject &row, const QString &member)
{
    const QJsonValue base64 = row[member + QStringLiteral("_base64")];
    if (row[member].isNull())
        return QStringLiteral("-");
    return base::printable(base64.isString() ? QByteArray::fromBase64(base64.toString().toLatin1())
                                             : row[member].toString().toUtf8());
}

/// Returns a part for each holder that servers name, with these servers: without a majority, no holder is the one from
/// which others differ.
QStringList holderParts(const QJsonObject &row)
{
    constexpr int holderLength = 12;
    QStringList holders;
    std::vector<QStringList> serversOfHolder;
    for (const QJsonValue &server : row[QStringLiteral("servers")].toArray()) {
        const QString vote = server[QStringLiteral("vote")].toString();
        if (vote != u"holds" && vote != u"other-holder")
            continue;
        const QString holder = server[QStringLiteral("holder")].isNull()
                                 ? CommandLine::tr("holder not recorded")
                                 : bytesCell(server.toObject(), QStringLiteral("holder"));
        const qsizetype known = holders.indexOf(holder);
        if (known < 0) {
            holders += holder;
            serversOfHolder.emplace_back();
        }
        serversOfHolder[static_cast<std::size_t>(known < 0 ? holders.size() - 1 : known)] +=
            server[QStringLiteral("server")].toString();
    }
    QStringList shown;
    for (const QString &holder : holders)
        shown += cutTo(holder, holderLength);
    if (shown.removeDuplicates() > 0)
        shown = holders; // Cut, they would look equal.
    QStringList parts;
    for (std::size_t i = 0; i < serversOfHolder.size(); ++i)
        parts += CommandLine::tr("%1: %2", "holder and servers")
                     .arg(shown[static_cast<qsizetype>(i)], serversOfHolder[i].join(QStringLiteral(", ")));
    return parts;
}

QString serversCell(const QJsonObject &row)
{
    const bool hasMajority = row[QStringLiteral("votes")][QStringLiteral("majority")].toBool();
    QStringList parts = hasMajority ? QStringList() : holderParts(row);
    const auto add = [&](QLatin1String vote, const QString &text) {
        if (const QStringList servers = serversOf(row, vote); !servers.isEmpty())
            parts += text.arg(servers.join(QStringLiteral(", ")));
    };
    if (hasMajority)
        add(QLatin1String("other-holder"), CommandLine::tr("other holder: %1"));
    add(QLatin1String("no-key"), CommandLine::tr("no key: %1"));
    add(QLatin1String("unknown"), CommandLine::tr("not known: %1"));
    return parts.isEmpty() ? QStringLiteral("-") : parts.join(QStringLiteral("; "));
}

VoteCells cellsOf(const QJsonObject &row)
{
    const QJsonValue kind = row[QStringLiteral("kind")];
    return {votesCell(row[QStringLiteral("votes")]),
            timeCell(row[QStringLiteral("pttl_ms")]),
            kind.isObject() ? kind[QLatin1String("id")].toString() : QStringLiteral("-"),
            bytesCell(row, QStringLiteral("holder")),
            serversCell(row),
            bytesCell(row, QStringLiteral("key"))};
}

/// Returns the widths for lines of at most this width, as far as that is possible.
Widths fitted(Widths widths, qsizetype lineWidth)
{
    qsizetype excess = std::accumulate(widths.begin(), widths.end(), 2 * qsizetype(widths.size() - 1)) - lineWidth;
    for (const std::size_t column : {serversColumn, voteHolderColumn, voteKindColumn}) {
        const qsizetype cut = std::clamp<qsizetype>(excess, 0, std::max<qsizetype>(widths[column] - minVoteWidth, 0));
        widths[column] -= cut;
        excess -= cut;
    }
    return widths;
}

void print(const VoteCells &cells, const Widths &widths, const std::array<Colour, 6> &colours)
{
    QString line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool isLast = i + 1 == cells.size();
        const QString cell = isLast ? cells[i] : cutTo(cells[i], widths[i]);
        const QString space(widths[i] - help::columnsOf(cell), u' ');
        line += coloured(isLast ? cell : i == voteTimeColumn ? space + cell : cell + space, colours[i]);
        if (!isLast)
            line += QLatin1String("  ");
    }
    printBytes(line.toUtf8() + '\n');
}

} // namespace

QStringList voteColumns()
{
    QStringList columns = exports::keyColumns();
    for (const char *column :
         {"votes", "servers", "quorum", "majority", "valid_ms", "other_holder", "no_key", "unknown"})
        columns += QString::fromLatin1(column);
    return columns;
}

QJsonObject flatVotes(const QJsonObject &row)
{
    QJsonObject flat = row;
    const QJsonObject counts = row[QStringLiteral("votes")].toObject();
    for (auto count = counts.begin(); count != counts.end(); ++count)
        flat[count.key()] = count.value();
    flat[QStringLiteral("other_holder")] = QJsonArray::fromStringList(serversOf(row, QLatin1String("other-holder")));
    flat[QStringLiteral("no_key")] = QJsonArray::fromStringList(serversOf(row, QLatin1String("no-key")));
    flat[QStringLiteral("unknown")] = QJsonArray::fromStringList(serversOf(row, QLatin1String("unknown")));
    return flat;
}

void printVotes(const std::vector<LsLine> &lines, bool hasTitles)
{
    std::vector<VoteCells> rows;
    if (hasTitles)
        rows.push_back({CommandLine::tr("VOTES"), CommandLine::tr("TIME LEFT"), CommandLine::tr("KIND"),
                        CommandLine::tr("HOLDER"), CommandLine::tr("OTHER SERVERS"), CommandLine::tr("KEY")});
    Widths widths {};
    for (const LsLine &line : lines)
        rows.push_back(cellsOf(line.json));
    for (const VoteCells &cells : rows) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], help::columnsOf(cells[i]));
    }
    if (const int lineWidth = terminalWidth(); lineWidth > 0)
        widths = fitted(widths, lineWidth);
    for (std::size_t i = 0; i < rows.size() && !isOutputLost(); ++i) {
        const bool isTitle = hasTitles && i == 0;
        std::array<Colour, 6> colours {};
        if (isTitle)
            colours.fill(Colour::Title);
        else if (!lines[i - (hasTitles ? 1 : 0)].json[QStringLiteral("votes")][QStringLiteral("majority")].toBool())
            colours[votesColumn] = Colour::Problem;
        if (!isTitle && rows[i][serversColumn] != u"-")
            colours[serversColumn] = Colour::Problem;
        print(rows[i], widths, colours);
    }
}

} // namespace latchkey::cli
