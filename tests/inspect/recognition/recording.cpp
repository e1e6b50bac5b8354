#include "tests/inspect/recognition/recording.h"

#include "core/inspect/recognition/text.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace latchkey::test {

using keys::KeyType;
using keys::RawValue;
using recognition::Companion;
using recognition::KeySample;
using std::chrono::milliseconds;

namespace {

QByteArray bytesFrom(const QJsonValue &value)
{
    if (value.isObject() && value.toObject().contains(QStringLiteral("base64")))
        return QByteArray::fromBase64(value.toObject().value(QStringLiteral("base64")).toString().toLatin1());
    return value.toString().toUtf8();
}

milliseconds timeFrom(const QJsonValue &value)
{
    return milliseconds(value.toInteger());
}

RawValue valueFrom(const QJsonObject &object)
{
    RawValue value;
    if (const QJsonValue text = object[QStringLiteral("value")]; !text.isUndefined()) {
        value.type = KeyType::String;
        value.parts = {bytesFrom(text)};
        value.size = value.parts.front().size();
        return value;
    }
    const std::pair<const char *, KeyType> kinds[] {
        {"fields", KeyType::Hash}, {"members", KeyType::SortedSet}, {"elements", KeyType::List}};
    for (const auto &[name, type] : kinds) {
        const QJsonValue elements = object[QLatin1String(name)];
        if (elements.isUndefined())
            continue;
        value.type = type;
        for (const auto &element : elements.toArray()) {
            if (!element.isArray() && type == KeyType::SortedSet)
                value.type = KeyType::Set;
            if (element.isArray())
                value.parts += {bytesFrom(element.toArray().at(0)), bytesFrom(element.toArray().at(1))};
            else
                value.parts += bytesFrom(element);
        }
        value.size = elements.toArray().size();
    }
    if (value.type == KeyType::Unknown) {
        value.type = KeyType::Stream;
        value.size = object[QStringLiteral("length")].toInteger();
    }
    return value;
}

} // namespace

Recording::Recording(const QJsonObject &object)
    : m_library(object[QStringLiteral("library")].toString())
{
    for (const auto &each : object[QStringLiteral("held")].toArray()) {
        const QJsonObject held = each.toObject();
        Held entry {bytesFrom(held[QStringLiteral("key")]),
                    held[QStringLiteral("id")].toString(),
                    {},
                    held[QStringLiteral("count")].toInteger()};
        for (const auto &holder : held[QStringLiteral("holders")].toArray())
            entry.holders += bytesFrom(holder);
        m_held.push_back(std::move(entry));
    }
    for (const auto &key : object[QStringLiteral("keys")].toArray())
        readKey(key.toObject());
    readCommands(object[QStringLiteral("commands")].toArray());
}

void Recording::readKey(const QJsonObject &object)
{
    KeyStory story;
    for (const auto &entry : object[QStringLiteral("values")].toArray())
        story.values.push_back({timeFrom(entry.toArray().at(0)), valueFrom(entry.toArray().at(1).toObject())});
    for (const auto &entry : object[QStringLiteral("pttl_ms")].toArray()) {
        const qint64 left = entry.toArray().at(1).toInteger();
        if (left >= -1)
            story.looks.push_back(
                {timeFrom(entry.toArray().at(0)), left < 0 ? std::nullopt : std::optional(milliseconds(left))});
    }
    if (const QJsonValue gone = object[QStringLiteral("gone_ms")]; !gone.isUndefined())
        story.gone = timeFrom(gone);
    m_keys.insert(bytesFrom(object[QStringLiteral("key")]), std::move(story));
}

/// Reads the server's scripts and subscribers over time, and the start time: many commands contain their client's
/// clock.
void Recording::readCommands(const QJsonArray &commands)
{
    m_start = base::WallTime(milliseconds(1'795'319'700'000)); // Approximate time of all recordings.
    bool isStartKnown = false;
    for (const auto &each : commands) {
        const QJsonObject command = each.toObject();
        const milliseconds at = timeFrom(command[QStringLiteral("t_ms")]);
        const QJsonArray words = command[QStringLiteral("argv")].toArray();
        const QByteArray name = bytesFrom(words.at(0)).toUpper();
        const QJsonValue script = words.at(name == "SCRIPT" ? 2 : 1).toObject().value(QStringLiteral("script_sha1"));
        if (!script.isUndefined())
            m_scripts.push_back({at, script.toString().toLatin1()});
        else if (name == "EVALSHA")
            m_scripts.push_back({at, bytesFrom(words.at(1))});
        if (name.endsWith("SUBSCRIBE")) {
            for (qsizetype i = 1; i < words.size(); ++i)
                m_channels.push_back({at, bytesFrom(words.at(i)), name.contains("UN") ? -1 : 1});
        }
        for (qsizetype i = 1; i < words.size() && !isStartKnown; ++i) {
            const auto time = recognition::unixTime(bytesFrom(words.at(i)));
            isStartKnown =
                time && *time < m_start + std::chrono::minutes(10) && *time > m_start - std::chrono::minutes(10);
            if (isStartKnown)
                m_start = *time - at;
        }
    }
}

std::vector<Recording> Recording::all()
{
    QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/inspect/recognition/recorded-locks.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s: %s", qPrintable(file.fileName()), qPrintable(file.errorString()));
    std::vector<Recording> recordings;
    for (const auto &recording : QJsonDocument::fromJson(file.readAll()).array())
        recordings.emplace_back(recording.toObject());
    return recordings;
}

std::vector<milliseconds> Recording::looks(const QByteArray &key) const
{
    std::vector<milliseconds> times;
    for (const TimedLeft &look : m_keys.value(key).looks) {
        if (look.at < m_keys.value(key).gone)
            times.push_back(look.at);
    }
    return times;
}

std::optional<RawValue> Recording::valueAt(const KeyStory &story, milliseconds at) const
{
    std::optional<RawValue> value;
    for (const TimedValue &entry : story.values) {
        // The value and its TTL were requested one after the other.
        if (entry.at <= at + milliseconds(50) && at < story.gone)
            value = entry.value;
    }
    return value;
}

KeySample Recording::sample(const QByteArray &key, milliseconds at) const
{
    const KeyStory story = m_keys.value(key);
    KeySample sample;
    sample.key = key;
    sample.value = valueAt(story, at);
    sample.type = sample.value ? sample.value->type : KeyType::Unknown;
    sample.isExpiryKnown = true;
    for (const TimedLeft &look : story.looks) {
        if (look.at > at)
            break;
        sample.left = look.left;
        sample.ttlHistory.addSample(base::MonotonicTime(look.at), look.left);
    }
    sample.now = m_start + at;
    return sample;
}

Companion Recording::companion(const QByteArray &key, milliseconds at) const
{
    const auto value = valueAt(m_keys.value(key), at);
    return {value.has_value(), value.value_or(RawValue()), {}};
}

recognition::ServerContext Recording::serverContext(milliseconds at) const
{
    recognition::ServerContext serverContext;
    serverContext.scripts.emplace();
    for (const TimedText &script : m_scripts) {
        if (script.at <= at)
            serverContext.scripts->insert(script.text);
    }
    serverContext.areChannelsComplete = true;
    for (const TimedText &channel : m_channels) {
        if (channel.at <= at)
            serverContext.subscribers[channel.text] += channel.change;
    }
    return serverContext;
}

} // namespace latchkey::test
