#pragma once

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/lease.h"

#include <QByteArray>
#include <QList>

#include <vector>

namespace latchkey::resp {

/// A command for a server: its name and arguments, as bytes.
///
/// A value type without knowledge of any command. The functions below build the commands that the recipes use, so that
/// a recipe reads like its description. The codec encodes commands.
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
    /// Returns the command's name as written, such as `SET`; empty for an empty command.
    [[nodiscard]] QByteArray name() const { return m_words.empty() ? QByteArray() : m_words.front(); }

    /// Returns whether the command is EVAL or EVALSHA; its second word identifies the script.
    [[nodiscard]] bool callsScript() const;
    /// Returns the command with one word replaced; index 0 is the name.
    [[nodiscard]] Command withWord(std::size_t index, QByteArray word) const;

    /// Returns the command as typed into redis-cli, with long words cut. The arguments of AUTH are hidden.
    [[nodiscard]] QString toText() const;

    friend bool operator==(const Command &, const Command &) = default;

private:
    std::vector<QByteArray> m_words;
};

using Commands = std::vector<Command>;

/// A command `SET key value` with options, in the order of the calls.
class SetCommand final : public Command
{
public:
    explicit SetCommand(const base::Key &key);

    [[nodiscard]] SetCommand &&to(const base::OwnerToken &token) &&;
    [[nodiscard]] SetCommand &&to(const QByteArray &value) &&;
    /// Adds NX: the key is set only if it does not exist.
    [[nodiscard]] SetCommand &&ifAbsent() &&;
    /// Adds IFEQ: the key is set only if it holds this token. (Redis 8.4, Valkey 8.1.)
    [[nodiscard]] SetCommand &&ifEqual(const base::OwnerToken &token) &&;
    /// Adds the lease by PX, in milliseconds.
    [[nodiscard]] SetCommand &&expiringIn(base::Lease lease) &&;
    /// Adds the lease by EX; the lease must be whole seconds.
    [[nodiscard]] SetCommand &&expiringInSeconds(base::Lease lease) &&;
};

[[nodiscard]] inline SetCommand set(const base::Key &key)
{
    return SetCommand(key);
}
[[nodiscard]] Command get(const base::Key &key);
[[nodiscard]] Command del(const base::Key &key);
/// Returns EXISTS. Reply: 1 if the key exists, otherwise 0.
[[nodiscard]] Command exists(const base::Key &key);
/// Returns DELIFEQ. Reply: 1 if the key held the token and was deleted, 0 if it has another value or does not exist.
/// (Valkey 9.0.)
[[nodiscard]] Command deleteIfEqual(const base::Key &key, const base::OwnerToken &token);
/// Returns DELEX … IFEQ, which replies like DELIFEQ. (Redis 8.4.) DELEX without the condition would delete any value.
[[nodiscard]] Command deleteExtended(const base::Key &key, const base::OwnerToken &token);
/// Returns SETNX, the older form of `SET … NX`. Reply: 1 if it set the key, 0 if the key exists.
[[nodiscard]] Command setnx(const base::Key &key, const QByteArray &value);
/// Returns GETSET, which sets the key and replies its old value.
[[nodiscard]] Command getset(const base::Key &key, const QByteArray &value);
/// Returns EXPIRE for a lease of whole seconds, otherwise PEXPIRE. Reply: 1 if it set the expiry, 0 if the key does not
/// exist.
[[nodiscard]] Command expire(const base::Key &key, base::Lease lease);
/// Returns MULTI. The commands up to EXEC are queued and then executed without commands of other clients in between.
/// They are not executed (nil) if a watched key has changed.
[[nodiscard]] Command multi();
[[nodiscard]] Command exec();
/// Returns DISCARD, which leaves MULTI without executing anything, and unwatches all keys.
[[nodiscard]] Command discard();
[[nodiscard]] Command watch(const base::Key &key);
[[nodiscard]] Command unwatch();
/// Returns PTTL. Reply: milliseconds left; -1 without expiry, -2 without key. TTL is never used, because it rounds to
/// seconds.
[[nodiscard]] Command pttl(const base::Key &key);
[[nodiscard]] Command type(const base::Key &key);
[[nodiscard]] Command idleTime(const base::Key &key); ///< OBJECT IDLETIME.
/// Returns PEXPIRE, in milliseconds. Reply: 0 if the key does not exist.
[[nodiscard]] Command pexpire(const base::Key &key, base::Lease lease);
/// Returns SETEX; the lease must be whole seconds.
[[nodiscard]] Command setex(const base::Key &key, base::Lease lease, const QByteArray &value);
/// Returns PSETEX, in milliseconds.
[[nodiscard]] Command psetex(const base::Key &key, base::Lease lease, const QByteArray &value);
/// Returns the start of HSET. At least one field with its value must follow: `hset(key) << field << value`.
[[nodiscard]] Command hset(const base::Key &key);
/// Returns the start of HDEL. At least one field must follow.
[[nodiscard]] Command hdel(const base::Key &key);
/// Returns the start of HSETEX, which sets `fields` fields with this lifetime; the fields and values must follow.
/// (Redis 8.0, Valkey 9.0.)
[[nodiscard]] Command hsetex(const base::Key &key, base::Lease lifetime, qint64 fields);
/// Returns HPTTL. Reply: milliseconds left of each field; -1 without expiry, -2 without field or key. (Redis 7.4,
/// Valkey 9.0.)
[[nodiscard]] Command hpttl(const base::Key &key, const QList<QByteArray> &fields);
[[nodiscard]] Command hgetall(const base::Key &key);
[[nodiscard]] Command ping();

} // namespace latchkey::resp
