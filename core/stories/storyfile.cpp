#include "core/stories/storyfile.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <utility>

namespace latchkey::stories {

using base::ErrorKind;
using base::failure;
using base::Failure;
using resp::Command;
using resp::Reply;

namespace {

constexpr auto format = "latchkey-story";
constexpr int version = 1;
constexpr int mostServers = 16;

using Kind = Step::Kind;
constexpr std::array faults {
    std::pair {Kind::Crash, "crash"},
    std::pair {Kind::Lapse, "lapse"},
    std::pair {Kind::PassDeadline, "deadline"},
};
constexpr std::array deeds {
    std::pair {Kind::Clock, "clock"},
    std::pair {Kind::Wait, "wait"},
    std::pair {Kind::Write, "write"},
};

template<typename Names>
const char *nameOf(Kind kind, const Names &names)
{
    for (const auto &[candidate, name] : names) {
        if (candidate == kind)
            return name;
    }
    return nullptr;
}

// -- Writing --

QJsonValue toJson(const QByteArray &bytes)
{
    if (const auto text = base::utf8Text(bytes))
        return *text;
    return QJsonObject {{QStringLiteral("base64"), QString::fromLatin1(bytes.toBase64())}};
}

QJsonArray toJson(const Command &command)
{
    QJsonArray words;
    for (const QByteArray &word : command.words())
        words += toJson(word);
    return words;
}

QJsonValue toJson(const Reply &reply)
{
    switch (reply.kind()) {
    case Reply::Kind::Nil:
        return QJsonValue::Null;
    case Reply::Kind::Status:
        return QJsonObject {{QStringLiteral("status"), QString::fromUtf8(reply.bytes())}};
    case Reply::Kind::Error:
        return QJsonObject {{QStringLiteral("error"), QString::fromUtf8(reply.bytes())}};
    case Reply::Kind::Integer:
        return reply.toInteger();
    case Reply::Kind::Bulk:
        return toJson(reply.bytes());
    case Reply::Kind::Array:
        break;
    }
    QJsonArray elements;
    for (const Reply &element : reply.elements())
        elements += toJson(element);
    return elements;
}

QJsonObject toJson(const Step &step)
{
    QJsonObject object;
    if (!step.client.isEmpty())
        object[QStringLiteral("client")] = step.client;
    if (const char *fault = nameOf(step.kind, faults))
        object[QStringLiteral("fault")] = QLatin1String(fault);
    else if (const char *deed = nameOf(step.kind, deeds))
        object[QStringLiteral("does")] = QLatin1String(deed);
    else {
        object[QStringLiteral("command")] = toJson(step.command);
        object[QStringLiteral("reply")] = toJson(step.reply);
    }
    if (step.server > 0)
        object[QStringLiteral("server")] = step.server;
    if (!step.key.isEmpty())
        object[QStringLiteral("key")] = toJson(step.key);
    if (step.clock)
        object[QStringLiteral("clock")] = *step.clock;
    if (step.fencing)
        object[QStringLiteral("fencing")] = *step.fencing;
    if (!step.note.isEmpty())
        object[QStringLiteral("note")] = step.note;
    return object;
}

// -- Reading --

/// A value of the file and where it stands. What is not as it should be is thrown as a Failure that names the place.
class Place final
{
public:
    Place(QJsonValue value, QString path)
        : m_value(std::move(value))
        , m_path(std::move(path))
    {}

    [[noreturn]] void refuse(const QString &what) const
    {
        const QString where = m_path.isEmpty() ? QString() : m_path + QStringLiteral(": ");
        throw Failure({ErrorKind::Usage, where + what});
    }

    [[nodiscard]] Place operator[](const char *name) const { return (*this)[QLatin1String(name)]; }
    [[nodiscard]] Place operator[](const QString &name) const
    {
        const QString path = m_path.isEmpty() ? QString() : m_path + QLatin1Char('.');
        return {object().value(name), path + name};
    }

    [[nodiscard]] QJsonObject object() const
    {
        if (!m_value.isObject())
            refuse(QStringLiteral("not an object"));
        return m_value.toObject();
    }

    [[nodiscard]] std::vector<Place> elements() const
    {
        if (!m_value.isArray())
            refuse(QStringLiteral("not an array"));
        std::vector<Place> places;
        for (const auto &element : m_value.toArray())
            places.emplace_back(element, QStringLiteral("%1[%2]").arg(m_path).arg(places.size()));
        return places;
    }

    [[nodiscard]] bool isThere() const { return !m_value.isUndefined(); }
    [[nodiscard]] const QJsonValue &value() const { return m_value; }

    [[nodiscard]] QString text() const
    {
        if (!m_value.isString())
            refuse(QStringLiteral("not a text"));
        return m_value.toString();
    }
    /// A text that may be printed: in a story of somebody else's it must not move the cursor.
    [[nodiscard]] QString line() const
    {
        QString found = text();
        if (std::ranges::any_of(found, [](QChar c) { return c.category() == QChar::Other_Control; }))
            refuse(QStringLiteral("holds control characters"));
        return found;
    }
    [[nodiscard]] QString lineOrNothing() const { return isThere() ? line() : QString(); }

    [[nodiscard]] qint64 number() const
    {
        // Two defaults, since none says by itself that there is no whole number.
        if (m_value.toInteger(0) != m_value.toInteger(1))
            refuse(QStringLiteral("not a whole number"));
        return m_value.toInteger();
    }
    [[nodiscard]] qint64 numberWithin(qint64 least, qint64 most) const
    {
        const qint64 found = number();
        if (found < least || found > most)
            refuse(QStringLiteral("%1 is not from %2 to %3").arg(found).arg(least).arg(most));
        return found;
    }
    [[nodiscard]] std::optional<qint64> numberOrNothing() const
    {
        return isThere() ? std::optional(number()) : std::nullopt;
    }

    [[nodiscard]] QByteArray bytes() const
    {
        if (!m_value.isObject())
            return text().toUtf8();
        const QJsonValue encoded = m_value.toObject().value(QLatin1String("base64"));
        const auto decoded =
            QByteArray::fromBase64Encoding(encoded.toString().toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
        if (!encoded.isString() || !decoded)
            refuse(QStringLiteral("neither a text nor base64"));
        return *decoded;
    }

    [[nodiscard]] Command command() const
    {
        Command command;
        for (const Place &word : elements())
            command << word.bytes();
        if (command.name().isEmpty())
            refuse(QStringLiteral("an empty command"));
        return command;
    }

    [[nodiscard]] Reply reply() const
    {
        if (m_value.isNull())
            return Reply::nil();
        if (m_value.isDouble())
            return Reply::integer(number());
        if (m_value.isArray()) {
            std::vector<Reply> replies;
            for (const Place &element : elements())
                replies.push_back(element.reply());
            return Reply::array(std::move(replies));
        }
        if (m_value.isObject()) {
            if (const Place status = (*this)["status"]; status.isThere())
                return Reply::status(status.text().toUtf8());
            if (const Place error = (*this)["error"]; error.isThere())
                return Reply::error(error.text().toUtf8());
        }
        if (!isThere())
            refuse(QStringLiteral("missing"));
        return Reply::bulk(bytes());
    }

    template<typename Names>
    [[nodiscard]] Kind oneOf(const Names &names) const
    {
        const QString wanted = line();
        QStringList known;
        for (const auto &[kind, name] : names) {
            if (wanted == QLatin1String(name))
                return kind;
            known += QLatin1String(name);
        }
        refuse(QStringLiteral("“%1” is none of %2").arg(wanted, known.join(QStringLiteral(", "))));
    }

private:
    QJsonValue m_value;
    QString m_path;
};

Step stepFrom(const Place &place, const Story &story)
{
    Step step;
    step.client = place["client"].lineOrNothing();
    const Place fault = place["fault"];
    const Place deed = place["does"];
    if (fault.isThere()) {
        step.kind = fault.oneOf(faults);
    } else if (deed.isThere()) {
        step.kind = deed.oneOf(deeds);
    } else {
        step.command = place["command"].command();
        step.reply = place["reply"].reply();
    }
    if (step.client.isEmpty() && step.kind != Kind::Lapse && step.kind != Kind::PassDeadline)
        place.refuse(QStringLiteral("which client?"));
    const auto isTheOne = [&](const Actor &actor) { return actor.name == step.client; };
    if (!step.client.isEmpty() && std::ranges::none_of(story.actors, isTheOne))
        place["client"].refuse(QStringLiteral("“%1” is not among the story's clients").arg(step.client));
    if (const Place server = place["server"]; server.isThere())
        step.server = static_cast<int>(server.numberWithin(0, story.servers - 1));
    if (const Place key = place["key"]; key.isThere() || step.kind == Kind::Lapse)
        step.key = key.bytes();
    step.clock = place["clock"].numberOrNothing();
    step.fencing = place["fencing"].numberOrNothing();
    step.note = place["note"].lineOrNothing();
    return step;
}

Story storyFrom(const Place &file)
{
    if (file["format"].value() != QLatin1String(format))
        file.refuse(QStringLiteral("this is not a story of Latchkey's"));
    if (const qint64 found = file["version"].number(); found != version)
        file.refuse(
            QStringLiteral("the story is of version %1, this program reads version %2").arg(found).arg(version));
    Story story;
    story.title = file["title"].lineOrNothing();
    story.recipe = file["recipe"].lineOrNothing();
    story.promise = file["promise"].lineOrNothing();
    story.verdict = file["verdict"].lineOrNothing();
    if (const Place servers = file["servers"]; servers.isThere())
        story.servers = static_cast<int>(servers.numberWithin(1, mostServers));
    for (const Place &client : file["clients"].elements())
        story.actors.push_back({client["name"].line(),
                                std::chrono::milliseconds(client["lease_ms"].numberOrNothing().value_or(0)),
                                std::chrono::seconds(client["clock_ahead_s"].numberOrNothing().value_or(0))});
    if (const Place scripts = file["scripts"]; scripts.isThere()) {
        for (const QString &name : scripts.object().keys()) {
            (void)Place(name, QStringLiteral("a name among the scripts")).line();
            story.scripts[name.toUtf8()] = scripts[name].text().toUtf8();
        }
    }
    if (const Place beforehand = file["beforehand"]; beforehand.isThere()) {
        for (const Place &command : beforehand.elements())
            story.beforehand.push_back(command.command());
    }
    for (const Place &step : file["steps"].elements())
        story.steps.push_back(stepFrom(step, story));
    if (story.steps.empty())
        file["steps"].refuse(QStringLiteral("nothing happens"));
    return story;
}

} // namespace

QJsonArray toJson(const resp::Commands &commands)
{
    QJsonArray array;
    for (const Command &command : commands)
        array += toJson(command);
    return array;
}

QJsonArray toJson(const std::vector<Step> &steps)
{
    QJsonArray array;
    for (const Step &step : steps)
        array += toJson(step);
    return array;
}

QByteArray toFile(const Story &story)
{
    QJsonArray clients;
    for (const Actor &actor : story.actors)
        clients += QJsonObject {{QStringLiteral("name"), actor.name},
                                {QStringLiteral("lease_ms"), static_cast<qint64>(actor.lease.count())},
                                {QStringLiteral("clock_ahead_s"), static_cast<qint64>(actor.clockAhead.count())}};
    QJsonObject scripts;
    for (const auto &[name, source] : story.scripts)
        scripts[QString::fromUtf8(name)] = QString::fromUtf8(source);
    return QJsonDocument(QJsonObject {
                             {QStringLiteral("format"), QLatin1String(format)},
                             {QStringLiteral("version"), version},
                             {QStringLiteral("title"), story.title},
                             {QStringLiteral("recipe"), story.recipe},
                             {QStringLiteral("promise"), story.promise},
                             {QStringLiteral("verdict"), story.verdict},
                             {QStringLiteral("servers"), story.servers},
                             {QStringLiteral("clients"), clients},
                             {QStringLiteral("scripts"), scripts},
                             {QStringLiteral("beforehand"), toJson(story.beforehand)},
                             {QStringLiteral("steps"), toJson(story.steps)},
                         })
        .toJson();
}

base::Result<Story> fromFile(const QByteArray &contents)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(contents, &error);
    if (error.error != QJsonParseError::NoError)
        return failure(ErrorKind::Usage,
                       QStringLiteral("not JSON: %1, at byte %2").arg(error.errorString()).arg(error.offset));
    try {
        return storyFrom(Place(document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object()), {}));
    } catch (const Failure &failed) {
        return failure(failed.error());
    }
}

} // namespace latchkey::stories
