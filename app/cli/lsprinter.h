#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"
#include "app/cli/lscolumns.h"
#include "app/cli/lsorder.h"

#include <QJsonObject>

namespace latchkey::cli {

/// The format of a list of keys.
enum class LsFormat : quint8 {
    Table,
    Json,      ///< One array.
    JsonLines, ///< One object per line.
    Csv,       ///< RFC 4180.
};

/// A printer of a list of keys in one format. The table and the CSV have headers unless they are switched off; the
/// table has them only on a terminal. Owned by the command. It does not print the coverage, but knows its format.
class LsPrinter final
{
public:
    struct Options
    {
        LsFormat format = LsFormat::Table;
        bool hasHeaders = true;
        bool hasDatabases = false; ///< Whether the keys are of several databases, so that each row has its number.
        QStringList servers {};    ///< Addresses, if the keys are of several servers, so that each row has one.
        bool hasVotes = false;     ///< Whether the rows are locks of several servers, with votes.
    };

    /// Reads --output, --json, --no-headers and --all-databases. Error (Usage): an unknown format, or options that
    /// exclude each other.
    [[nodiscard]] static base::Result<Options> optionsFrom(const Arguments &arguments);
    [[nodiscard]] static QList<QCommandLineOption> options();

    explicit LsPrinter(const Options &options)
        : m_options(options)
    {}

    [[nodiscard]] bool isTable() const { return m_options.format == LsFormat::Table; }
    [[nodiscard]] CoverageForm coverageForm() const;

    /// Sets the database of the next rows.
    void setDatabase(int database) { m_database = database; }
    /// Sets the server of the next rows: one of Options::servers.
    void setServer(const QString &server) { m_server = server; }
    /// Prints the start of the output, such as the header. `hasRows`: whether any row is expected.
    void begin(bool hasRows) const;
    /// Prints a row of the table.
    void print(const LsCells &cells) const;
    /// Prints a row of any other format.
    void print(QJsonObject row);
    /// Prints a row in the selected format.
    void print(const LsLine &line);
    /// Prints locks with their votes. Without cells, since the table is made of the JSON.
    void printVotes(const std::vector<LsLine> &lines);
    void end() const;

private:
    [[nodiscard]] QStringList csvColumns() const;
    [[nodiscard]] LsOrigin originOf(const QString &text) const;

    const Options m_options;
    std::optional<int> m_database;
    QString m_server;
    bool m_hasRow = false;
};

} // namespace latchkey::cli
