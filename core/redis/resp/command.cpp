#include "core/redis/resp/command.h"

namespace latchkey::resp {

namespace {

QString wordText(const QByteArray &word)
{
    constexpr qsizetype maxWordLength = 120;
    const QString text = base::printable(word, maxWordLength);
    const bool plain = !text.isEmpty() && !text.contains(u' ') && !text.contains(u'"');
    return plain ? text : QLatin1Char('"') + QString(text).replace(u'"', QLatin1String("\\\"")) + QLatin1Char('"');
}

qint64 secondsOf(base::Lease lease)
{
    return std::chrono::duration_cast<std::chrono::seconds>(lease.duration()).count();
}

} // namespace

bool Command::callsScript() const
{
    const QByteArray upper = name().toUpper();
    return m_words.size() >= 2
        && (upper == "EVALSHA" || upper == "EVAL" || upper == "EVALSHA_RO" || upper == "EVAL_RO");
}

Command Command::withWord(std::size_t index, QByteArray word) const
{
    Command changed = *this;
    changed.m_words.at(index) = std::move(word);
    return changed;
}

QString Command::toText() const
{
    QString text;
    const bool secret = name().compare("AUTH", Qt::CaseInsensitive) == 0;
    for (const QByteArray &word : m_words) {
        const bool first = &word == &m_words.front();
        text += (first ? QString() : QStringLiteral(" "))
              + (secret && !first ? QStringLiteral("(hidden)") : wordText(word));
    }
    return text;
}

SetCommand::SetCommand(const base::Key &key)
{
    reserve(6);
    *this << QByteArrayLiteral("SET") << key;
}

SetCommand &&SetCommand::to(const base::OwnerToken &token) &&
{
    *this << token.bytes();
    return std::move(*this);
}

SetCommand &&SetCommand::to(const QByteArray &value) &&
{
    *this << value;
    return std::move(*this);
}

SetCommand &&SetCommand::ifAbsent() &&
{
    *this << QByteArrayLiteral("NX");
    return std::move(*this);
}

SetCommand &&SetCommand::ifEqual(const base::OwnerToken &token) &&
{
    *this << QByteArrayLiteral("IFEQ") << token.bytes();
    return std::move(*this);
}

SetCommand &&SetCommand::expiringIn(base::Lease lease) &&
{
    *this << QByteArrayLiteral("PX") << lease.duration().count();
    return std::move(*this);
}

SetCommand &&SetCommand::expiringInSeconds(base::Lease lease) &&
{
    *this << QByteArrayLiteral("EX") << secondsOf(lease);
    return std::move(*this);
}

Command get(const base::Key &key)
{
    return {QByteArrayLiteral("GET"), key.bytes()};
}

Command del(const base::Key &key)
{
    return {QByteArrayLiteral("DEL"), key.bytes()};
}

Command exists(const base::Key &key)
{
    return {QByteArrayLiteral("EXISTS"), key.bytes()};
}

Command deleteIfEqual(const base::Key &key, const base::OwnerToken &token)
{
    return {QByteArrayLiteral("DELIFEQ"), key.bytes(), token.bytes()};
}

Command deleteExtended(const base::Key &key, const base::OwnerToken &token)
{
    return {QByteArrayLiteral("DELEX"), key.bytes(), QByteArrayLiteral("IFEQ"), token.bytes()};
}

Command setnx(const base::Key &key, const QByteArray &value)
{
    return {QByteArrayLiteral("SETNX"), key.bytes(), value};
}

Command getset(const base::Key &key, const QByteArray &value)
{
    return {QByteArrayLiteral("GETSET"), key.bytes(), value};
}

Command expire(const base::Key &key, base::Lease lease)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lease.duration());
    const bool isWhole = seconds == lease.duration();
    return {isWhole ? QByteArrayLiteral("EXPIRE") : QByteArrayLiteral("PEXPIRE"), key.bytes(),
            QByteArray::number(static_cast<qint64>(isWhole ? seconds.count() : lease.duration().count()))};
}

Command multi()
{
    return {QByteArrayLiteral("MULTI")};
}

Command exec()
{
    return {QByteArrayLiteral("EXEC")};
}

Command discard()
{
    return {QByteArrayLiteral("DISCARD")};
}

Command watch(const base::Key &key)
{
    return {QByteArrayLiteral("WATCH"), key.bytes()};
}

Command unwatch()
{
    return {QByteArrayLiteral("UNWATCH")};
}

Command pttl(const base::Key &key)
{
    return {QByteArrayLiteral("PTTL"), key.bytes()};
}

Command type(const base::Key &key)
{
    return {QByteArrayLiteral("TYPE"), key.bytes()};
}

Command idleTime(const base::Key &key)
{
    return {QByteArrayLiteral("OBJECT"), QByteArrayLiteral("IDLETIME"), key.bytes()};
}

Command pexpire(const base::Key &key, base::Lease lease)
{
    return {QByteArrayLiteral("PEXPIRE"), key.bytes(), QByteArray::number(lease.duration().count())};
}

Command setex(const base::Key &key, base::Lease lease, const QByteArray &value)
{
    return {QByteArrayLiteral("SETEX"), key.bytes(), QByteArray::number(secondsOf(lease)), value};
}

Command psetex(const base::Key &key, base::Lease lease, const QByteArray &value)
{
    return {QByteArrayLiteral("PSETEX"), key.bytes(), QByteArray::number(lease.duration().count()), value};
}

Command hset(const base::Key &key)
{
    return {QByteArrayLiteral("HSET"), key.bytes()};
}

Command hsetex(const base::Key &key, base::Lease lifetime, qint64 fields)
{
    return Command {QByteArrayLiteral("HSETEX")} << key << QByteArrayLiteral("PX")
                                                 << static_cast<qint64>(lifetime.duration().count())
                                                 << QByteArrayLiteral("FIELDS") << fields;
}

Command hpttl(const base::Key &key, const QList<QByteArray> &fields)
{
    Command command {QByteArrayLiteral("HPTTL"), key.bytes(), QByteArrayLiteral("FIELDS")};
    command << static_cast<qint64>(fields.size());
    for (const QByteArray &field : fields)
        command << field;
    return command;
}

Command hdel(const base::Key &key)
{
    return {QByteArrayLiteral("HDEL"), key.bytes()};
}

Command hgetall(const base::Key &key)
{
    return {QByteArrayLiteral("HGETALL"), key.bytes()};
}

Command ping()
{
    return {QByteArrayLiteral("PING")};
}

} // namespace latchkey::resp
