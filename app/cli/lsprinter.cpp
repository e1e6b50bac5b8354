#include "app/cli/lsprinter.h"

#include "app/cli/lsvotes.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/csv.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/files/json.h"
#include "core/foundation/files/tabletext.h"
#include "core/inspect/exports/exportrows.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using help::CommandLine;

namespace {

constexpr std::array lsFormats {std::pair {"table", LsFormat::Table}, std::pair {"json", LsFormat::Json},
                                std::pair {"jsonl", LsFormat::JsonLines}, std::pair {"csv", LsFormat::Csv}};

} // namespace

base::Result<LsPrinter::Options> LsPrinter::optionsFrom(const Arguments &arguments)
{
    Options options;
    if (arguments.isSet("output")) {
        const QString text = arguments.text("output");
        const auto *const found = std::ranges::find_if(
            lsFormats, [&text](const auto &format) { return text == QLatin1String(format.first); });
        if (found == lsFormats.end())
            return failure(
                ErrorKind::Usage,
                CommandLine::tr("--output: unknown format \"%1\"; there are table, json, jsonl and csv").arg(text));
        options.format = found->second;
    }
    if (arguments.wantsJson() && arguments.isSet("output") && options.format != LsFormat::Json)
        return failure(ErrorKind::Usage, CommandLine::tr("--json and --output exclude each other"));
    if (arguments.wantsJson())
        options.format = LsFormat::Json;
    options.hasHeaders = !arguments.isSet("no-headers");
    if (!options.hasHeaders && options.format != LsFormat::Table && options.format != LsFormat::Csv)
        return failure(ErrorKind::Usage, CommandLine::tr("--no-headers: only a table and CSV have headers"));
    options.hasDatabases = arguments.isSet("all-databases");
    if (options.hasDatabases && arguments.isSet("db"))
        return failure(ErrorKind::Usage, CommandLine::tr("--all-databases and --db exclude each other"));
    return options;
}

QList<QCommandLineOption> LsPrinter::options()
{
    return {
        makeOption("all-databases", "",
                   CommandLine::tr("the keys of all databases that have keys, one database after the other, with "
                                   "a column db; needs INFO and SELECT")),
        makeOption(
            "o,output", "table|json|jsonl|csv",
            CommandLine::tr(
                "format: a table, the default; an array; an object per line; or CSV (RFC 4180) with the columns key, "
                "key_base64, type, pttl_ms, kind, holder, holder_base64, count, waiters, fencing and findings")),
        makeOption("no-headers", "", CommandLine::tr("no titles of columns, on a terminal and in CSV")),
    };
}

CoverageForm LsPrinter::coverageForm() const
{
    const bool isJson = m_options.format == LsFormat::Json || m_options.format == LsFormat::JsonLines;
    return isJson ? CoverageForm::Json : CoverageForm::Sentences;
}

QStringList LsPrinter::csvColumns() const
{
    if (m_options.hasVotes)
        return voteColumns();
    QStringList columns = exports::keyColumns();
    if (m_options.hasDatabases)
        columns.prepend(QStringLiteral("db"));
    if (!m_options.servers.isEmpty())
        columns.prepend(QStringLiteral("server"));
    return columns;
}

/// Returns the first cell of a row: a number of a database, an address of a server, or a title.
LsOrigin LsPrinter::originOf(const QString &text) const
{
    constexpr int databaseWidth = 3;
    if (m_options.servers.isEmpty())
        return {text, databaseWidth};
    const auto widest = std::ranges::max(m_options.servers, {}, &QString::size).size();
    return {text, -static_cast<int>(widest)};
}

void LsPrinter::begin(bool hasRows) const
{
    switch (m_options.format) {
    case LsFormat::Table:
        if (m_options.hasHeaders && hasRows && !m_options.hasVotes && isTerminal())
            printLsTitles(m_options.hasDatabases        ? originOf(CommandLine::tr("DB"))
                          : m_options.servers.isEmpty() ? LsOrigin()
                                                        : originOf(CommandLine::tr("SERVER")));
        break;
    case LsFormat::Json:
        std::putchar('[');
        break;
    case LsFormat::JsonLines:
        break;
    case LsFormat::Csv:
        if (m_options.hasHeaders)
            printBytes(base::csvLine(csvColumns()));
    }
}

void LsPrinter::print(const LsCells &cells) const
{
    printLsRow(cells, m_database ? originOf(QString::number(*m_database)) : originOf(m_server));
}

void LsPrinter::print(QJsonObject row)
{
    if (m_database)
        row[QStringLiteral("db")] = *m_database;
    if (!m_server.isEmpty())
        row[QStringLiteral("server")] = m_server;
    const bool isFirst = !std::exchange(m_hasRow, true);
    if (m_options.format == LsFormat::Json)
        printBytes((isFirst ? "" : ",\n ") + files::toLine(row));
    else if (m_options.format == LsFormat::JsonLines)
        printBytes(files::toLine(row) + '\n');
    else {
        QStringList fields = files::csvFields(m_options.hasVotes ? flatVotes(row) : row, csvColumns());
        for (QString &field : fields)
            field = isTerminal() ? base::terminalText(field) : field; // A file gets the unchanged bytes of the key.
        printBytes(base::csvLine(fields));
    }
}

void LsPrinter::print(const LsLine &line)
{
    if (isTable())
        print(line.cells);
    else
        print(line.json);
}

void LsPrinter::printVotes(const std::vector<LsLine> &lines)
{
    if (isTable())
        return cli::printVotes(lines, m_options.hasHeaders && isTerminal());
    for (const LsLine &line : lines) {
        print(line.json);
        if (isOutputLost())
            return;
    }
}

void LsPrinter::end() const
{
    if (m_options.format == LsFormat::Json)
        std::puts("]");
    std::fflush(stdout);
}

} // namespace latchkey::cli
