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
/// It runs the event loop while it waits for the server. Each of several servers has a separate listing: they scan at
/// the same time, and a GroupListing prints their parts. Owned by the command; the printer is not owned.
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
        QString server;               ///< Server of the keys, if it is one of several; otherwise empty.
        std::optional<budget::CommandLimit> limit; ///< Absent: no limit.
        std::chrono::milliseconds timeout {};
    };

    /// Creates a listing. The caller begins and ends the output if there are several databases or servers.
    Listing(Options options, LsPrinter &printer);
    void start(const net::Endpoint &endpoint);
    /// Prints the keys part by part. Called outside of the event loop, which it runs while it waits for the server.
    [[nodiscard]] ExitCode list();

    // The steps of list(), for one of several servers.

    /// Returns whether the next part is not gathered yet, and no error has ended the listing.
    [[nodiscard]] bool isGathering() const { return !m_isGathered; }
    /// Returns whether a part is gathered. It may be empty.
    [[nodiscard]] bool hasPart() const { return m_isGathered && m_exitCode == ExitCode::Yes; }
    [[nodiscard]] bool isWhole() const { return m_isWhole; }
    /// Returns the number of scanned keys, and of all keys.
    [[nodiscard]] ScanProgress::Counts progress() const;
    /// Returns the error that ended the listing early. Absent: none.
    [[nodiscard]] const std::optional<base::Error> &failure() const { return m_failure; }
    /// Prints the gathered part. With an order, its lines are kept for takeLines().
    void printPart();
    [[nodiscard]] std::vector<LsLine> takeLines() { return std::exchange(m_unsorted, {}); }
    /// Returns the locks of the gathered part.
    [[nodiscard]] std::vector<LsRow> readLocks();
    /// Gathers the next part.
    void resume();
    /// Prints the missing parts to standard error, and returns the exit code.
    [[nodiscard]] ExitCode printMissingParts();

    /// Returns the session to the server of the URL, from start() on.
    [[nodiscard]] net::Session &session() { return *m_keyListing.session(); }
    /// Reads one key now, whatever was scanned. `done` is called from the event loop. An error makes the listing
    /// incomplete.
    void examine(const base::Key &key, std::function<void(base::Result<detection::KeyExamination>)> done);
    /// Returns whether the limit permits another read now.
    [[nodiscard]] bool canAfford() { return m_keyListing.canAfford(); }
    [[nodiscard]] std::vector<findings::Finding> findingsOf(const detection::KeyExamination &found);
    /// Ends the current event loop, or the next one if none runs: the dialer may fail before the event loop starts.
    static void endLoop();

private:
    /// Returns the operation, for messages.
    [[nodiscard]] QString name() const;
    /// Returns whether the keys are those of one of several databases or servers.
    [[nodiscard]] bool isOneOfSeveral() const { return m_options.database || !m_options.server.isEmpty(); }
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
    void printRows(int first, int end);
    [[nodiscard]] LsLine lineOf(const LsRow &row, base::MonotonicTime now) const;
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
    void noteUnread(const base::Error &error);
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
    std::optional<base::Error> m_unread;  ///< Why examine() could not read a key; absent if all were read.
    bool m_isBegun = false;               ///< Printing has begun.
    bool m_isGathered = false;            ///< A part has been gathered, or an error has ended the listing.
    bool m_isWhole = false;               ///< The last part has been gathered.
    ExitCode m_exitCode = ExitCode::Error;
};

} // namespace latchkey::cli
