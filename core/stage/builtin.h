#pragma once

#include <QByteArray>
#include <QString>

#include <optional>
#include <vector>

// The stories that come with the program: resources/stories.

namespace latchkey::stage {

/// A story file that is part of the program.
struct BuiltInStory
{
    QString name; ///< `late-delete`
    QByteArray contents;
};

/// All of them, in the order in which they are told.
[[nodiscard]] std::vector<BuiltInStory> builtInStories();
/// The one of that name; absent: there is none.
[[nodiscard]] std::optional<BuiltInStory> builtInStory(const QString &name);

} // namespace latchkey::stage
