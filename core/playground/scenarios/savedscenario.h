#pragma once

#include "core/playground/playground/clienteventlog.h"
#include "core/playground/sequence/sequence.h"

namespace latchkey::scenarios {

/// A recording as a story file of version 2, and the events that such a file cannot express.
struct SavedScenario
{
    QByteArray file;
    QList<base::Text> leftOut; ///< One noun phrase each; empty: nothing is left out.
};

/// Converts orders, faults and ended leases into steps, by time, with their results as expectations.
///
/// Time in between becomes work steps. A restarted client becomes a new client, because all clients of a story exist
/// from the beginning. The file is valid for readScenario(). `eventLog`: orders and answers of the clients in that
/// sequence. Error (Usage): the recording has nothing that a story can contain.
[[nodiscard]] base::Result<SavedScenario> savedScenarioOf(const sequence::Sequence &sequence,
                                                          const playground::ClientEventLog &eventLog);

} // namespace latchkey::scenarios
