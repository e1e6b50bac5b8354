#include "core/keyspace/watching/valuepage.h"

#include "core/keyspace/watching/fieldlifetimes.h"

#include <algorithm>
#include <limits>

namespace latchkey::watching {

using base::ErrorKind;
using base::Key;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using keys::KeyType;
using resp::Command;
using resp::Reply;

namespace {

/// Approximate maximum size of a page of elements, in bytes.
constexpr qint64 maxElementBytes = 1024LL * 1024;
/// Maximum number of type changes of a key before its read fails.
constexpr int maxTypeChanges = 3;
/// Maximum number of scan calls for one page, because one may return no elements.
constexpr int maxPageRounds = 50;

bool isReadable(KeyType type)
{
    return type != KeyType::Unknown && type != KeyType::Other && type != KeyType::Refused;
}

Command sizeCommand(const Key &key, KeyType type)
{
    const QByteArray &name = key.bytes();
    switch (type) {
    case KeyType::String:
        return {"STRLEN", name};
    case KeyType::Hash:
        return {"HLEN", name};
    case KeyType::List:
        return {"LLEN", name};
    case KeyType::Set:
        return {"SCARD", name};
    case KeyType::SortedSet:
        return {"ZCARD", name};
    case KeyType::Stream:
        return {"XLEN", name};
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    return resp::type(key);
}

Command contentCommand(const Key &key, const PageRequest &request)
{
    const QByteArray &name = key.bytes();
    const QByteArray first = QByteArray::number(request.from);
    const QByteArray last = QByteArray::number(request.from + request.limit - 1);
    const QByteArray count = QByteArray::number(request.limit);
    switch (request.type) {
    case KeyType::String:
        return {"GETRANGE", name, first, last};
    case KeyType::Hash:
        return {"HSCAN", name, request.cursor.isEmpty() ? "0" : request.cursor, "COUNT", count};
    case KeyType::List:
        return {"LRANGE", name, first, last};
    case KeyType::Set:
        return {"SSCAN", name, request.cursor.isEmpty() ? "0" : request.cursor, "COUNT", count};
    case KeyType::SortedSet:
        return {"ZRANGE", name, first, last, "WITHSCORES"};
    case KeyType::Stream:
        return {"XRANGE", name, request.cursor.isEmpty() ? "-" : request.cursor, "+", "COUNT", count};
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    return resp::type(key);
}

/// Returns the number of bytes at the end that begin an incomplete character; at most three.
qsizetype cutCharacter(QByteArrayView bytes)
{
    for (qsizetype back = 1; back <= std::min<qsizetype>(3, bytes.size()); ++back) {
        const auto byte = static_cast<uchar>(bytes[bytes.size() - back]);
        if (byte < 0x80)
            return 0;
        if (byte >= 0xc0) {
            const qsizetype length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            return length > back ? back : 0;
        }
    }
    return 0;
}

ValuePage::Row rowOf(const QByteArray &name, const QByteArray &value)
{
    return {name.first(std::min(name.size(), ValuePage::maxPartLength)),
            value.first(std::min(value.size(), ValuePage::maxPartLength)), name.size(), value.size()};
}

/// Returns the fields of a stream entry as `field: value, field: value`.
QByteArray fieldsOf(const Reply &entry)
{
    QByteArray text;
    const auto &parts = entry.elements();
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
        text += (text.isEmpty() ? "" : ", ") + parts[i].bytes() + ": " + parts[i + 1].bytes();
    return text;
}

/// Returns the stream id that follows this one.
QByteArray idBehind(const QByteArray &id)
{
    const qsizetype dash = id.indexOf('-');
    const quint64 time = id.first(std::max<qsizetype>(0, dash)).toULongLong();
    const quint64 number = id.sliced(dash + 1).toULongLong();
    const bool isLast = number == std::numeric_limits<quint64>::max();
    return QByteArray::number(isLast ? time + 1 : time) + '-' + QByteArray::number(isLast ? 0 : number + 1);
}

[[noreturn]] void refuseReply()
{
    throw base::Failure(
        {ErrorKind::Protocol, base::Text(QT_TRANSLATE_NOOP("core", "the server's answer is not a value"))});
}

void takeString(ValuePage &page, const Reply &reply, const PageRequest &request)
{
    if (!reply.isBulk())
        refuseReply();
    page.bytes = reply.bytes();
    const qint64 end = page.from + page.bytes.size();
    if (page.bytes.isEmpty() || end >= page.size.value_or(page.bytes.size() < request.limit ? 0 : end + 1))
        return;
    page.bytes.chop(cutCharacter(page.bytes));
    page.next = PageRequest {page.type, page.from + page.bytes.size(), {}, 0};
}

void takeScanned(ValuePage &page, const Reply &reply)
{
    if (reply.elements().size() != 2)
        refuseReply();
    const auto &elements = reply.elements()[1].elements();
    const std::size_t step = page.type == KeyType::Hash ? 2 : 1;
    for (std::size_t i = 0; i + step <= elements.size(); i += step)
        page.rows += rowOf(elements[i].bytes(), step == 2 ? elements[i + 1].bytes() : QByteArray());
    const QByteArray cursor = reply.elements()[0].bytes();
    page.next.reset();
    if (cursor != "0")
        page.next = PageRequest {page.type, page.from + page.rows.size(), cursor, 0};
}

void takeRange(ValuePage &page, const Reply &reply)
{
    if (!reply.isArray())
        refuseReply();
    const auto &elements = reply.elements();
    const std::size_t step = page.type == KeyType::SortedSet ? 2 : 1;
    for (std::size_t i = 0; i + step <= elements.size(); i += step) {
        if (step == 2)
            page.rows += rowOf(elements[i].bytes(), elements[i + 1].bytes());
        else
            page.rows += rowOf(QByteArray::number(page.from + static_cast<qint64>(i)), elements[i].bytes());
    }
    const qint64 end = page.from + page.rows.size();
    if (!page.rows.isEmpty() && end < page.size.value_or(end + 1))
        page.next = PageRequest {page.type, end, {}, 0};
}

void takeEntries(ValuePage &page, const Reply &reply, const PageRequest &request)
{
    QByteArray last;
    for (const Reply &entry : reply.elements()) {
        if (entry.elements().size() != 2)
            refuseReply();
        last = entry.elements()[0].bytes();
        page.rows += rowOf(last, fieldsOf(entry.elements()[1]));
    }
    if (page.rows.size() >= request.limit)
        page.next = PageRequest {page.type, page.from + page.rows.size(), idBehind(last), 0};
}

void take(ValuePage &page, const Reply &reply, const PageRequest &request)
{
    switch (page.type) {
    case KeyType::String:
        return takeString(page, reply, request);
    case KeyType::Hash:
    case KeyType::Set:
        return takeScanned(page, reply);
    case KeyType::List:
    case KeyType::SortedSet:
        return takeRange(page, reply);
    case KeyType::Stream:
        return takeEntries(page, reply, request);
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
}

/// Reads until the page has content; a scan may need several calls. Error: the server's.
Exchange<Answer> readContent(Key key, PageRequest request, ValuePage *page)
{
    for (int round = 0; round < maxPageRounds; ++round) {
        const Command content = contentCommand(key, request);
        const Answer answer = co_await exchange::tentatively(content);
        if (!answer)
            co_return answer;
        take(*page, *answer, request);
        const bool isScan = page->type == KeyType::Hash || page->type == KeyType::Set;
        if (!isScan || !page->next || page->rows.size() >= request.limit)
            co_return answer;
        request.cursor = page->next->cursor;
    }
    co_return Reply::nil();
}

/// Reads the field lifetimes on the page. A refusal is ignored, because the values are already read.
Exchange<void> readFieldEnds(Key key, ValuePage *page)
{
    QList<QByteArray> names;
    for (const ValuePage::Row &row : page->rows)
        names += row.name;
    const Command question = resp::hpttl(key, names);
    const Instant before = co_await exchange::now();
    const Answer answer = co_await exchange::tentatively(question);
    const Instant after = co_await exchange::now();
    if (!answer || answer->elements().size() != static_cast<std::size_t>(names.size()))
        co_return;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const qint64 left = answer->elements()[static_cast<std::size_t>(i)].toInteger();
        ValuePage::Row &row = page->rows[i];
        if (row.nameSize != row.name.size())
            continue; // A cut name is the name of another field, or of none.
        if (left == -1)
            row.end = base::Deadline::never();
        else if (left >= 0)
            row.end = base::Deadline::measured(std::chrono::milliseconds(left), before.monotonic, after.monotonic);
    }
}

} // namespace

Exchange<ValuePage> readValuePage(Key key, PageRequest request, FieldLifetimeSupport lifetimes)
{
    for (int attempt = 1;; ++attempt) {
        ValuePage page;
        const Reply typeName = co_await resp::type(key);
        page.typeName = typeName.bytes();
        page.type = keys::keyTypeFrom(page.typeName);
        const Instant instant = co_await exchange::now();
        page.at = instant.wall;
        if (!isReadable(page.type))
            co_return page;
        if (page.type != request.type)
            request = PageRequest {page.type, 0, {}, request.type == KeyType::Unknown ? request.limit : 0};

        const Command sizeOf = sizeCommand(key, page.type);
        const Command memory {"MEMORY", "USAGE", key.bytes()};
        const Answers sized = co_await Batch().add(sizeOf).add(memory);
        if (sized.front() && sized.front()->isInteger())
            page.size = sized.front()->toInteger();
        if (request.limit <= 0)
            request.limit = page.type == KeyType::String
                              ? PageRequest::defaultBytes
                              : std::min(elementsWithin(maxElementBytes, sized.back(), page.size.value_or(0))
                                             .value_or(PageRequest::defaultElements),
                                         PageRequest::defaultElements);
        page.from = request.from;
        const Answer answer = co_await readContent(key, request, &page);
        if (answer) {
            const bool hasFields = page.type == KeyType::Hash && !page.rows.isEmpty() && !lifetimes.isRefused();
            if (hasFields) {
                co_await readFieldEnds(key, &page);
            }
            co_return page;
        }
        if (answer.error().kind != ErrorKind::WrongType || attempt == maxTypeChanges)
            throw base::Failure(answer.error());
    }
}

} // namespace latchkey::watching
