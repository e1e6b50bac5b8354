#pragma once

#include "core/stage/toldstory.h"
#include "core/stories/story.h"

namespace latchkey::stage {

/// Whether the story is one of a program that is none of our recipes: nothing in it says which operation of a recipe a
/// client begins, or which lease it asks for.
[[nodiscard]] bool isOfProgram(const stories::Story &story);

/// Such a story as one that is told with clients: each sends the commands that the program's processes have sent, as
/// the story has them, and is held against the same replies. The program itself does not run.
///
/// Who says that it is inside is inside, until it says otherwise or is dead. Lifetimes end where the story says so, and
/// nowhere else.
/// Error (Usage): a step that no program takes.
[[nodiscard]] base::Result<ToldStory> toldFromProgram(const stories::Story &story);

/// `A is inside, and so is B!` others: who were before.
[[nodiscard]] base::Text insideText(const QString &client, const QStringList &others);

/// What the race finder says of a run, as a sentence: `A key is left behind that never expires.`
[[nodiscard]] QString asSentence(const QString &words);

} // namespace latchkey::stage
