#include "core/inspect/recognition/dialectfile.h"

#include "core/foundation/files/jsonnode.h"
#include "core/inspect/recognition/templates.h"
#include "core/inspect/recognition/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace latchkey::recognition {

using files::JsonNode;
using keys::KeyType;
using std::chrono::milliseconds;

namespace {

constexpr int version = 1;
constexpr qint64 maxTime = 366LL * 24 * 3600 * 1000;

constexpr std::array families {
    std::pair {Family::Lock, "lock"},
    std::pair {Family::ReadWriteLock, "read-write-lock"},
    std::pair {Family::Semaphore, "semaphore"},
    std::pair {Family::Latch, "latch"},
    std::pair {Family::Job, "job"},
    std::pair {Family::Leader, "leader"},
    std::pair {Family::Uniqueness, "uniqueness"},
    std::pair {Family::Limiter, "limiter"},
    std::pair {Family::Presence, "presence"},
};
constexpr std::array hazards {
    std::pair {Hazard::NoFencing, "no-fencing"},
    std::pair {Hazard::PlainDelete, "plain-delete"},
    std::pair {Hazard::UncheckedRenewal, "blind-renewal"},
    std::pair {Hazard::NotAtomic, "not-atomic"},
    std::pair {Hazard::NotAtomicRelease, "not-atomic-release"},
    std::pair {Hazard::TakesOverByGetset, "takes-over-by-getset"},
    std::pair {Hazard::ClientClock, "client-clock"},
    std::pair {Hazard::LeaseMayEndEarly, "lease-may-end-early"},
    std::pair {Hazard::Recreates, "recreates"},
    std::pair {Hazard::OrphanRenewal, "orphan-renewal"},
    std::pair {Hazard::SharedId, "shared-id"},
    std::pair {Hazard::Predictable, "predictable"},
    std::pair {Hazard::LeaksPermits, "leaks-permits"},
    std::pair {Hazard::Quorum, "quorum"},
    std::pair {Hazard::MayBeLost, "may-be-lost"},
    std::pair {Hazard::UnstoredLimit, "unstored-limit"},
};
constexpr std::array confidences {
    std::pair {Confidence::Low, "low"},
    std::pair {Confidence::Medium, "medium"},
    std::pair {Confidence::High, "high"},
    std::pair {Confidence::Certain, "certain"},
};
constexpr std::array types {
    std::pair {KeyType::String, "string"}, std::pair {KeyType::Hash, "hash"},      std::pair {KeyType::List, "list"},
    std::pair {KeyType::Set, "set"},       std::pair {KeyType::SortedSet, "zset"},
};

/// Reads a regular expression. Names and values are bytes, matched as Latin-1, one character per byte.
QRegularExpression patternFrom(const JsonNode &value)
{
    const QString text = value.name();
    if (!text.startsWith(u'^') || !text.endsWith(u'$'))
        value.refuse(QStringLiteral("a pattern has to be about the whole: begin it with ^ and end it with $"));
    const QString whole = QStringLiteral("\\A(?:%1)\\z").arg(text.mid(1).chopped(1));
    QRegularExpression pattern(whole, QRegularExpression::DotMatchesEverythingOption);
    if (!pattern.isValid())
        value.refuse(QStringLiteral("the pattern is wrong at character %1: %2")
                         .arg(std::clamp<qsizetype>(pattern.patternErrorOffset() - 4, 1, text.size()))
                         .arg(pattern.errorString()));
    pattern.optimize();
    return pattern;
}

milliseconds timeFrom(const JsonNode &value)
{
    return milliseconds(value.numberWithin(1, maxTime));
}

Renewal renewalFrom(const JsonNode &value)
{
    Renewal renewal;
    if (!value.exists())
        return renewal;
    value.allowOnly({QStringLiteral("every_ms"), QStringLiteral("ceiling_ms"), QStringLiteral("share")});
    if (const JsonNode every = value["every_ms"]; every.exists())
        renewal.every = timeFrom(every);
    if (const JsonNode ceiling = value["ceiling_ms"]; ceiling.exists())
        renewal.ceiling = timeFrom(ceiling);
    if (const JsonNode share = value["share"]; share.exists())
        renewal.share = share.fraction();
    if (!renewal.isGiven())
        value.refuse(QStringLiteral("neither every_ms nor share"));
    return renewal;
}

QByteArrayList scriptsFrom(const JsonNode &value)
{
    QByteArrayList scripts;
    if (!value.exists())
        return scripts;
    for (const JsonNode &script : value.elements()) {
        scripts += script.name().toLatin1();
        if (scripts.back().size() != 40 || !isLowerHex(scripts.back()))
            script.refuse(QStringLiteral("not a SHA1 in 40 lower-case hexadecimal digits"));
    }
    return scripts;
}

/// A reader of one dialect, whose parts refer to each other.
class DialectReader final
{
public:
    DialectReader(const JsonNode &file, QByteArrayList &hints)
        : m_file(file)
        , m_hints(hints)
    {}

    [[nodiscard]] Dialect read()
    {
        static const QStringList members {
            QStringLiteral("id"),      QStringLiteral("title"),   QStringLiteral("family"), QStringLiteral("hazards"),
            QStringLiteral("renewal"), QStringLiteral("scripts"), QStringLiteral("forms"),  QStringLiteral("generic")};
        m_file.allowOnly(members);
        m_dialect.id = m_file["id"].name();
        m_dialect.title = m_file["title"].name();
        m_dialect.family = m_file["family"].oneOf(families);
        m_dialect.renewal = renewalFrom(m_file["renewal"]);
        m_dialect.scripts = scriptsFrom(m_file["scripts"]);
        if (const JsonNode generic = m_file["generic"]; generic.exists())
            m_dialect.isGeneric = generic.boolean();
        if (const JsonNode dangers = m_file["hazards"]; dangers.exists()) {
            for (const JsonNode &hazard : dangers.elements())
                m_dialect.hazards.set(static_cast<std::size_t>(hazard.oneOf(hazards)));
        }
        for (const JsonNode &form : m_file["forms"].elements())
            m_dialect.forms.push_back(readForm(form));
        if (m_dialect.forms.empty())
            m_file["forms"].refuse(QStringLiteral("a dialect needs a form"));
        return std::move(m_dialect);
    }

private:
    Form readForm(const JsonNode &value)
    {
        static const QStringList members {
            QStringLiteral("type"),   QStringLiteral("name"),  QStringLiteral("hints"),       QStringLiteral("value"),
            QStringLiteral("needs"),  QStringLiteral("alone"), QStringLiteral("raises"),      QStringLiteral("reads"),
            QStringLiteral("counts"), QStringLiteral("asks"),  QStringLiteral("holder_field")};
        value.allowOnly(members);
        Form form;
        form.type = value["type"].oneOf(types);
        m_variables = {"key", "tagged", "hashtag", "value"};
        if (const JsonNode name = value["name"]; name.exists()) {
            form.name = patternFrom(name);
            for (const QString &group : form.name->namedCaptureGroups())
                m_variables += group.toLatin1();
        }
        readHints(form, value["hints"]);
        if (const JsonNode field = value["holder_field"]; field.exists())
            readHolderField(form, field, value["value"]);
        else
            readShape(form, value["value"]);
        form.needs = conditionFrom(value["needs"], {});
        if (const JsonNode alone = value["alone"]; alone.exists())
            form.alone = alone.oneOf(confidences);
        if (const JsonNode raises = value["raises"]; raises.exists()) {
            for (const JsonNode &raise : raises.elements())
                form.raises.push_back({conditionFrom(raise, QStringLiteral("to")), raise["to"].oneOf(confidences)});
        }
        if (!form.alone && form.raises.empty())
            value.refuse(QStringLiteral("without \"alone\" and \"raises\" this can never be recognised"));
        form.reads = templatesFrom(value["reads"]);
        form.counts = templatesFrom(value["counts"]);
        if (const JsonNode asks = value["asks"]; asks.exists())
            form.asks = asks.boolean();
        return form;
    }

    void readHints(Form &form, const JsonNode &value)
    {
        if (!value.exists())
            return;
        if (!form.name)
            value.refuse(QStringLiteral("hints are parts of a name, and there is no \"name\""));
        for (const JsonNode &element : value.elements()) {
            const QByteArray hint = element.name().toUtf8();
            if (hint.size() < 3)
                element.refuse(QStringLiteral("shorter than three characters, which every other name would have"));
            if (!m_hints.contains(hint))
                m_hints += hint;
            if (m_hints.size() > static_cast<qsizetype>(NameClassifier::maxHints))
                element.refuse(QStringLiteral("more than %1 hints").arg(NameClassifier::maxHints));
            form.hints.push_back(static_cast<std::size_t>(m_hints.indexOf(hint)));
        }
    }

    static void readHolderField(Form &form, const JsonNode &field, const JsonNode &value)
    {
        if (form.type != KeyType::Hash)
            field.refuse(QStringLiteral("only a hash has fields"));
        if (value.exists())
            value.refuse(QStringLiteral("\"holder_field\" says already what the value is"));
        form.holderField = field.name().toUtf8();
    }

    /// Reads a shape's name, or a pattern for a string.
    static void readShape(Form &form, const JsonNode &value)
    {
        const QString text = value.name();
        form.shapeId = text.toUtf8();
        if (text.startsWith(u'^')) {
            form.pattern = patternFrom(value);
            if (form.type != KeyType::String)
                value.refuse(QStringLiteral("only a string's value can have a pattern"));
            return;
        }
        form.shape = shapeNamed(form.shapeId);
        if (form.shape == nullptr)
            value.refuse(
                QStringLiteral("\"%1\" is no shape that is known, and no pattern, which begins with ^").arg(text));
        if (form.shape->type != form.type)
            value.refuse(
                QStringLiteral("\"%1\" is a shape of another type: %2").arg(text, keys::keyTypeName(form.shape->type)));
    }

    /// Reads a condition. `also`: member that is permitted besides those of the condition.
    Condition conditionFrom(const JsonNode &value, const QString &also)
    {
        Condition condition;
        if (!value.exists())
            return condition;
        const std::array truths {
            std::pair {"lock_word", &condition.wantsLockWord},
            std::pair {"plain_name", &condition.wantsPlainName},
            std::pair {"unwrapped", &condition.wantsUnwrapped},
            std::pair {"fresh", &condition.wantsFresh},
            std::pair {"script", &condition.wantsScript},
            std::pair {"same_value", &condition.wantsSameValue},
            std::pair {"renewal", &condition.wantsRenewal},
            std::pair {"steady_renewal", &condition.wantsSteadyRenewal},
            std::pair {"released", &condition.wantsReleases},
        };
        const std::array names {
            std::pair {"companion", &condition.companion},
            std::pair {"absent", &condition.absent},
            std::pair {"subscriber", &condition.subscriber},
        };
        QStringList members {QStringLiteral("expires"), QStringLiteral("lease_at_most_ms")};
        if (!also.isEmpty())
            members += also;
        for (const auto &[name, target] : truths)
            members += QLatin1String(name);
        for (const auto &[name, target] : names)
            members += QLatin1String(name);
        value.allowOnly(members);
        for (const auto &[name, target] : truths) {
            if (const JsonNode member = value[name]; member.exists())
                *target = member.boolean();
        }
        for (const auto &[name, target] : names) {
            if (const JsonNode member = value[name]; member.exists())
                *target = templateFrom(member);
        }
        if (const JsonNode expires = value["expires"]; expires.exists())
            condition.expires = expires.boolean();
        if (const JsonNode most = value["lease_at_most_ms"]; most.exists())
            condition.leaseAtMost = timeFrom(most);
        if (condition.wantsScript && m_dialect.scripts.isEmpty())
            value["script"].refuse(QStringLiteral("the dialect has no \"scripts\""));
        if (condition.wantsRenewal && !m_dialect.renewal.isGiven())
            value["renewal"].refuse(QStringLiteral("the dialect has no \"renewal\""));
        return condition;
    }

    [[nodiscard]] QByteArray templateFrom(const JsonNode &value) const
    {
        const QByteArray text = value.name().toUtf8();
        for (const QByteArray &variable : variablesIn(text)) {
            if (!m_variables.contains(variable))
                value.refuse(QStringLiteral("<%1> stands for nothing; there are %2")
                                 .arg(QString::fromUtf8(variable), QString::fromUtf8(m_variables.join(", "))));
        }
        return text;
    }

    [[nodiscard]] QByteArrayList templatesFrom(const JsonNode &value) const
    {
        QByteArrayList found;
        if (value.exists()) {
            for (const JsonNode &element : value.elements())
                found += templateFrom(element);
        }
        return found;
    }

    const JsonNode &m_file;
    QByteArrayList &m_hints;
    Dialect m_dialect;
    QByteArrayList m_variables; // Variables that the form's texts may use in angle brackets.
};

void checkFormat(const JsonNode &file, const QString &format)
{
    if (file["format"].name() != format)
        file["format"].refuse(QStringLiteral("not \"%1\"").arg(format));
    if (const qint64 found = file["version"].numberWithin(1, 1'000'000); found != version)
        file["version"].refuse(
            QStringLiteral("the file is of version %1, this program reads version %2").arg(found).arg(version));
}

QByteArrayList wordsFrom(const JsonNode &value)
{
    QByteArrayList words;
    for (const JsonNode &element : value.elements())
        words += element.name().toLower().toUtf8();
    return words;
}

} // namespace

DialectFile readDialects(const QString &name, const QByteArray &contents, QByteArrayList &hints)
{
    const JsonNode file = JsonNode::ofFile(name, contents);
    checkFormat(file, QStringLiteral("latchkey-dialects"));
    file.allowOnly(
        {QStringLiteral("format"), QStringLiteral("version"), QStringLiteral("dialects"), QStringLiteral("not_locks")});
    DialectFile found;
    for (const JsonNode &dialect : file["dialects"].elements()) {
        found.dialects.push_back(DialectReader(dialect, hints).read());
        const auto isSame = [&](const Dialect &other) { return other.id == found.dialects.back().id; };
        if (std::ranges::count_if(found.dialects, isSame) > 1)
            dialect["id"].refuse(QStringLiteral("\"%1\" is there twice").arg(found.dialects.back().id));
    }
    if (const JsonNode notLocks = file["not_locks"]; notLocks.exists()) {
        for (const JsonNode &entry : notLocks.elements()) {
            entry.allowOnly({QStringLiteral("id"), QStringLiteral("name")});
            found.notLocks.push_back({entry["id"].name(), patternFrom(entry["name"])});
        }
    }
    return found;
}

NameWords readNameWords(const QString &name, const QByteArray &contents)
{
    const JsonNode file = JsonNode::ofFile(name, contents);
    checkFormat(file, QStringLiteral("latchkey-names"));
    return {wordsFrom(file["lock_words"]), wordsFrom(file["not_before_lock"]), wordsFrom(file["not_after_lock"]),
            wordsFrom(file["everyday_words"])};
}

} // namespace latchkey::recognition
