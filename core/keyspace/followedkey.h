#pragma once

#include "core/keyspace/happening.h"

#include <array>

namespace latchkey::keyspace {

/// What is known of one key that somebody follows, and what follows from the next look at it.
///
/// Two streams tell of a key: looks, each of which was true at some moment between question and answer, and notices of
/// the server, in the order in which it was, each of something that happened before it was heard. They come over two
/// connections, so a look and a notice that was heard after it was asked can be in either order. So what comes is
/// collected until it is certain that everything has been heard that happened before a look was answered, and a look
/// that still fits more than one place among the notices is left aside. What was not said counts as evidence only
/// where everything is told.
/// Pure: it knows no connection and no clock. Owned by the Ledger.
class FollowedKey final
{
public:
    /// What one answer of the server says of the key.
    struct Look
    {
        bool isThere = false;
        std::optional<base::Deadline> deadline; ///< Where it was asked for.
        std::optional<keys::RawValue> value;    ///< Where it was read.
        base::MonotonicTime asked;
        base::MonotonicTime answered;
        Source source = Source::Poll;
        bool isInferred = false;
    };

    /// Its first appearance is told: it is known not to have been there at that time.
    void begin(base::MonotonicTime absentAt);
    /// Nothing that was known holds any more.
    void forget() { *this = FollowedKey(); }

    /// It may have gone and come back, and nobody would have told: the server was another process meanwhile. How it
    /// ended, if it is not there any more, is not known.
    void doubt() { m_isTouched = m_isTouched || m_presence == Presence::There; }

    void see(Look look, const Hearing &hearing, Happenings &out);
    void hear(const QByteArray &event, base::MonotonicTime heard, base::MonotonicTime notBefore);
    void hearFlush(base::MonotonicTime heard, base::MonotonicTime notBefore);
    /// All that happened before that time has been heard.
    void settle(base::MonotonicTime upTo, const Hearing &hearing, Happenings &out);
    /// From now on not everything is told any more: what has come is judged as it is.
    void loseHearing(const Hearing &until, Happenings &out);
    /// Something waits for settle().
    [[nodiscard]] bool isPending() const { return !m_looks.empty() || !m_notices.empty(); }

    /// Its end; absent while it is not known to be there, and without one.
    [[nodiscard]] std::optional<base::Deadline> dueAt() const;

private:
    enum class Presence : quint8 { Unknown, There, NotThere };
    struct Notice
    {
        enum class Kind : quint8 {
            End,   ///< It is gone; how, says ending.
            Write, ///< Another value may be in it, of whatever type.
            Touch, ///< Its end or its elements are others.
            Flush, ///< Everything in some database is gone.
            Any,   ///< Something, and nobody said what.
        };
        Kind kind = Kind::Any;
        Ending ending = Ending::None;
        base::MonotonicTime heard;     ///< It has happened before this time,
        base::MonotonicTime notBefore; ///< and not before this one.
    };

    /// The notice of an act of ours that has not been heard yet.
    struct Echo
    {
        Notice::Kind kind = Notice::Kind::End;
        base::MonotonicTime answered; ///< The act was carried out before this time.
    };

    void seeAct(const Look &act, const Hearing &hearing, Happenings &out);
    [[nodiscard]] Notice::Kind echoKind(const Look &act) const;
    [[nodiscard]] bool isEcho(const Notice &notice);
    [[nodiscard]] std::size_t noticesUpTo(const Look &act) const;
    [[nodiscard]] std::size_t replayableNotices() const { return m_echoes.empty() ? m_notices.size() : 0; }
    void replay(std::vector<Look> looks, std::size_t noticeCount, const Hearing &hearing, Happenings &out);
    [[nodiscard]] bool isBeforeItsValue(const Look &look, std::size_t notices) const;
    [[nodiscard]] bool areOfExpiry(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::optional<std::size_t> placeOf(const Look &look, Hearing::Depth depth) const;
    [[nodiscard]] std::vector<std::optional<bool>> presences() const;
    [[nodiscard]] bool isNothingNew(const Look &look) const;
    void refresh(const Look &look);

    void apply(const Notice &notice, Happenings &out);
    void applyEnd(const Notice &notice, Happenings &out);
    void apply(const Look &look, const Hearing &hearing, Happenings &out);
    void applyThere(const Look &look, const Hearing &hearing, Happenings &out);
    void applyGone(const Look &look, const Hearing &hearing, Happenings &out);
    void applyUnplaced(const Hearing &hearing, Happenings &out);
    [[nodiscard]] std::optional<Happening::What> judge(const Look &look, const Hearing &hearing) const;
    [[nodiscard]] std::optional<Happening::What> judgeEnds(const Look &look) const;
    [[nodiscard]] bool isUntold(const Look &look, const Hearing &hearing) const;
    [[nodiscard]] bool isSameForCertain(const Look &look, const Hearing &hearing) const;
    [[nodiscard]] Ending endingOf(const Look &look, const Hearing &hearing) const;
    [[nodiscard]] Ending endingByTouches() const;

    void take(const Look &look, bool isSameHold, const Hearing &hearing);
    void tellAppeared(const Look *look, Happenings &out);
    void tellOverwritten(const Look *look, base::MonotonicTime notAfter, Happenings &out);
    void tellEnded(Ending ending, const Look *look, const Notice *notice, Happenings &out);
    void vanish(base::MonotonicTime at);
    [[nodiscard]] bool mayTouchBeOurs() const { return m_actedUntil && m_lastTouch.notBefore <= *m_actedUntil; }
    void note(const Notice &change);
    void narrow(Happening &told, const Hearing &hearing) const;

    Presence m_presence = Presence::Unknown;
    std::optional<base::Deadline> m_deadline;
    std::chrono::milliseconds m_span {};
    std::optional<keys::RawValue> m_value;
    bool m_isValueStale = false;     ///< Another hold may be there by now than the one that was read last.
    base::MonotonicTime m_valueAsOf; ///< When it was certain last that it is not stale.
    base::MonotonicTime m_lastLook;  ///< What is known was so at that time at least.
    base::MonotonicTime m_lastAlive; ///< When it was last known to be there.
    bool m_isCovered = false;        ///< All that has happened since the last look is told.

    // What the notices have said since the last look.
    std::optional<Notice> m_fresh; ///< It has appeared, and no look has seen it yet.
    bool m_isOverwritten = false;
    bool m_isTouched = false;
    std::optional<base::MonotonicTime> m_flush;
    int m_touches = 0; ///< Of which nobody said what they were.
    Notice m_lastTouch;
    std::optional<base::MonotonicTime> m_foundGone; ///< When the first question was asked that found it gone.
    std::optional<Look> m_unplaced; ///< The last look that found it gone and has no certain place among the notices.
    /// The time of all changes that notices have told of since the value was last certain: from the first notice's
    /// notBefore until the last one was heard. Absent: there was no such notice.
    std::optional<std::pair<base::MonotonicTime, base::MonotonicTime>> m_changes;

    std::optional<base::MonotonicTime> m_actedUntil; ///< By when the last act of ours was carried out.
    std::vector<Echo> m_echoes;                      ///< In the order of the acts.
    std::array<base::MonotonicTime, 3> m_lastHeard;  ///< Times of the last notices of End, Write and Touch.
    std::vector<Look> m_looks;
    std::vector<Notice> m_notices;
};

} // namespace latchkey::keyspace
