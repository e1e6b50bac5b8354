#include "core/inspect/recognition/templates.h"

#include "core/foundation/base/hashtag.h"

namespace latchkey::recognition {

namespace {

/// Calls take(preceding text, name) for each `<name>`, and returns the text after the last one.
template<typename Take>
QByteArrayView eachVariable(QByteArrayView text, Take take)
{
    for (qsizetype open = text.indexOf('<'); open >= 0; open = text.indexOf('<')) {
        const qsizetype close = text.indexOf('>', open);
        if (close < 0)
            break;
        take(text.first(open), text.sliced(open + 1, close - open - 1).toByteArray());
        text = text.sliced(close + 1);
    }
    return text;
}

} // namespace

QByteArray taggedName(const QByteArray &key)
{
    return key.contains('{') ? key : '{' + key + '}';
}

QByteArray redissonFencingCounter(const QByteArray &lock)
{
    return "redisson_lock_token:" + taggedName(lock);
}

QByteArray latchkeyFencingCounter(const QByteArray &lock)
{
    return base::withHashTag(lock) + ":fence";
}

QByteArray expand(const QByteArray &text, const Variables &variables)
{
    QByteArray expanded;
    const QByteArrayView rest = eachVariable(text, [&](QByteArrayView before, const QByteArray &name) {
        expanded += before;
        expanded += variables.value(name, '<' + name + '>');
    });
    return expanded + rest.toByteArray();
}

QByteArrayList variablesIn(const QByteArray &text)
{
    QByteArrayList names;
    (void)eachVariable(text, [&](QByteArrayView, const QByteArray &name) { names += name; });
    return names;
}

} // namespace latchkey::recognition
