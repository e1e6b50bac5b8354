#include "core/inspect/detection/sharedvalueindex.h"

namespace latchkey::detection {

using keys::RawValue;

namespace {

/// Maximum length of a token. Longer values are not compared with each other.
constexpr qsizetype maxTokenLength = 128;
constexpr qsizetype maxOthers = 20;

bool couldBeToken(const RawValue &value)
{
    return value.isWholeString() && value.size > 0 && value.size <= maxTokenLength;
}

} // namespace

void SharedValueIndex::add(const QByteArray &key, const RawValue &value)
{
    if (couldBeToken(value))
        m_keys[value.bytes()].insert(key);
}

void SharedValueIndex::remove(const QByteArray &key, const RawValue &value)
{
    if (!couldBeToken(value))
        return;
    const auto found = m_keys.find(value.bytes());
    if (found != m_keys.end() && found->remove(key) && found->isEmpty())
        m_keys.erase(found);
}

QByteArrayList SharedValueIndex::others(const QByteArray &key, const RawValue &value) const
{
    QByteArrayList others;
    const auto found = couldBeToken(value) ? m_keys.constFind(value.bytes()) : m_keys.cend();
    if (found == m_keys.cend())
        return others;
    for (auto same = found->cbegin(); same != found->cend() && others.size() < maxOthers; ++same) {
        if (*same != key)
            others.append(*same);
    }
    return others;
}

} // namespace latchkey::detection
