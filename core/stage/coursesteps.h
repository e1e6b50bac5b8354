#pragma once

#include "core/playground/courselog.h"
#include "core/sequence/sequence.h"
#include "core/stage/toldstory.h"

#include <set>

namespace latchkey::stage {

/// Turns a course of events, one after the other, into the steps of a story.
///
/// The one idea: a step waits until it has come about, so an order that was answered before anything else happened is
/// one step, and any other goes on in the background until its answer is awaited. A value, used once; see storyOf().
class CourseSteps final
{
public:
    static constexpr std::size_t mostSteps = 200;
    static constexpr qsizetype mostClients = 20;

    /// Of one alternative, without a sentence.
    struct Made
    {
        ToldStep step;
        QString outcome; ///< That is expected; empty: none.
    };

    explicit CourseSteps(const sequence::Sequence &sequence);

    /// isAnsweredNext: what happens next is that the client answers.
    void follow(const playground::CourseLog::Entry &entry, bool isAnsweredNext);
    void follow(const sequence::Mark &mark);
    /// Nothing more can be told; why is among leftOut().
    [[nodiscard]] bool isOver() const { return m_isOver; }

    [[nodiscard]] const std::vector<Made> &steps() const { return m_steps; }
    [[nodiscard]] const QStringList &clients() const { return m_clients; }
    [[nodiscard]] const QList<base::Text> &leftOut() const { return m_leftOut; }

private:
    /// One of the story's, by the name that it has in the course.
    struct Client
    {
        QString name;
        int life = 1; ///< Which it is, of those whose process was started again.
        bool isDead = false;
        bool isPaused = false;
        std::optional<base::Key> wants {}; ///< The key of an acquire that is not answered.
        bool isAtWork = false;             ///< It was told something in the background.
        bool hasTried = false;
        std::optional<std::size_t> wrote {}; ///< The step in which it wrote last.
    };

    void tell(Client &client, const playground::CourseLog::Entry &entry, bool isAnsweredNext);
    void answer(Client &client, const playground::CourseLog::Entry &entry);
    void signal(Client &client, Signal what, base::MonotonicTime at);
    void start(Client &client);
    void endLease(const sequence::Mark &mark);
    void befall(const sequence::Mark &mark);
    /// Null: there are too many.
    [[nodiscard]] Client *clientOf(const QString &name);
    [[nodiscard]] int serverOf(sequence::LaneIndex lane) const;
    void add(const QString &client, Deed deed, base::MonotonicTime at, const QString &outcome = {},
             bool isInBackground = false);
    /// Where nothing else says so, time has passed.
    void pass(base::MonotonicTime until);
    void leaveOut(const base::Text &what);

    const sequence::Sequence &m_sequence; // Not owned.
    std::map<QString, Client> m_known;
    QStringList m_clients;
    std::vector<Made> m_steps;
    QList<base::Text> m_leftOut;
    std::set<std::pair<base::Key, int>> m_ended; ///< Leases that somebody waits for, whose answer is to come.
    std::optional<base::MonotonicTime> m_now;    ///< Up to which it is told.
    bool m_isOver = false;
};

} // namespace latchkey::stage
