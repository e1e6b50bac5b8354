#include "core/foundation/base/text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>

#include <limits>

namespace latchkey::base {

struct Text::Content
{
    QByteArray english; ///< Null: `asItIs` is used unchanged.
    int count = none;   ///< `none`: the source has no "%n".
    QList<Text> arguments;
    QString asItIs;
};

namespace {

/// Inserts each argument once; arguments are not searched for placeholders.
template<typename ToWords>
QString filledIn(const QString &words, const QList<Text> &arguments, const ToWords &toWords)
{
    QString whole;
    qsizetype from = 0;
    for (qsizetype at = words.indexOf(u'%'); at >= 0 && at + 1 < words.size(); at = words.indexOf(u'%', at + 1)) {
        const int index = words[at + 1].unicode() - u'1';
        if (index < 0 || index >= arguments.size())
            continue;
        whole += QStringView(words).sliced(from, at - from);
        whole += toWords(arguments[index]);
        from = at + 2;
    }
    whole += QStringView(words).sliced(from);
    return whole;
}

} // namespace

std::shared_ptr<const Text::Content> Text::contentOf(const QString &asItIs)
{
    return asItIs.isEmpty() ? nullptr : std::make_shared<const Content>(Content {{}, none, {}, asItIs});
}

Text::Text(QLatin1String asItIs)
    : Text(QString(asItIs))
{}

Text::Text(const QByteArray &english, qint64 count, const QList<Text> &arguments)
    : m_content(std::make_shared<const Content>(
          Content {english, static_cast<int>(std::min<qint64>(count, std::numeric_limits<int>::max())), arguments, {}}))
{}

Text Text::about(const Text &subject, const Text &what)
{
    return Text(QT_TRANSLATE_NOOP("core", "%1: %2"), subject, what);
}

Text Text::joined(const Text &first, const Text &second)
{
    if (first.isEmpty() || second.isEmpty())
        return first.isEmpty() ? second : first;
    return Text(QT_TRANSLATE_NOOP("core", "%1; %2"), first, second);
}

QString Text::toString() const
{
    if (m_content == nullptr)
        return {};
    if (m_content->english.isNull())
        return m_content->asItIs;
    return filledIn(QCoreApplication::translate(context, m_content->english.constData(), nullptr, m_content->count),
                    m_content->arguments, [](const Text &argument) { return argument.toString(); });
}

QString Text::english() const
{
    if (m_content == nullptr || m_content->english.isNull())
        return toString();
    QString words = QString::fromUtf8(m_content->english);
    if (m_content->count != none)
        words.replace(QLatin1String("%n"), QString::number(m_content->count));
    return filledIn(words, m_content->arguments, [](const Text &argument) { return argument.english(); });
}

QJsonValue Text::toJson() const
{
    if (m_content == nullptr || m_content->english.isNull())
        return toString();
    QJsonObject object {{QStringLiteral("english"), QString::fromUtf8(m_content->english)}};
    if (m_content->count != none)
        object[QStringLiteral("count")] = m_content->count;
    QJsonArray arguments;
    for (const Text &argument : m_content->arguments)
        arguments.append(argument.toJson());
    if (!arguments.isEmpty())
        object[QStringLiteral("with")] = arguments;
    return object;
}

Text Text::fromJson(const QJsonValue &value)
{
    const QByteArray english = value[QLatin1String("english")].toString().toUtf8();
    if (english.isEmpty())
        return value.toString();
    QList<Text> arguments;
    for (const auto &argument : value[QLatin1String("with")].toArray())
        arguments += fromJson(argument);
    return Text(english, value[QLatin1String("count")].toInteger(none), arguments);
}

bool operator==(const Text &a, const Text &b)
{
    if (a.m_content == b.m_content)
        return true;
    if (a.m_content == nullptr || b.m_content == nullptr)
        return false;
    const Text::Content &one = *a.m_content;
    const Text::Content &other = *b.m_content;
    return one.english == other.english && one.count == other.count && one.asItIs == other.asItIs
        && one.arguments == other.arguments;
}

} // namespace latchkey::base
