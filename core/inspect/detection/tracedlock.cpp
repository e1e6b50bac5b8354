#include "core/inspect/detection/tracedlock.h"

#include <algorithm>
#include <array>

namespace latchkey::detection {

using base::MonotonicTime;
using base::WallTime;
using findings::TracedAction;
using std::chrono::milliseconds;
using watching::TracedCommand;
using ActionKind = TracedAction::Kind;
using namespace std::chrono_literals;

namespace {

/// Longest time between a SETNX and the EXPIRE that belongs to it.
constexpr milliseconds maxGap = 5s;
/// Time around the expiry within which the lock may or may not exist.
constexpr milliseconds closeToEnd = 50ms;

constexpr std::array<QByteArrayView, 5> reads {"GET", "MGET", "GETRANGE", "HGET", "HGETALL"};
constexpr std::array<QByteArrayView, 4> expiries {"EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"};
constexpr std::array<QByteArrayView, 4> comparisons {"IFEQ", "IFNE", "IFDEQ", "IFDNE"};
constexpr std::array<QByteArrayView, 3> scripts {"EVAL", "EVALSHA", "FCALL"};
/// Commands that leave the key unchanged and do not read the holder.
constexpr std::array<QByteArrayView, 11> others {"TYPE", "PTTL",      "TTL",     "EXISTS",      "STRLEN",     "OBJECT",
                                                 "DUMP", "SUBSCRIBE", "PUBLISH", "PEXPIRETIME", "UNSUBSCRIBE"};

template<std::size_t size>
bool isOneOf(const QByteArray &name, const std::array<QByteArrayView, size> &names)
{
    return std::ranges::find(names, QByteArrayView(name)) != names.end();
}

bool isScripts(const TracedCommand &command)
{
    return command.client == "lua";
}

/// Returns whether the address belongs to a single client. All clients of a Unix socket have the same address.
bool isOneClient(const QByteArray &address)
{
    return !address.startsWith("unix:");
}

QByteArray upper(const TracedCommand &command, std::size_t word)
{
    const auto &words = command.words.words();
    return word < words.size() ? words[word].toUpper() : QByteArray();
}

/// Returns the expiry that an option of a command sets. Absent if the number is invalid.
std::optional<WallTime> endFrom(const QByteArray &option, const QByteArray &number, WallTime at)
{
    bool isNumber = false;
    const qint64 count = number.toLongLong(&isNumber);
    constexpr qint64 maximum = 100'000'000'000'000; // In milliseconds: some thousand years.
    if (!isNumber || count > maximum || count < -maximum)
        return std::nullopt;
    if (option == "EX" || option == "EXPIRE")
        return at + std::chrono::seconds(count);
    if (option == "PX" || option == "PEXPIRE")
        return at + milliseconds(count);
    if (option == "EXAT" || option == "EXPIREAT")
        return WallTime(std::chrono::seconds(count));
    return WallTime(milliseconds(count));
}

/// The options of a SET command.
struct SetOptions
{
    bool isIfAbsent = false;
    bool isIfThere = false;
    bool keepsEnd = false;
    bool asksOld = false;
    bool compares = false; ///< IFEQ and similar options: a condition on the current value.
    std::optional<WallTime> ends;
};

SetOptions setOptionsOf(const TracedCommand &command)
{
    SetOptions options;
    const auto &words = command.words.words();
    for (std::size_t i = 3; i < words.size(); ++i) {
        const QByteArray word = words[i].toUpper();
        options.isIfAbsent = options.isIfAbsent || word == "NX";
        options.isIfThere = options.isIfThere || word == "XX";
        options.keepsEnd = options.keepsEnd || word == "KEEPTTL";
        options.asksOld = options.asksOld || word == "GET";
        if (isOneOf(word, comparisons)) {
            options.compares = true;
            ++i;
        }
        if (i + 1 < words.size() && (word == "EX" || word == "PX" || word == "EXAT" || word == "PXAT"))
            options.ends = endFrom(word, words[++i], command.at);
    }
    return options;
}

} // namespace

TracedLock::TracedLock(base::Key key, const std::optional<Beginning> &beginning)
    : m_key(std::move(key))
    , m_beginning(beginning)
{}

void TracedLock::lose()
{
    m_beginning.reset();
    m_presence = Presence::Unknown;
    m_acquirer.clear();
}

std::optional<TracedAction> TracedLock::take(const TracedCommand &command, MonotonicTime received)
{
    if (const auto beginning = std::exchange(m_beginning, std::nullopt)) {
        m_presence = beginning->isHeld ? Presence::Held : Presence::Free;
        // The command was executed before it was received, so this expiry can only be too early. An expiry that is too
        // early leads to no conclusion.
        if (const auto left = beginning->deadline.remaining(received))
            m_ends = command.at + std::chrono::floor<milliseconds>(*left - beginning->deadline.uncertainty());
    }
    m_presence = presenceAt(command.at);
    if (m_presence == Presence::Free)
        free();
    else if (m_presence == Presence::Unknown)
        m_acquirer.clear();

    const QByteArray name = upper(command, 0);
    if (isOneOf(name, scripts)) {
        m_scriptBy = command.client;
    } else if (isOneOf(name, reads)) {
        m_clients[command.client].hasReadHolder = true;
    } else if (name == "WATCH") {
        m_clients[command.client].watches = true;
    } else if (name == "DEL" || name == "UNLINK") {
        return deleted(command);
    } else if (isOneOf(name, expiries)) {
        return expired(command);
    } else if (name == "SET" || name == "SETNX" || name == "SETEX" || name == "PSETEX" || name == "GETSET") {
        return written(command);
    } else if (name == "PERSIST") {
        m_ends.reset();
    } else if (!isOneOf(name, others)) {
        lose();
    }
    return std::nullopt;
}

TracedLock::Presence TracedLock::presenceAt(WallTime at) const
{
    if (m_presence != Presence::Held || !m_ends || at < *m_ends - closeToEnd)
        return m_presence;
    return at > *m_ends + closeToEnd ? Presence::Free : Presence::Unknown;
}

void TracedLock::free()
{
    m_presence = Presence::Free;
    m_acquirer.clear();
    m_clients.clear(); // The reads of the clients concern the last hold.
    m_contenders.clear();
}

void TracedLock::hold(const QByteArray &client, const std::optional<WallTime> &ends)
{
    free();
    m_presence = Presence::Held;
    m_ends = ends;
    m_acquirer = isOneClient(client) ? client : QByteArray();
}

/// Returns a change by a client that did not check the holder in the same command. Absent if the change cannot affect
/// another holder's lock, or if the lock was possibly not held.
std::optional<TracedAction> TracedLock::changed(const TracedCommand &command, ActionKind kind) const
{
    const Client client = m_clients.value(command.client);
    if (m_presence != Presence::Held || isScripts(command) || (client.watches && command.isInTransaction))
        return std::nullopt;
    if (!isOneClient(command.client) && (client.hasReadHolder || client.watches))
        return std::nullopt;
    return TracedAction {kind, command.client, client.hasReadHolder};
}

std::optional<TracedAction> TracedLock::deleted(const TracedCommand &command)
{
    auto action = changed(command, ActionKind::PlainDelete);
    free();
    return action;
}

std::optional<TracedAction> TracedLock::written(const TracedCommand &command)
{
    const QByteArray name = upper(command, 0);
    const auto &words = command.words.words();
    if (words.size() < 3 || words[1] != m_key.bytes())
        return std::nullopt;
    const QByteArray client = isScripts(command) ? m_scriptBy : command.client;
    if (name == "SETNX")
        return acquiring(command, std::nullopt);
    if (name == "SETEX" || name == "PSETEX") {
        hold(client, endFrom(name == "SETEX" ? "EX" : "PX", words[2], command.at));
        return std::nullopt;
    }
    const SetOptions options = setOptionsOf(command);
    if (options.compares) {
        lose(); // It is unknown whether the command took effect, as with DELIFEQ.
        return std::nullopt;
    }
    if (options.isIfAbsent)
        return acquiring(command, options.ends);
    MaybeAction action;
    if (name == "GETSET" || options.asksOld)
        action = changed(command, ActionKind::Swap);
    else if (options.isIfThere)
        action = changed(command, ActionKind::UncheckedRenewal);
    if (options.isIfThere && m_presence != Presence::Held)
        return std::nullopt;
    const auto ends = options.keepsEnd ? m_ends : options.ends;
    if (options.isIfThere)
        m_ends = ends; // A renewal: the holder stays the same.
    else
        hold(client, ends);
    return action;
}

/// Handles SETNX and SET NX, which acquire the lock or find it held.
std::optional<TracedAction> TracedLock::acquiring(const TracedCommand &command, const std::optional<WallTime> &ends)
{
    if (m_presence == Presence::Free) {
        hold(isScripts(command) ? m_scriptBy : command.client, ends);
        if (!ends)
            m_clients[command.client].won = command.at;
    } else if (m_presence == Presence::Held) {
        m_clients[command.client].lost = command.at;
    }
    return std::nullopt;
}

std::optional<TracedAction> TracedLock::expired(const TracedCommand &command)
{
    const auto &words = command.words.words();
    if (words.size() < 3 || words[1] != m_key.bytes())
        return std::nullopt;
    const auto ends = endFrom(upper(command, 0), words[2], command.at);
    if (words.size() > 3 || !ends) {
        lose(); // NX, XX, GT, LT: it is unknown whether the command took effect.
        return std::nullopt;
    }
    MaybeAction action = expiredAfterAcquiring(command);
    if (*ends <= command.at)
        free();
    else if (m_presence == Presence::Held)
        m_ends = ends;
    return action;
}

/// Classifies an EXPIRE by whether the client has just tried to acquire the lock, and with which result.
std::optional<TracedAction> TracedLock::expiredAfterAcquiring(const TracedCommand &command)
{
    const auto isLately = [&](const std::optional<WallTime> &time) { return time && command.at - *time <= maxGap; };
    const Client client = m_clients.value(command.client);
    if (isScripts(command) || m_presence != Presence::Held)
        return std::nullopt;
    if (isLately(client.won)) {
        m_clients[command.client].won.reset();
        if (command.isInTransaction || !isOneClient(command.client))
            return std::nullopt;
        return TracedAction {ActionKind::SeparateExpire, command.client};
    }
    if (!isLately(client.lost))
        return changed(command, ActionKind::UncheckedRenewal);
    if (!isOneClient(command.client) || command.client == m_acquirer)
        return std::nullopt;
    // Either the acquirer is known, or two clients have failed to acquire; at most one of them could be the holder that
    // retries.
    m_contenders.insert(command.client);
    if (m_acquirer.isEmpty() && m_contenders.size() < 2)
        return std::nullopt;
    return TracedAction {ActionKind::ForeignExpire, command.client};
}

} // namespace latchkey::detection
