#pragma once

#include "core/inspect/recognition/recognition.h"
#include "core/redis/net/connection.h"

#include <QJsonArray>
#include <QJsonObject>

namespace latchkey::recording {

/// Converts the recognition of a value that is left out: the candidates with their evidence, and the decoded data
/// without identities. Requests are not kept, because a replay cannot send them.
[[nodiscard]] QJsonObject recognitionJson(const recognition::Recognition &recognition);
[[nodiscard]] recognition::Recognition recognitionFrom(const QJsonObject &json);

} // namespace latchkey::recording
