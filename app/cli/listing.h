#pragma once

#include "app/cli/fieldexpiryreader.h"
#include "app/cli/keylisting.h"
#include "app/cli/lockexaminations.h"
#include "app/cli/lsorder.h"
#include "app/cli/lsprinter.h"
#include "app/cli/lsrow.h"
#include "app/cli/scanprogress.h"
#include "core/inspect/detection/findingsevaluator.h"
#include "core/keyspace/rows/rowlist.h"
#include "core/redis/exchange/loopdriver.h"

#include <QCoreApplication>

namespace latchkey::cli {

/// A listing of the keys of one database: scans, reads the values of possible locks, and prints.
///
/// It runs the event loop while it waits for the server. Owned by the command; the printer is not owned.
class Listing final : public QObject
{
public:
    struct Options
    {
        base::Globs globs;
        bool onlyExpiring = false;
        bool onlyLocks = false;
        std::optional<LsOrder> order; ///< Absent for the order of the server if there are many keys.
        std::optional<int> database;  ///< Database of the keys, if it is one of several. Absent: that of the URL.
        std::optional<budget::CommandLimit> limit; ///< Absent: no limit.
        std::chrono::milliseconds timeout {};
    };

    /// Creates a listing. The caller begins and ends the output, because there may be several databases.
    Listing(Options options, LsPrinter &printer);
    void start(const net::Endpoint &endpoint);
    /// Prints the keys part by part. Called outside of the event loop, which it runs while it waits for the server.
    [[nodiscard]] ExitCode list();

private:
    /// Returns the operation, for messages.
    [[nodiscard]] QString name() const;
    /// Runs the event loop until a part is gathered.
    void gather();

    /// Runs an exchange, and the event loop until its result is known.
    template<typename T>
    [[nodiscard]] base::Result<T> await(exchange::Exchange<T> exchange)
    {
        std::optional<base::Result<T>> result;
        m_driver->run<T>(std::move(exchange), [&](base::Result<T> arrived) {
            result.emplace(std::move(arrived));
            endLoop();
        });
        while (!result)
            QCoreApplication::exec();
        return std::move(*result);
    }

    void printBeginning();
    void printPart();
    void printRows(int first, int end);
    [[nodiscard]] LsLine lineOf(const LsRow &row, base::MonotonicTime now) const;
    void print(const LsLine &line);
    /// Prints the lines that waited for the sort. With an order, all keys are in one part.
    void printSorted();
    /// Ends the output. It is whole also after a failure, so that a JSON array is always printed.
    void printEnd();
    /// Reads the field expiries of the listed hashes, if the server supports them.
    void readFields();
    /// Recognises the keys of these rows. Locks with open questions of the recognition are examined.
    [[nodiscard]] std::vector<LsRow> read(int first, int end);
    /// Reads the companion keys of these locks, and updates their rows.
    void examine(std::vector<detection::KeyExamination> examinations, std::vector<LsRow> &rows);
    /// Returns the properties of the server, which are read with the first lock.
    [[nodiscard]] const findings::ServerProperties &serverProperties();
    void finish(ExitCode exitCode);
    /// Ends the current event loop, or the next one if none runs: the dialer may fail before the event loop starts.
    static void endLoop();

    const Options m_options;
    const recognition::Recogniser m_recogniser;
    KeyListing m_keyListing;
    keys::KeyStore &m_store; ///< Owned by m_keyListing.
    rows::RowList m_rows;
    ScanProgress m_progress;
    LsPrinter &m_printer;                           // Not owned.
    std::unique_ptr<exchange::LoopDriver> m_driver; ///< Reads over the session of m_keyListing.
    std::optional<FieldExpiryReader> m_fieldExpiryReader;
    std::optional<LockExaminations> m_examinations;
    bool m_isExamining = false;
    std::vector<LsLine> m_unsorted; ///< Rows that wait to be sorted.
    std::size_t m_hashes = 0;       ///< Number of hashes found so far.
    std::optional<findings::ServerProperties> m_serverProperties;
    std::optional<base::Error>
        m_uncheckedSettings;              ///< Why the settings of the server were not read. Absent: they were.
    std::optional<base::Error> m_failure; ///< Error that ended the listing early. Absent: none.
    bool m_isBegun = false;               ///< Printing has begun.
    bool m_isWhole = false;               ///< The last part has been gathered.
    ExitCode m_exitCode = ExitCode::Error;
};

} // namespace latchkey::cli
