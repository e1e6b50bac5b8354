#pragma once

#include "core/keyspace/events/keyevent.h"

#include <array>

namespace latchkey::events {

/// A reconciler of the two streams of reports on one followed key. It finds the order in which looks and notices were
/// true, and derives the key events from that order.
///
/// A look is a reply about the key; it was true at some moment between request and reply. A notice is the server's
/// report of a change that happened before the notice was received. Notices arrive in the order of the changes. The
/// streams use two connections, so a look and a notice received after the look's request can be in either order. Both
/// are therefore collected until all changes before the look's reply have been received. A look that still fits several
/// places among the notices is ignored. A look is also ignored if a notice received since its request has been applied
/// before its reply. With unnamed events there is one exception: a look that found the key gone is applied when a later
/// look finds the key. A missing notice counts as evidence only while the server reports all changes. Pure: no
/// connection and no clock. Owned by the Ledger.
class KeyEventReconciler final
{
public:
    /// One reply of the server about the key.
    struct Look
    {
        bool isThere = false;
        std::optional<base::Deadline> deadline; ///< Absent: not asked.
        std::optional<keys::RawValue> value;    ///< Absent: not read.
        base::MonotonicTime asked;
        base::MonotonicTime answered;
        Source source = Source::Poll;
        bool isInferred = false;
    };

    /// Marks the key as absent at that time, so that its first appearance is reported. No effect if its state is known.
    void begin(base::MonotonicTime absentAt);

    /// Handles a restart of the server, or a denied read: the key may have ended and reappeared without a notice. If
    /// a later look does not find the key, its ending is unknown.
    void doubt() { m_isTouched = m_isTouched || m_presence == Presence::There; }

    /// Handles a failover: another server, which may lack the last writes, has taken over. A key that the next look
    /// does not find is lost, unless it has expired or may have changed since the last look.
    void failOver();

    /// Processes a look. Appends the events that it makes certain to `out`, now or in settle().
    void see(Look look, const EventCoverage &eventCoverage, KeyEvents &out);
    /// Processes a notice of the server, such as `expired`. It was received at `received`; the change happened after
    /// `notBefore`.
    void addNotice(const QByteArray &event, base::MonotonicTime received, base::MonotonicTime notBefore);
    /// Processes the notice that all keys were removed, with the same times.
    void addFlush(base::MonotonicTime received, base::MonotonicTime notBefore);
    /// Handles the confirmation that all changes before that time have been received.
    void settle(base::MonotonicTime upTo, const EventCoverage &eventCoverage, KeyEvents &out);
    /// Handles a change in the reported events. Judges the collected looks and notices with the former event coverage,
    /// `until`. From then on a missing notice is no evidence until the next look.
    void loseEvents(const EventCoverage &until, KeyEvents &out);
    /// Returns whether a look or a notice waits for settle().
    [[nodiscard]] bool isPending() const { return !m_looks.empty() || !m_notices.empty(); }

    /// Returns the expiry; absent if the key is not known to exist, and for a key without expiry.
    [[nodiscard]] std::optional<base::Deadline> dueAt() const;

private:
    enum class Presence : quint8 { Unknown, There, NotThere };
    struct Notice
    {
        enum class Kind : quint8 {
            End,   ///< The key is gone; see ending.
            Write, ///< The key may hold another value, of any type.
            Touch, ///< The expiry or the elements have changed.
            Flush, ///< All keys of some database are gone.
            Any,   ///< A change without a name.
        };
        Kind kind = Kind::Any;
        Ending ending = Ending::None;
        base::MonotonicTime received;  ///< End of the interval that contains the change.
        base::MonotonicTime notBefore; ///< Start of that interval.
    };

    /// All changes that were reported since the value was last certain.
    struct Changes
    {
        base::MonotonicTime notBefore;     ///< Start of the interval that contains the first of them.
        base::MonotonicTime firstReceived; ///< End of that interval.
        base::MonotonicTime lastReceived;  ///< Time at which the last notice was received.
    };

    /// The expected notice of a change by this program, not received yet.
    struct Echo
    {
        Notice::Kind kind = Notice::Kind::End;
        base::MonotonicTime answered; ///< Time of the reply; the change was carried out before it.
    };

    void seeAct(const Look &act, const EventCoverage &eventCoverage, KeyEvents &out);
    [[nodiscard]] Notice::Kind echoKind(const Look &act) const;
    [[nodiscard]] bool isEcho(const Notice &notice);
    [[nodiscard]] std::size_t noticesUpTo(const Look &act) const;
    [[nodiscard]] std::size_t replayableNotices() const { return m_echoes.empty() ? m_notices.size() : 0; }
    void replay(std::vector<Look> looks, std::size_t noticeCount, const EventCoverage &eventCoverage, KeyEvents &out);
    [[nodiscard]] bool isBeforeItsValue(const Look &look, std::size_t notices) const;
    [[nodiscard]] bool areOfExpiry(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::optional<std::size_t> placeOf(const Look &look, EventCoverage::Depth depth) const;
    [[nodiscard]] std::vector<std::optional<bool>> presences() const;
    [[nodiscard]] bool isOfKnownEnd(const Look &look) const;
    [[nodiscard]] bool isOvertaken(const Look &look) const;
    [[nodiscard]] bool confirmsState(const Look &look) const;
    void refresh(const Look &look);

    void apply(const Notice &notice, KeyEvents &out);
    void applyEnd(const Notice &notice, KeyEvents &out);
    void apply(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out);
    void judgeFailover(const Look &look, std::size_t first, KeyEvents &out);
    void applyThere(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out);
    void applyFirstLook(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out);
    [[nodiscard]] bool mayBeOfLaterHold(const Look &look, const EventCoverage &eventCoverage) const;
    void applyGone(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out);
    void applyUnplaced(const EventCoverage &eventCoverage, KeyEvents &out);
    [[nodiscard]] std::optional<KeyEvent::What> judge(const Look &look, const EventCoverage &eventCoverage) const;
    [[nodiscard]] std::optional<KeyEvent::What> judgeEnds(const Look &look) const;
    [[nodiscard]] bool isUnreported(const Look &look, const EventCoverage &eventCoverage) const;
    [[nodiscard]] bool isSameForCertain(const Look &look, const EventCoverage &eventCoverage) const;
    [[nodiscard]] bool isUnwritten(const EventCoverage &eventCoverage) const;
    [[nodiscard]] Ending endingOf(const Look &look, const EventCoverage &eventCoverage) const;
    [[nodiscard]] Ending endingByTouches() const;
    /// Returns whether the expiry is that of the current hold.
    [[nodiscard]] bool isDeadlineKnown() const
    {
        return m_deadline && !m_isDeadlineStale && !(m_value && m_isValueStale);
    }

    /// Returns whether the expiry is that of the key now: no change since it was read. In unnamed events, the last
    /// change may be the end.
    [[nodiscard]] bool isDeadlineCurrent() const
    {
        return m_deadline && !m_isDeadlineStale && !m_isTouched && !m_isOverwritten && m_touches < 2;
    }
    /// Returns whether all changes since the known state are reported. A new key may be known from its notice alone.
    [[nodiscard]] bool isStateReported() const { return (m_fresh ? m_fresh->received : m_lastLook) >= m_reportedSince; }
    void setReportedSince(const EventCoverage &eventCoverage);
    /// Returns the earliest time at which the known deadline can end the key. Requires m_deadline.
    [[nodiscard]] base::MonotonicTime earliestEnd() const;

    void take(const Look &look, bool isSameHold, const EventCoverage &eventCoverage);
    void addAppeared(const Look *look, KeyEvents &out);
    void addOverwritten(const Look *look, base::MonotonicTime notAfter, KeyEvents &out);
    void addEnded(Ending ending, const Look *look, const Notice *notice, KeyEvents &out);
    void dropNotices();
    void setAbsent(base::MonotonicTime at);
    [[nodiscard]] bool mayTouchBeOurs() const { return m_actedUntil && m_lastTouch.notBefore <= *m_actedUntil; }
    void note(const Notice &change);
    void narrow(KeyEvent &event, const EventCoverage &eventCoverage) const;

    Presence m_presence = Presence::Unknown;
    std::optional<base::Deadline> m_deadline;
    std::chrono::milliseconds m_span {};
    bool m_isDeadlineStale = false;     ///< The expiry may have changed since it was read last; PTTL may be refused.
    base::MonotonicTime m_deadlineAsOf; ///< Last time at which the expiry was certainly not stale.
    std::optional<keys::RawValue> m_value;
    bool m_isValueStale = false;        ///< The key may belong to another hold than the value read last.
    base::MonotonicTime m_valueAsOf;    ///< Last time at which the value was certainly not stale.
    base::MonotonicTime m_lastLook;     ///< Last time at which the known state was observed.
    base::MonotonicTime m_lastAlive;    ///< Last time at which the key was known to exist.
    base::MonotonicTime m_appliedUntil; ///< Time at which the last applied notice was received.
    base::MonotonicTime m_goneUntil;    ///< Time of the last reply or notice that reported the key gone.
    bool m_isCovered = false;           ///< Whether all changes since the last look are reported.
    base::MonotonicTime m_reportedSince = base::MonotonicTime::max(); ///< Time since which all changes are reported.

    // Content of the notices since the last look:
    std::optional<Notice> m_fresh; ///< Notice of an appearance, before the first look at the new key.
    bool m_isOverwritten = false;
    bool m_isTouched = false;
    std::optional<base::MonotonicTime> m_flush;
    int m_touches = 0; ///< Number of changes without a name.
    Notice m_lastTouch;
    std::optional<base::MonotonicTime> m_foundGone; ///< Request time of the first look that found the key gone.
    std::optional<Look> m_unplaced;   ///< Last look that found the key gone and has no certain place among the notices.
    std::optional<Changes> m_changes; ///< Absent: no change was reported since the value was last certain.

    std::optional<base::MonotonicTime> m_actedUntil;   ///< Reply time of the last change by this program.
    std::vector<Echo> m_echoes;                        ///< Expected notices, in the order of the changes.
    std::array<base::MonotonicTime, 3> m_lastReceived; ///< Times of the last notices of End, Write and Touch.
    bool m_isFailedOver = false;                       ///< True from a failover until a look has read the value.
    bool m_wasKnownAtFailover = false; ///< Whether no change of the key was unread when the failover was
                                       ///< noticed.
    std::vector<Look> m_looks;
    std::vector<Notice> m_notices;
};

} // namespace latchkey::events
