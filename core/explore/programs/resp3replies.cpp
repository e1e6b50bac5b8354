#include "core/explore/programs/resp3replies.h"

#include "core/redis/resp/codec.h"

#include <QHash>

#include <algorithm>
#include <array>

namespace latchkey::programs {

using resp::Command;
using resp::Commands;
using resp::Replies;
using resp::Reply;

namespace {

/// The form of a reply in RESP3, given its form in RESP2.
enum class Form : quint8 {
    Same,           ///< The same types; only null differs.
    Map,            ///< An array of names and values becomes a map.
    Maps,           ///< An array of such arrays becomes an array of maps.
    MapOfPairs,     ///< An array of pairs becomes a map.
    Set,            ///< An array becomes a set.
    Double,         ///< A text becomes a number.
    Doubles,        ///< An array of texts becomes an array of numbers.
    Positions,      ///< An array of pairs of texts becomes an array of pairs of numbers.
    SecondIsDouble, ///< The second element is a number.
    ThirdIsDouble,  ///< The third element is a number.
    Pairs,          ///< An array of names and values becomes an array of pairs.
    Scores,         ///< An array of names and scores becomes an array of pairs of a name and a number.
    KeyAndScores,   ///< A key, and an array of pairs of a name and a number.
    Verbatim,       ///< A text becomes a text with a format.
};

QByteArray wordOf(const Command &command, std::size_t index)
{
    return command.words().size() > index ? command.words()[index].toUpper() : QByteArray();
}

bool contains(const Command &command, const char *option)
{
    for (std::size_t i = 1; i < command.words().size(); ++i) {
        if (wordOf(command, i) == option)
            return true;
    }
    return false;
}

/// Returns the forms of the commands that always have the same one.
const QHash<QByteArray, Form> &fixedForms()
{
    static const QHash<QByteArray, Form> forms {
        {"HELLO", Form::Map},
        {"HGETALL", Form::Map},
        {"SMEMBERS", Form::Set},
        {"SINTER", Form::Set},
        {"SUNION", Form::Set},
        {"SDIFF", Form::Set},
        {"ZSCORE", Form::Double},
        {"ZINCRBY", Form::Double},
        {"ZMSCORE", Form::Doubles},
        {"GEOPOS", Form::Positions},
        {"XREAD", Form::MapOfPairs},
        {"XREADGROUP", Form::MapOfPairs},
        {"INFO", Form::Verbatim},
        {"BZPOPMIN", Form::ThirdIsDouble},
        {"BZPOPMAX", Form::ThirdIsDouble},
        {"ZMPOP", Form::KeyAndScores},
        {"BZMPOP", Form::KeyAndScores},
    };
    return forms;
}

/// Returns the form of a reply that depends on the arguments of the command.
Form formWithOptions(const Command &command, const QByteArray &name)
{
    const QByteArray second = wordOf(command, 1);
    if (name == "ZADD")
        return contains(command, "INCR") ? Form::Double : Form::Same;
    if (name == "SPOP")
        return command.words().size() > 2 ? Form::Set : Form::Same;
    if (name == "ZPOPMIN" || name == "ZPOPMAX")
        return command.words().size() > 2 ? Form::Scores : Form::SecondIsDouble;
    if (name == "HRANDFIELD")
        return contains(command, "WITHVALUES") ? Form::Pairs : Form::Same;
    if (name == "ZRANK" || name == "ZREVRANK")
        return contains(command, "WITHSCORE") ? Form::SecondIsDouble : Form::Same;
    if (name == "LCS")
        return contains(command, "IDX") ? Form::Map : Form::Same;
    if (name == "CONFIG")
        return second == "GET" ? Form::Map : Form::Same;
    if (name == "COMMAND")
        return second == "DOCS" ? Form::Map : Form::Same;
    if (name == "CLIENT")
        return second == "LIST" || second == "INFO" ? Form::Verbatim : Form::Same;
    if (name == "XINFO")
        return second == "STREAM" ? Form::Map : Form::Maps;
    if (name.startsWith('Z') && contains(command, "WITHSCORES"))
        return Form::Scores;
    return Form::Same;
}

Form formOf(const Command &command)
{
    const QByteArray name = command.name().toUpper();
    const auto fixed = fixedForms().constFind(name);
    return fixed != fixedForms().cend() ? *fixed : formWithOptions(command, name);
}

void begin(char kind, std::size_t count, QByteArray &wire)
{
    wire += kind + QByteArray::number(static_cast<qulonglong>(count)) + "\r\n";
}

/// Appends the reply with the same types, except for null.
void encodeSame(const Reply &reply, QByteArray &wire)
{
    if (reply.isNil()) {
        wire += "_\r\n";
    } else if (reply.isArray()) {
        begin('*', reply.elements().size(), wire);
        for (const Reply &element : reply.elements())
            encodeSame(element, wire);
    } else {
        resp::encode(reply, wire);
    }
}

void encodeDouble(const Reply &reply, QByteArray &wire)
{
    if (reply.isBulk())
        wire += ',' + reply.bytes() + "\r\n";
    else
        encodeSame(reply, wire);
}

using Encode = void (*)(const Reply &, QByteArray &);

/// Appends an array with each element in its own form, the first and the second in turn.
void encodeEach(char kind, std::size_t count, const Reply &reply, std::array<Encode, 2> encode, QByteArray &wire)
{
    begin(kind, count, wire);
    for (std::size_t i = 0; i < reply.elements().size(); ++i)
        encode[i % 2](reply.elements()[i], wire);
}

void encodeMap(const Reply &reply, QByteArray &wire)
{
    encodeEach('%', reply.elements().size() / 2, reply, {encodeSame, encodeSame}, wire);
}

void encodeAsPairs(const Reply &reply, Encode encodeValue, QByteArray &wire)
{
    begin('*', reply.elements().size() / 2, wire);
    for (std::size_t i = 0; i + 1 < reply.elements().size(); i += 2) {
        begin('*', 2, wire);
        encodeSame(reply.elements()[i], wire);
        encodeValue(reply.elements()[i + 1], wire);
    }
}

void encodeMapOfPairs(const Reply &reply, QByteArray &wire)
{
    begin('%', reply.elements().size(), wire);
    for (const Reply &pair : reply.elements()) {
        for (const Reply &element : pair.elements())
            encodeSame(element, wire);
    }
}

/// Appends the reply, in which the element `index` is a number.
void encodeWithDouble(const Reply &reply, std::size_t index, QByteArray &wire)
{
    begin('*', reply.elements().size(), wire);
    for (std::size_t i = 0; i < reply.elements().size(); ++i)
        (i == index ? encodeDouble : encodeSame)(reply.elements()[i], wire);
}

/// Appends an array of arrays, each with this function.
void encodeNested(const Reply &reply, Encode encode, QByteArray &wire)
{
    begin('*', reply.elements().size(), wire);
    for (const Reply &element : reply.elements())
        (element.isArray() ? encode : encodeSame)(element, wire);
}

void encodeArray(Form form, const Reply &reply, QByteArray &wire)
{
    const std::size_t count = reply.elements().size();
    switch (form) {
    case Form::Map:
        return encodeMap(reply, wire);
    case Form::Maps:
        return encodeNested(reply, encodeMap, wire);
    case Form::MapOfPairs:
        return encodeMapOfPairs(reply, wire);
    case Form::Set:
        return encodeEach('~', count, reply, {encodeSame, encodeSame}, wire);
    case Form::Doubles:
        return encodeEach('*', count, reply, {encodeDouble, encodeDouble}, wire);
    case Form::Positions:
        return encodeNested(
            reply,
            [](const Reply &position, QByteArray &text) {
                encodeEach('*', position.elements().size(), position, {encodeDouble, encodeDouble}, text);
            },
            wire);
    case Form::SecondIsDouble:
        return encodeWithDouble(reply, 1, wire);
    case Form::ThirdIsDouble:
        return encodeWithDouble(reply, 2, wire);
    case Form::Pairs:
        return encodeAsPairs(reply, encodeSame, wire);
    case Form::Scores:
        return encodeAsPairs(reply, encodeDouble, wire);
    case Form::KeyAndScores:
        begin('*', count, wire);
        encodeSame(reply.elements().front(), wire);
        return encodeNested(
            reply.elements().back(), [](const Reply &pair, QByteArray &text) { encodeWithDouble(pair, 1, text); },
            wire);
    case Form::Same:
    case Form::Double:
    case Form::Verbatim:
        return encodeSame(reply, wire);
    }
}

void encodeOne(const Command &command, const Reply &reply, QByteArray &wire)
{
    const Form form = formOf(command);
    if (reply.isArray())
        encodeArray(form, reply, wire);
    else if (form == Form::Double)
        encodeDouble(reply, wire);
    else if (form == Form::Verbatim && reply.isBulk())
        wire += '=' + QByteArray::number(reply.bytes().size() + 4) + "\r\ntxt:" + reply.bytes() + "\r\n";
    else
        encodeSame(reply, wire);
}

} // namespace

void encodeAsResp3(const Commands &commands, const Reply &reply, QByteArray &wire)
{
    if (commands.size() == 1 || !reply.isArray())
        return encodeOne(commands.back(), reply, wire);
    begin('*', reply.elements().size(), wire);
    for (std::size_t i = 0; i < reply.elements().size(); ++i) {
        if (i + 2 < commands.size()) // Between MULTI and EXEC.
            encodeOne(commands[i + 1], reply.elements()[i], wire);
        else
            encodeSame(reply.elements()[i], wire);
    }
}

void encodeAsPush(const Reply &message, QByteArray &wire)
{
    encodeEach('>', message.elements().size(), message, {encodeSame, encodeSame}, wire);
}

std::optional<base::Text> unsupportedInResp3(const Command &command)
{
    static constexpr std::array unknown {"FUNCTION", "ACL", "MEMORY", "LATENCY", "MODULE", "DEBUG"};
    const QByteArray name = command.name().toUpper();
    const bool hasOtherForm = std::ranges::find(unknown, name) != unknown.end()
                           || (name == "XINFO" && contains(command, "FULL"))
                           || ((name.startsWith("GEORADIUS") || name == "GEOSEARCH") && contains(command, "WITHCOORD"));
    if (hasOtherForm)
        return base::Text(QT_TRANSLATE_NOOP("core",
                                            "it sends %1 over RESP3, which cannot be explored: let it use RESP2 "
                                            "for that, for example by protocol=2 or RESP: 2"),
                          QString::fromUtf8(name));
    if (command.callsScript() && command.words().size() > 1 && command.words()[1].contains("setresp"))
        return base::Text(QT_TRANSLATE_NOOP("core", "it sends a script with redis.setresp over RESP3, which cannot be "
                                                    "explored: let the script use RESP2"));
    return std::nullopt;
}

} // namespace latchkey::programs
