#pragma once

#include "core/foundation/base/text.h"
#include "core/playground/playground/clientprotocol.h"

#include <QList>
#include <QStringList>

#include <vector>

namespace latchkey::scenarios {

/// A command of a client and its reply, for users.
struct CommandRecord
{
    QString client;
    QString command;
    base::Text reply;
};

/// The result of a step.
struct StepResult
{
    std::size_t step = 0;
    QString outcome; ///< Outcome of the client's order; empty if there was nothing to answer.
    playground::ClientReport report;
    std::vector<CommandRecord> exchanged; ///< Commands of all clients since the previous step.
    QStringList inside;
    QList<base::Text> differences; ///< One sentence for each difference, with its place; empty: none.
};

} // namespace latchkey::scenarios
