#include "core/redis/resp/codec.h"

#include <QVarLengthArray>

#include <cstdlib>
#include <hiredis/hiredis.h>
#include <new>

// The only file that includes hiredis, in any version from 0.14 on. Functions and fields are set by name, because later
// versions add to the structures and widen int to size_t.

namespace latchkey::resp {

QString hiredisVersion()
{
    return QStringLiteral("%1.%2.%3").arg(HIREDIS_MAJOR).arg(HIREDIS_MINOR).arg(HIREDIS_PATCH);
}

void encode(const Command &command, QByteArray &wire)
{
    const auto &words = command.words();
    QVarLengthArray<const char *, 16> data;
    QVarLengthArray<std::size_t, 16> lengths;
    for (const QByteArray &word : words) {
        data.push_back(word.constData());
        lengths.push_back(static_cast<std::size_t>(word.size()));
    }
    char *encoded = nullptr;
    const auto length = redisFormatCommandArgv(&encoded, static_cast<int>(words.size()), data.data(), lengths.data());
    if (length < 0)
        throw std::bad_alloc();
    wire.append(encoded, static_cast<qsizetype>(length));
    redisFreeCommand(encoded);
}

void encode(const Reply &reply, QByteArray &wire)
{
    switch (reply.kind()) {
    case Reply::Kind::Nil:
        wire += "$-1\r\n";
        break;
    case Reply::Kind::Status:
        wire += '+' + reply.bytes() + "\r\n";
        break;
    case Reply::Kind::Error:
        wire += '-' + reply.bytes() + "\r\n";
        break;
    case Reply::Kind::Integer:
        wire += ':' + QByteArray::number(reply.toInteger()) + "\r\n";
        break;
    case Reply::Kind::Bulk:
        wire += '$' + QByteArray::number(reply.bytes().size()) + "\r\n" + reply.bytes() + "\r\n";
        break;
    case Reply::Kind::Array:
        wire += '*' + QByteArray::number(static_cast<qint64>(reply.elements().size())) + "\r\n";
        for (const Reply &element : reply.elements())
            encode(element, wire);
        break;
    }
}

/// A builder of replies in place while hiredis parses. The reply tree of hiredis itself is never created.
class ReplyBuilder final
{
public:
    static void *string(const redisReadTask *task, char *bytes, std::size_t length)
    {
        QByteArray text(bytes, static_cast<qsizetype>(length));
        switch (task->type) {
        case REDIS_REPLY_STATUS:
            return place(task, Reply::status(std::move(text)));
        case REDIS_REPLY_ERROR:
            return place(task, Reply::error(std::move(text)));
        default:
            return place(task, Reply::bulk(std::move(text)));
        }
    }

    static void *array(const redisReadTask *task, std::size_t elements)
    {
        return place(task, Reply::array(Replies(elements)));
    }
    static void *integer(const redisReadTask *task, long long value) { return place(task, Reply::integer(value)); }
    static void *nil(const redisReadTask *task) { return place(task, Reply::nil()); }

private:
    static void *place(const redisReadTask *task, Reply &&reply)
    {
        Reply *slot = task->parent == nullptr
                        ? static_cast<Reply *>(task->privdata)
                        : &static_cast<Reply *>(task->parent->obj)->m_elements[static_cast<std::size_t>(task->idx)];
        *slot = std::move(reply);
        return slot;
    }
};

namespace {

redisReplyObjectFunctions *replyFunctions()
{
    static redisReplyObjectFunctions functions = [] {
        redisReplyObjectFunctions f {};
        f.createString = &ReplyBuilder::string;
        f.createArray = [](const redisReadTask *task, auto elements) -> void * {
            return ReplyBuilder::array(task, static_cast<std::size_t>(elements));
        };
        f.createInteger = &ReplyBuilder::integer;
        f.createNil = &ReplyBuilder::nil;
        f.freeObject = [](void *) {}; // The parser owns the one root; elements live in it.
        return f;
    }();
    return &functions;
}

} // namespace

struct ReplyReader::Parser
{
    Parser()
        : reader(redisReaderCreateWithFunctions(replyFunctions()))
    {
        if (reader == nullptr)
            throw std::bad_alloc();
        reader->privdata = &root;
    }
    ~Parser() { redisReaderFree(reader); }
    Q_DISABLE_COPY_MOVE(Parser)

    Reply root;
    redisReader *const reader;
};

ReplyReader::ReplyReader(const ReplyLimits &limits)
    : m_guard(limits)
    , m_parser(std::make_unique<Parser>())
{}

ReplyReader::~ReplyReader() = default;

base::Result<void> ReplyReader::feed(QByteArrayView bytes, Replies &replies)
{
    // hiredis moves the rest of its buffer after every parsed kilobyte. Small pieces keep that cheap.
    constexpr qsizetype bite = 16 * 1024;

    while (!bytes.isEmpty()) {
        const QByteArrayView part = bytes.first(std::min(bite, bytes.size()));
        bytes = bytes.sliced(part.size());
        const auto complete = m_guard.inspect(part);
        if (!complete)
            return base::failure(complete.error());
        if (redisReaderFeed(m_parser->reader, part.data(), static_cast<std::size_t>(part.size())) != REDIS_OK)
            throw std::bad_alloc();
        for (qsizetype i = 0; i < *complete; ++i) {
            void *reply = nullptr;
            if (redisReaderGetReply(m_parser->reader, &reply) != REDIS_OK || reply == nullptr)
                return base::failure(base::ErrorKind::Protocol,
                                     QT_TRANSLATE_NOOP("core", "the server's reply cannot be parsed: %1"),
                                     QString::fromLatin1(m_parser->reader->errstr));
            replies.push_back(std::move(m_parser->root));
        }
    }
    return {};
}

} // namespace latchkey::resp
