#include "core/redis/resp/reply.h"

namespace latchkey::resp {

Reply Reply::array(std::vector<Reply> elements)
{
    Reply reply(Kind::Array, 0, {});
    reply.m_elements = std::move(elements);
    return reply;
}

QString Reply::toText() const
{
    constexpr qsizetype maxTextLength = 200;
    constexpr std::size_t maxElements = 20;

    switch (m_kind) {
    case Kind::Nil:
        return QStringLiteral("(nil)");
    case Kind::Status:
        return base::printable(m_text, maxTextLength);
    case Kind::Error:
        return QStringLiteral("(error) ") + base::printable(m_text, maxTextLength);
    case Kind::Integer:
        return QStringLiteral("(integer) ") + QString::number(m_integer);
    case Kind::Bulk:
        return QLatin1Char('"') + base::printable(m_text, maxTextLength) + QLatin1Char('"');
    case Kind::Array:
        break;
    }
    QString text = QStringLiteral("[");
    for (std::size_t i = 0; i < std::min(m_elements.size(), maxElements); ++i)
        text += (i == 0 ? QString() : QStringLiteral(", ")) + m_elements[i].toText();
    if (m_elements.size() > maxElements)
        text += QStringLiteral(", and %1 more").arg(m_elements.size() - maxElements);
    return text + QLatin1Char(']');
}

} // namespace latchkey::resp
