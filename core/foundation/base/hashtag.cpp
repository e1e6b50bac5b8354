#include "core/foundation/base/hashtag.h"

namespace latchkey::base {

bool hasHashTag(const QByteArray &key)
{
    const qsizetype open = key.indexOf('{');
    return open >= 0 && key.indexOf('}', open) > open + 1;
}

QByteArray withHashTag(const QByteArray &key)
{
    return hasHashTag(key) ? key : '{' + key + '}';
}

} // namespace latchkey::base
