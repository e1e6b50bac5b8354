#include "core/recipes/caches/content.h"

namespace latchkey::caches {

using base::ErrorKind;

const QByteArray &valueIn(const Content &content)
{
    if (content.hasFields())
        throw base::Failure(
            base::Error {ErrorKind::Usage,
                         base::Text(QT_TRANSLATE_NOOP("core", "the recipe writes one value, and fields were given"))});
    return content.value();
}

const Fields &fieldsIn(const Content &content)
{
    if (!content.hasFields())
        throw base::Failure(base::Error {
            ErrorKind::Usage,
            base::Text(QT_TRANSLATE_NOOP("core", "the recipe writes fields, and a single value was given"))});
    return content.fields();
}

std::vector<QByteArray> wordsOf(const Fields &fields)
{
    std::vector<QByteArray> words;
    words.reserve(2 * fields.size());
    for (const Field &field : fields) {
        words.push_back(field.name);
        words.push_back(field.value);
    }
    return words;
}

resp::Command hsetOf(const base::Key &key, const Fields &fields)
{
    resp::Command command = resp::hset(key);
    command.reserve(2 + 2 * fields.size());
    for (const QByteArray &word : wordsOf(fields))
        command << word;
    return command;
}

Found foundValue(const resp::Reply &reply)
{
    if (!reply.isBulk())
        return Found::miss();
    return {Content::ofValue(reply.bytes())};
}

Found foundFields(const resp::Reply &reply)
{
    const std::vector<resp::Reply> &elements = reply.elements();
    Fields fields;
    fields.reserve(elements.size() / 2);
    for (std::size_t i = 0; i + 1 < elements.size(); i += 2)
        fields.push_back({elements[i].bytes(), elements[i + 1].bytes()});
    if (fields.empty())
        return Found::miss();
    return {Content::ofFields(std::move(fields))};
}

} // namespace latchkey::caches
