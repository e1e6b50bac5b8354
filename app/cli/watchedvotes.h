#pragma once

#include "app/cli/watchedlocks.h"
#include "core/inspect/voting/lockvotes.h"
#include "core/inspect/voting/votingserver.h"

#include <map>

namespace latchkey::cli {

/// The votes of several independent servers for the holders of their locks, while the servers are watched.
///
/// A holder has a lock while a majority of all servers names it. A vote changes with the event that its server reports,
/// so the events of the votes come after those of the servers. A server that is not observed votes neither for a holder
/// nor against it. After a gap, a lock counts again when its key was read again. Owned by the command;
/// servers, locks and clock are not owned.
class WatchedVotes final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchedVotes)

public:
    enum class Change : quint8 {
        Majority,   ///< A majority names the holder; after Uncertain, it still does.
        NoMajority, ///< A majority no longer names the holder, and none names another holder.
        Uncertain,  ///< Whether a majority names the holder depends on servers that are not observed.
    };
    struct Event
    {
        Change change = Change::Majority;
        QByteArray key;
        voting::LockVotes votes;                       ///< The votes for the holder.
        std::vector<voting::MissingVote> missingVotes; ///< One per server.
        base::MonotonicTime at;
    };

    explicit WatchedVotes(const base::Clock &clock);
    ~WatchedVotes() override;

    /// Adds a server. To be called before the start, and after the code that reports the events of its locks has
    /// connected to them.
    void add(inspection::InspectedServer &server, const WatchedLocks &locks);

Q_SIGNALS:
    void changed(const latchkey::cli::WatchedVotes::Event &event);

private:
    struct Member
    {
        std::unique_ptr<voting::VotingServer> voting;
        const WatchedLocks *locks = nullptr; // Not owned.
        QSet<QByteArray> reported {};        ///< Locks with a reported event, which was not their end.
    };
    /// The holder for whom a majority was reported last.
    struct Reported
    {
        QByteArray holder;
        bool isUncertain = false;
    };

    void take(std::size_t index, const events::KeyEvent &keyEvent);
    void evaluateAll(std::size_t index);
    void evaluate(const QByteArray &key);
    void report(Change change, const QByteArray &key, voting::LockVotes votes,
                std::vector<voting::MissingVote> missingVotes);
    [[nodiscard]] static voting::LockVotes::Reply replyOf(const Member &member, const QByteArray &key,
                                                          voting::MissingVote &silence);

    const base::Clock &m_clock; // Not owned.
    std::vector<Member> m_members;
    std::map<QByteArray, Reported> m_reported;
};

} // namespace latchkey::cli
