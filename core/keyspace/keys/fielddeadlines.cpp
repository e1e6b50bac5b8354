#include "core/keyspace/keys/fielddeadlines.h"

#include <algorithm>

namespace latchkey::keys {

namespace {

bool isNews(const base::Deadline &mine, const base::Deadline &theirs)
{
    return !mine.agreesWith(theirs) || mine.uncertainty() * 2 < theirs.uncertainty();
}

} // namespace

std::optional<base::Deadline> FieldDeadlines::endOf(const QByteArray &field) const
{
    const auto found = std::ranges::find(first, field, &Field::name);
    return found == first.cend() ? std::nullopt : std::optional(found->deadline);
}

bool FieldDeadlines::differsFrom(const FieldDeadlines *known) const
{
    if (known == nullptr)
        return !isEmpty();
    const bool isAlike = endingCount == known->endingCount && readCount == known->readCount && size == known->size
                      && isWhole == known->isWhole && first.size() == known->first.size();
    return !isAlike || isNews(last, known->last)
        || !std::ranges::equal(first, known->first, [](const Field &mine, const Field &theirs) {
               return mine.name == theirs.name && !isNews(mine.deadline, theirs.deadline);
           });
}

} // namespace latchkey::keys
