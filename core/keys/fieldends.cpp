#include "core/keys/fieldends.h"

#include <algorithm>

namespace latchkey::keys {

std::optional<base::Deadline> FieldEnds::endOf(const QByteArray &field) const
{
    const auto found = std::ranges::find(first, field, &Field::name);
    return found == first.cend() ? std::nullopt : std::optional(found->deadline);
}

bool FieldEnds::agreesWith(const FieldEnds &other) const
{
    const bool isAlike = endingCount == other.endingCount && askedCount == other.askedCount && size == other.size
                      && isWhole == other.isWhole && first.size() == other.first.size();
    return isAlike && std::ranges::equal(first, other.first, [](const Field &mine, const Field &theirs) {
               return mine.name == theirs.name && mine.deadline.agreesWith(theirs.deadline);
           });
}

} // namespace latchkey::keys
