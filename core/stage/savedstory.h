#pragma once

#include "core/playground/courselog.h"
#include "core/sequence/sequence.h"

namespace latchkey::stage {

/// A course of events as a story file of version 2, and what of it such a file cannot say.
struct SavedStory
{
    QByteArray file;
    QList<base::Text> leftOut; ///< A sentence each, without its full stop; none: all is in it.
};

/// What clients were told, what befell them, and which leases ended, as steps in that order, with what came of each as
/// what is expected of it.
///
/// Times in between become work. A client that was started again is another one in the story, as its clients are all
/// there from the beginning. What readToldStory() says of the file is that it is one.
/// course: of the clients of that sequence. Error (Usage): nobody was told anything.
[[nodiscard]] base::Result<SavedStory> storyOf(const sequence::Sequence &sequence, const playground::CourseLog &course);

} // namespace latchkey::stage
