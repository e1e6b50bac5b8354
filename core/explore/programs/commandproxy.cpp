#include "core/explore/programs/commandproxy.h"

#include "core/explore/programs/resp3replies.h"
#include "core/explore/programs/tokenplaceholders.h"
#include "core/explore/schedules/waiting.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using resp::Command;
using resp::Commands;
using resp::Replies;
using resp::Reply;

namespace {

constexpr int maxConversations = 64;
/// Limit of consecutive local commands. A process that exceeds it probably never sends a step.
constexpr int maxAnsweredAtOnce = 2'000;

/// Returns whether nil is sent as the null array of RESP2, as from an aborted EXEC and from some timeouts.
bool answersWithNullArray(const Commands &commands)
{
    const auto waiting = schedules::waitingOf(commands);
    return commands.back().name().toUpper() == "EXEC" || (waiting && waiting->endsWithNullArray);
}

std::optional<Command> commandFrom(const Reply &request)
{
    if (!request.isArray())
        return std::nullopt;
    Command command;
    for (const Reply &element : request.elements()) {
        if (!element.isBulk())
            return std::nullopt;
        command << element.bytes();
    }
    return command;
}

} // namespace

CommandProxy::~CommandProxy()
{
    for (const auto &conversation : m_conversations)
        close(*conversation);
}

Result<bool> CommandProxy::readInput()
{
    if (m_error)
        return failure(*m_error);
    bool hasArrived = false;
    for (const Listener &listener : m_listeners) {
        while (accept(listener))
            hasArrived = true;
    }
    for (std::size_t i = 0; i < m_conversations.size(); ++i) {
        const auto has = read(*m_conversations[i]);
        if (!has)
            return has;
        hasArrived = hasArrived || *has;
    }
    return hasArrived;
}

bool CommandProxy::accept(const Listener &listener)
{
    const int descriptor = ::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0)
        return false;
    const int atOnce = 1;
    // Fails on a Unix socket, which has no such delay.
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &atOnce, sizeof atOnce);
    m_connectedServers |= 1U << listener.server();
    m_conversations.push_back(std::make_unique<Conversation>());
    m_conversations.back()->descriptor = descriptor;
    m_conversations.back()->server = listener.server();
    m_conversations.back()->connection.id = m_nextClientId++;
    return true;
}

Result<bool> CommandProxy::read(Conversation &conversation)
{
    bool hasArrived = false;
    std::array<char, 16 * 1024> bytes {};
    while (conversation.descriptor >= 0) {
        const ssize_t count = ::recv(conversation.descriptor, bytes.data(), bytes.size(), 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            break;
        hasArrived = true;
        if (count <= 0) {
            close(conversation);
            // The server executes sent commands anyway, but a disconnected client does not wait in the server any more.
            if (conversation.offer && schedules::waitingOf(*conversation.offer))
                conversation.offer.reset();
            break;
        }
        constexpr char tlsHandshake = 0x16;
        if (!std::exchange(conversation.hasSentCommand, true) && bytes.front() == tlsHandshake)
            return failure(ErrorKind::Protocol,
                           QT_TRANSLATE_NOOP("core", "it begins with TLS: let it connect without, as the URL that it "
                                                     "is given says"));
        Replies requests;
        bool isRedis = conversation.reader.feed(QByteArrayView(bytes.data(), count), requests).has_value();
        for (const Reply &request : requests) {
            auto command = commandFrom(request);
            isRedis = isRedis && command;
            if (command && !command->words().empty())
                conversation.waiting.push_back(*std::move(command));
        }
        if (!isRedis)
            return failure(ErrorKind::Protocol,
                           QT_TRANSLATE_NOOP("core", "what it sends is not the Redis protocol (RESP2; inline commands "
                                                     "are not supported)"));
    }
    if (const auto proceeded = proceed(conversation); !proceeded)
        return failure(proceeded.error());
    send(conversation);
    if (conversation.descriptor < 0 && !conversation.offer && conversation.number >= 0) {
        m_freed += conversation.number;
        releaseNumber(conversation);
    }
    return hasArrived;
}

/// Answers all local commands up to the first step.
Result<void> CommandProxy::proceed(Conversation &conversation)
{
    while (!conversation.offer && !conversation.waiting.empty()) {
        const Command command = std::move(conversation.waiting.front());
        conversation.waiting.pop_front();
        if (const auto why = unsupportedReason(conversation, command))
            return failure(ErrorKind::Protocol, *why);
        if (conversation.transaction && schedules::changesSubscriptions(command))
            return failure(ErrorKind::Protocol,
                           QT_TRANSLATE_NOOP("core", "it sends %1 within a transaction, where no client waits for as "
                                                     "many answers as there are"),
                           QString::fromUtf8(command.name()));
        if (!conversation.transaction) {
            if (const auto answer = answerLocally(conversation, command)) {
                if (++m_localAnswers > maxAnsweredAtOnce)
                    return failure(
                        ErrorKind::Protocol,
                        QT_TRANSLATE_NOOP(
                            "core",
                            "it sends %1 and similar commands without end, and no command that reads or writes a key"),
                        QString::fromUtf8(command.name()));
                deliver(conversation, {command}, *answer);
                if (command.name().toUpper() == "QUIT") { // The server closes the connection; clients wait for that.
                    send(conversation);
                    close(conversation);
                    releaseNumber(conversation);
                    conversation.waiting.clear();
                }
                continue;
            }
        }
        if (queue(conversation, m_localReplies[conversation.server].withScriptSource(command)))
            continue;
        m_localAnswers = 0;
    }
    return {};
}

/// Returns the reason why a client that sends this command here cannot be explored; absent: no reason.
std::optional<base::Text> CommandProxy::unsupportedReason(const Conversation &conversation, const Command &command)
{
    if (auto why = LocalReplies::unsupportedReason(command); why || conversation.connection.protocol < 3)
        return why;
    static constexpr std::array always {"PING", "QUIT", "RESET", "HELLO", "CLIENT"};
    const bool isMixed = !conversation.subscriptions.isEmpty() && !schedules::changesSubscriptions(command)
                      && std::ranges::find(always, command.name().toUpper()) == always.end();
    return isMixed ? base::Text(QT_TRANSLATE_NOOP("core", "it sends %1 on a connection with subscriptions: let it "
                                                          "subscribe on a connection of its own"),
                                QString::fromUtf8(command.name()))
                   : unsupportedInResp3(command);
}

std::optional<Reply> CommandProxy::answerLocally(Conversation &conversation, const Command &command)
{
    const bool isPlain = conversation.subscriptions.isEmpty() || conversation.connection.protocol > 2;
    if (!isPlain && command.name().toUpper() == "PING") // Differs from a message.
        return Reply::array({Reply::bulk("pong"), Reply::bulk(command.words().size() > 1 ? command.words()[1] : "")});
    return m_localReplies[conversation.server].answerTo(command, conversation.connection);
}

/// Sorts the conversations by server and command, because the order in which threads run is random. Long words come
/// last, since they may be random. Equal commands are sorted by arrival.
Result<void> CommandProxy::numberConversations()
{
    std::vector<Conversation *> begun;
    QSet<int> taken = m_retired + std::exchange(m_freed, {});
    for (const auto &conversation : m_conversations) {
        const bool isNew = std::exchange(conversation->hasNewOffer, false) && conversation->offer;
        if (isNew && (conversation->number < 0 || !conversation->hasState()))
            begun.push_back(conversation.get());
        else if (conversation->number >= 0)
            taken += conversation->number;
    }
    const auto sortKey = [](const Conversation *conversation) {
        QByteArrayList words;
        for (const QByteArray &word : conversation->offer->back().words())
            words += word.size() < minimumTokenLength ? word : QByteArray();
        return std::tuple(conversation->server, words.join(' '), conversation->offer->back().words());
    };
    std::ranges::stable_sort(begun, {}, sortKey);
    int next = 0;
    for (Conversation *conversation : begun) {
        while (taken.contains(next))
            ++next;
        conversation->number = next++;
    }
    if (next > maxConversations)
        return failure(ErrorKind::Protocol,
                       QT_TRANSLATE_NOOP("core", "it opens one connection after the other, more than %1"),
                       maxConversations);
    return {};
}

bool CommandProxy::queue(Conversation &conversation, const Command &command)
{
    const QByteArray name = command.name().toUpper();
    if (!conversation.transaction) {
        if (name != "MULTI") {
            conversation.offer = Commands {command};
            conversation.hasNewOffer = true;
            return false;
        }
        conversation.transaction = Commands {command};
        deliver(conversation, {command}, Reply::status("OK"));
        return true;
    }
    conversation.transaction->push_back(command);
    if (name == "EXEC" || name == "DISCARD") {
        conversation.offer = *std::exchange(conversation.transaction, std::nullopt);
        conversation.hasNewOffer = true;
        return false;
    }
    deliver(conversation, {command}, Reply::status("QUEUED"));
    return true;
}

void CommandProxy::wait(std::chrono::microseconds longest) const
{
    std::vector<pollfd> waiting;
    for (const Listener &listener : m_listeners)
        waiting.push_back({listener.descriptor(), POLLIN, 0});
    for (const auto &conversation : m_conversations) {
        if (conversation->descriptor >= 0)
            waiting.push_back({conversation->descriptor, POLLIN, 0});
    }
    const timespec time {0, std::chrono::nanoseconds(longest).count()};
    ::ppoll(waiting.data(), waiting.size(), &time, nullptr);
}

std::vector<races::Offer> CommandProxy::offers() const
{
    std::vector<races::Offer> offers;
    for (const auto &conversation : m_conversations) {
        if (conversation->offer)
            offers.push_back({static_cast<quint8>(conversation->number), *conversation->offer, conversation->server});
    }
    std::ranges::sort(offers, {}, &races::Offer::conversation);
    return offers;
}

CommandProxy::Conversation *CommandProxy::find(int number)
{
    const auto found = std::ranges::find_if(m_conversations, [&](const auto &each) { return each->number == number; });
    return found == m_conversations.end() ? nullptr : found->get();
}

void CommandProxy::answer(int number, const Reply &reply)
{
    Conversation *conversation = find(number);
    if (conversation == nullptr || !conversation->offer)
        return;
    const Command command = conversation->offer->back();
    const QByteArray name = command.name().toUpper();
    conversation->isWatching = (conversation->isWatching || (name == "WATCH" && !reply.isError())) && name != "EXEC"
                            && name != "DISCARD" && name != "UNWATCH";
    if (schedules::changesSubscriptions(command) && !reply.isError()) {
        conversation->subscriptions.apply(command);
        conversation->hasSubscribed = true;
        for (const Reply &each : reply.elements()) // Each subscription has its own reply.
            push(*conversation, each);
    } else {
        deliver(*conversation, *conversation->offer, reply);
    }
    conversation->offer.reset();
    if (conversation->descriptor < 0 || !conversation->hasState())
        releaseNumber(*conversation);
    // The replies to the local commands that follow are sent together with this reply. Otherwise, the process may read
    // them together or one after the other, and may act differently.
    if (auto proceeded = proceed(*conversation); !proceeded)
        m_error = std::move(proceeded.error());
    send(*conversation);
}

void CommandProxy::deliver(int number, const Reply &message)
{
    if (Conversation *conversation = find(number)) {
        push(*conversation, message);
        send(*conversation);
    }
}

quint64 CommandProxy::listening() const
{
    quint64 listening = 0;
    for (const auto &each : m_conversations) {
        if (each->descriptor >= 0 && each->number >= 0 && !each->subscriptions.isEmpty())
            listening |= quint64(1) << each->number;
    }
    return listening;
}

void CommandProxy::closeConversation(int number)
{
    Conversation *conversation = find(number);
    if (conversation == nullptr)
        return;
    close(*conversation);
    releaseNumber(*conversation);
    conversation->offer.reset();
    conversation->waiting.clear();
}

bool CommandProxy::hasOpenConversation() const
{
    return std::ranges::any_of(m_conversations, [](const auto &each) { return each->descriptor >= 0; });
}

void CommandProxy::deliver(Conversation &conversation, const Commands &commands, const Reply &reply)
{
    if (conversation.connection.protocol > 2)
        encodeAsResp3(commands, reply, conversation.output);
    else if (reply.isNil() && answersWithNullArray(commands))
        conversation.output += "*-1\r\n";
    else
        resp::encode(reply, conversation.output);
}

void CommandProxy::push(Conversation &conversation, const Reply &message)
{
    if (conversation.connection.protocol > 2)
        encodeAsPush(message, conversation.output);
    else
        resp::encode(message, conversation.output);
}

void CommandProxy::send(Conversation &conversation)
{
    const QByteArray wire = std::exchange(conversation.output, {});
    for (qsizetype sent = 0; conversation.descriptor >= 0 && sent < wire.size();) {
        const ssize_t count = ::send(conversation.descriptor, wire.constData() + sent,
                                     static_cast<std::size_t>(wire.size() - sent), MSG_NOSIGNAL);
        if (count > 0) {
            sent += count;
        } else if (errno == EAGAIN) {
            pollfd writable {conversation.descriptor, POLLOUT, 0};
            if (::poll(&writable, 1, 1000) <= 0)
                return; // The process does not read; settle() will report that it does not continue.
        } else if (errno != EINTR) {
            return; // The process has closed the connection; read() will notice it.
        }
    }
}

void CommandProxy::close(Conversation &conversation)
{
    if (conversation.descriptor >= 0)
        ::close(std::exchange(conversation.descriptor, -1));
}

/// Releases the conversation's number. The number is not used again if the server may still have a state for its
/// connection.
void CommandProxy::releaseNumber(Conversation &conversation)
{
    if (conversation.number >= 0 && conversation.hasState())
        m_retired += conversation.number;
    conversation.number = -1;
}

} // namespace latchkey::programs
