#include "core/keyspace/watching/keytrace.h"

#include "core/keyspace/watching/rawvalues.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>
#include <array>

namespace latchkey::watching {

using base::ErrorKind;
using net::Connection;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

constexpr auto traceTimeout = 10s;
/// Maximum length of a line in bytes; a command is one line, whatever its size.
constexpr qint64 maxLineLength = 64LL * 1024 * 1024;

constexpr QByteArrayView hexDigits = "0123456789abcdef";

std::optional<char> escapeOf(char byte)
{
    switch (byte) {
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '\a':
        return 'a';
    case '\b':
        return 'b';
    case '\\':
    case '"':
        return byte;
    default:
        return std::nullopt;
    }
}

/// Returns a word quoted as MONITOR quotes it.
QByteArray quoted(QByteArrayView word)
{
    QByteArray text = "\"";
    for (const char byte : word) {
        const auto code = static_cast<unsigned char>(byte);
        if (const auto escape = escapeOf(byte)) {
            text += '\\';
            text += *escape;
        } else if (code >= 0x20 && code < 0x7f) {
            text += byte;
        } else {
            text += "\\x";
            text += hexDigits[code >> 4];
            text += hexDigits[code & 15];
        }
    }
    return text + '"';
}

/// Commands with which a Latchkey process reads a key.
constexpr std::array<QByteArrayView, 17> readingCommands {
    "TYPE",  "PTTL",  "PEXPIRETIME", "STRLEN", "GETRANGE", "HLEN",   "HSCAN", "LLEN",  "LRANGE",
    "SCARD", "SSCAN", "ZCARD",       "ZRANGE", "XLEN",     "XRANGE", "DUMP",  "MEMORY"};

/// Returns the commands as the watcher sends them.
std::vector<resp::Command> readsOf(const base::Key &key)
{
    using keys::KeyType;
    std::vector<resp::Command> reads {resp::pttl(key), {QByteArrayLiteral("PEXPIRETIME"), key.bytes()}};
    for (const KeyType type : {KeyType::String, KeyType::Hash, KeyType::List, KeyType::Set, KeyType::SortedSet,
                               KeyType::Stream, KeyType::Other}) {
        for (resp::Command &command : valueCommands(key, type))
            reads.push_back(std::move(command));
    }
    return reads;
}

char unescaped(char letter)
{
    for (const char byte : {'\n', '\r', '\t', '\a', '\b'}) {
        if (escapeOf(byte) == letter)
            return byte;
    }
    return letter;
}

/// Parses the quoted words; absent if a quote is not closed.
std::optional<resp::Command> wordsFrom(QByteArrayView text)
{
    resp::Command words;
    for (qsizetype at = 0; at < text.size(); ++at) {
        if (text[at] == ' ')
            continue;
        if (text[at] != '"')
            return std::nullopt;
        QByteArray word;
        for (++at; at < text.size() && text[at] != '"'; ++at) {
            if (text[at] != '\\') {
                word += text[at];
            } else if (text.sliced(at).startsWith("\\x") && at + 3 < text.size()) {
                word += QByteArray::fromHex(text.sliced(at + 2, 2).toByteArray());
                at += 3;
            } else if (++at < text.size()) {
                word += unescaped(text[at]);
            }
        }
        if (at >= text.size())
            return std::nullopt;
        words << word;
    }
    return words;
}

} // namespace

std::optional<TracedCommand> tracedCommandFrom(QByteArrayView line)
{
    const qsizetype open = line.indexOf(" [");
    const qsizetype space = line.indexOf(' ', open + 2);
    const qsizetype close = line.indexOf("] ", space);
    if (open < 0 || space < 0 || close < 0)
        return std::nullopt;
    bool isTime = false;
    bool isNumber = false;
    const double seconds = line.first(open).toDouble(&isTime);
    TracedCommand command;
    command.database = line.sliced(open + 2, space - open - 2).toInt(&isNumber);
    command.client = line.sliced(space + 1, close - space - 1).toByteArray();
    const auto words = wordsFrom(line.sliced(close + 2));
    if (!isTime || !isNumber || !words || words->words().empty())
        return std::nullopt;
    command.at = base::WallTime(std::chrono::milliseconds(static_cast<qint64>(seconds * 1000)));
    command.words = *words;
    return command;
}

KeyTrace::KeyTrace(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{
    m_end.setSingleShot(true);
    connect(&m_end, &QTimer::timeout, this, [this] { end(std::nullopt); });
}

KeyTrace::~KeyTrace() = default;

void KeyTrace::start(const net::Endpoint &endpoint, const QList<QByteArray> &keys, std::chrono::milliseconds duration)
{
    m_end.stop();
    m_connection.reset();
    m_keys.clear();
    m_reads.clear();
    m_addresses.clear();
    m_transactions.clear();
    m_names = keys;
    m_beginnings.clear();
    for (const QByteArray &key : keys) {
        m_keys.emplace_back(quoted(key));
        for (resp::Command &command : readsOf(base::Key(key)))
            m_reads.push_back(std::move(command));
    }
    m_database = endpoint.database;
    m_duration = duration;
    m_received = 0;
    m_matched = 0;
    m_ownReads = 0;
    m_dialer = std::make_unique<net::Dialer>(m_clock);
    resp::ReplyLimits limits;
    limits.lineLength = maxLineLength;
    m_dialer->setReplyLimits(limits);
    m_dialer->dial(endpoint, traceTimeout,
                   [this](base::Result<net::DialResult<Connection>> result) { dialled(std::move(result)); });
}

void KeyTrace::stop()
{
    if (isActive())
        end(std::nullopt);
}

std::optional<std::chrono::milliseconds> KeyTrace::left() const
{
    return m_end.isActive() ? std::optional(m_end.remainingTimeAsDuration()) : std::nullopt;
}

void KeyTrace::dialled(base::Result<net::DialResult<Connection>> result)
{
    if (!result)
        return end(result.error());
    m_connection = std::move(result->connection);
    connect(m_connection.get(), &Connection::closed, this, [this](const base::Error &error) { end(error); });
    m_connection->setMessageHandler(this, [this](const Reply &line) { receive(line); });
    resp::Commands commands {{QByteArrayLiteral("CLIENT"), QByteArrayLiteral("GETNAME")},
                             {QByteArrayLiteral("CLIENT"), QByteArrayLiteral("LIST")}};
    // The server executes a pipeline without interruption if it arrives at once, so no command lies between these and
    // the start of MONITOR.
    for (const QByteArray &key : m_names)
        commands.push_back(resp::pttl(base::Key(key)));
    commands.push_back({QByteArrayLiteral("MONITOR")});
    m_connection->send(commands, traceTimeout, this, [this](const base::Result<Connection::Delivery> &outcome) {
        if (outcome)
            answered(*outcome); // Otherwise closed() reports the reason.
    });
}

void KeyTrace::answered(const Connection::Delivery &delivery)
{
    const resp::Replies &replies = delivery.replies;
    if (replies.back().isError())
        return end(resp::serverError(replies.back()));
    m_name = replies[0].isBulk() ? replies[0].bytes() : QByteArray();
    if (replies[1].isBulk())
        learnAddresses(replies[1].bytes());
    for (qsizetype i = 0; i < m_names.size(); ++i) {
        const Reply &left = replies[static_cast<std::size_t>(i + 2)];
        if (left.isInteger())
            m_beginnings.insert(m_names[i], events::existenceFrom(left.toInteger(), delivery.sent, delivery.received));
    }
    m_end.start(m_duration);
    Q_EMIT began();
}

std::optional<events::ObservationContent> KeyTrace::beginningOf(const QByteArray &key) const
{
    const auto found = m_beginnings.constFind(key);
    return found == m_beginnings.cend() ? std::nullopt : std::optional(*found);
}

void KeyTrace::learnAddresses(const QByteArray &clientList)
{
    for (const QByteArray &line : clientList.split('\n')) {
        const QByteArrayList fields = line.split(' ');
        const auto address =
            std::ranges::find_if(fields, [](const QByteArray &field) { return field.startsWith("addr="); });
        if (!m_name.isEmpty() && address != fields.end() && fields.contains("name=" + m_name))
            m_addresses.insert(address->sliced(5));
    }
}

bool KeyTrace::isOwnRead(const TracedCommand &command) const
{
    if (command.client.startsWith("unix:"))
        return std::ranges::find(m_reads, command.words) != m_reads.end();
    return m_addresses.contains(command.client)
        && std::ranges::find(readingCommands, command.words.words().front()) != readingCommands.end();
}

/// Tracks transactions: their commands are reported at execution, between MULTI and EXEC.
void KeyTrace::noteTransaction(QByteArrayView line)
{
    // Quotes in a word are escaped, so no word can look like this.
    const auto isOnly = [&](QByteArrayView end) {
        return line.size() > end.size() && line.last(end.size()).compare(end, Qt::CaseInsensitive) == 0;
    };
    const bool begins = isOnly("] \"MULTI\"");
    if (!begins && !isOnly("] \"EXEC\"") && !isOnly("] \"DISCARD\"") && !isOnly("] \"RESET\""))
        return;
    const auto command = tracedCommandFrom(line);
    if (!command)
        return;
    if (begins)
        m_transactions.insert(command->client);
    else
        m_transactions.remove(command->client);
}

void KeyTrace::receive(const Reply &line)
{
    ++m_received;
    const QByteArray &text = line.bytes();
    noteTransaction(text);
    const bool namesKey =
        std::ranges::any_of(m_keys, [&](const QByteArrayMatcher &key) { return key.indexIn(text) >= 0; });
    const bool namesUs = !m_name.isEmpty() && text.endsWith("\"SETNAME\" " + quoted(m_name));
    if (!namesKey && !namesUs)
        return;
    auto command = tracedCommandFrom(text);
    if (!command)
        return;
    if (namesUs) // A new connection of a Latchkey.
        m_addresses.insert(command->client);
    // Commands of a script are reported too, with the script's database.
    if (!namesKey || command->database != m_database)
        return;
    command->isOwnRead = isOwnRead(*command);
    command->isInTransaction = m_transactions.contains(command->client);
    if (++(command->isOwnRead ? m_ownReads : m_matched) <= maxDelivered)
        Q_EMIT traced(*command);
}

void KeyTrace::end(const std::optional<base::Error> &error)
{
    m_end.stop();
    // Delete later: this may run within a callback of these objects.
    if (m_connection) {
        m_connection->disconnect(this);
        m_connection.release()->deleteLater();
    }
    if (m_dialer)
        m_dialer.release()->deleteLater();
    Q_EMIT ended(error);
}

} // namespace latchkey::watching
