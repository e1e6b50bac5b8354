#pragma once

#include "core/base/bytes.h"
#include "core/base/lease.h"

#include <QByteArray>
#include <QList>

#include <vector>

namespace latchkey::resp {

/// One command for a server: its name and arguments, as bytes.
///
/// A value type that knows nothing about any command; the functions below spell those that the recipes use, so that a
/// recipe reads as its description does. Encoding is the codec's.
class Command
{
public:
    Command() = default;
    Command(std::initializer_list<QByteArray> words)
        : m_words(words)
    {}

    Command &operator<<(QByteArray word)
    {
        m_words.push_back(std::move(word));
        return *this;
    }
    Command &operator<<(qint64 number) { return *this << QByteArray::number(number); }
    Command &operator<<(const base::Key &key) { return *this << key.bytes(); }

    void reserve(std::size_t words) { m_words.reserve(words); }

    [[nodiscard]] const std::vector<QByteArray> &words() const { return m_words; }
    /// The command's name as it was written, `SET`; empty for an empty command.
    [[nodiscard]] QByteArray name() const { return m_words.empty() ? QByteArray() : m_words.front(); }

    /// EVAL or EVALSHA: its second word says which script.
    [[nodiscard]] bool callsScript() const;
    /// The same command with another word there; 0 is the name.
    [[nodiscard]] Command withWord(std::size_t index, QByteArray word) const;

    /// As one would type it into redis-cli, cut where it is long. What follows AUTH is never shown.
    [[nodiscard]] QString toText() const;

    friend bool operator==(const Command &, const Command &) = default;

private:
    std::vector<QByteArray> m_words;
};

using Commands = std::vector<Command>;

/// `SET key value` and its options, in the order in which they are called.
class SetCommand final : public Command
{
public:
    explicit SetCommand(const base::Key &key);

    [[nodiscard]] SetCommand &&to(const base::OwnerToken &token) &&;
    [[nodiscard]] SetCommand &&to(const QByteArray &value) &&;
    /// NX: only if the key does not exist.
    [[nodiscard]] SetCommand &&ifAbsent() &&;
    /// IFEQ: only if the key holds this. (Redis 8.4, Valkey 8.1.)
    [[nodiscard]] SetCommand &&ifEqual(const base::OwnerToken &token) &&;
    /// PX: in milliseconds.
    [[nodiscard]] SetCommand &&expiringIn(base::Lease lease) &&;
    /// EX: the lease must be whole seconds.
    [[nodiscard]] SetCommand &&expiringInSeconds(base::Lease lease) &&;
};

[[nodiscard]] inline SetCommand set(const base::Key &key)
{
    return SetCommand(key);
}
[[nodiscard]] Command get(const base::Key &key);
[[nodiscard]] Command del(const base::Key &key);
/// 1 where the key exists, 0 where it does not.
[[nodiscard]] Command exists(const base::Key &key);
/// DELIFEQ: 1 where the key held the token and has been deleted, 0 where it holds something else or is not there.
/// (Valkey 9.0.)
[[nodiscard]] Command deleteIfEqual(const base::Key &key, const base::OwnerToken &token);
/// DELEX … IFEQ: the same. (Redis 8.4.) Without its condition it would delete whatever is there.
[[nodiscard]] Command deleteExtended(const base::Key &key, const base::OwnerToken &token);
/// The older form of `SET … NX`: 1 where it set the key, 0 where the key exists.
[[nodiscard]] Command setnx(const base::Key &key, const QByteArray &value);
/// Sets the key and answers what it held before.
[[nodiscard]] Command getset(const base::Key &key, const QByteArray &value);
/// EXPIRE where the lease is whole seconds, PEXPIRE where it is not: 1 where it gave the key that lifetime, 0 where
/// there is no key.
[[nodiscard]] Command expire(const base::Key &key, base::Lease lease);
/// Commands between MULTI and EXEC are queued, then carried out with nobody's in between; not at all (nil) where a
/// key that was watched before has changed since.
[[nodiscard]] Command multi();
[[nodiscard]] Command exec();
/// Leaves MULTI without carrying anything out, and unwatches.
[[nodiscard]] Command discard();
[[nodiscard]] Command watch(const base::Key &key);
[[nodiscard]] Command unwatch();
/// Milliseconds left; -1 without expiry, -2 without key. Never TTL, which rounds to seconds.
[[nodiscard]] Command pttl(const base::Key &key);
[[nodiscard]] Command type(const base::Key &key);
/// In milliseconds. 0 where there is no such key.
[[nodiscard]] Command pexpire(const base::Key &key, base::Lease lease);
/// The lease must be whole seconds.
[[nodiscard]] Command setex(const base::Key &key, base::Lease lease, const QByteArray &value);
/// In milliseconds.
[[nodiscard]] Command psetex(const base::Key &key, base::Lease lease, const QByteArray &value);
/// At least one field and its value are to follow: `hset(key) << field << value`.
[[nodiscard]] Command hset(const base::Key &key);
/// At least one field is to follow.
[[nodiscard]] Command hdel(const base::Key &key);
/// Sets so many fields, each with the lifetime; these and their values are to follow. (Redis 8.0, Valkey 9.0.)
[[nodiscard]] Command hsetex(const base::Key &key, base::Lease lifetime, qint64 fields);
/// Milliseconds left of each of these fields; -1 without a lifetime, -2 without field or key. (Redis 7.4, Valkey 9.0.)
[[nodiscard]] Command hpttl(const base::Key &key, const QList<QByteArray> &fields);
[[nodiscard]] Command hgetall(const base::Key &key);
[[nodiscard]] Command ping();

} // namespace latchkey::resp
