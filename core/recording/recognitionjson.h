#pragma once

#include "core/recognition/recognition.h"
#include "core/resp/connection.h"

#include <QJsonArray>
#include <QJsonObject>

namespace latchkey::recording {

/// What was recognised of a value that is left out: the candidates with their evidence, and of what the value says
/// whatever names nobody. Questions are not kept: nobody can be asked.
[[nodiscard]] QJsonObject recognitionJson(const recognition::Recognition &recognition);
[[nodiscard]] recognition::Recognition recognitionFrom(const QJsonObject &json);

/// One reply: null, an integer, a list of replies, `{"bulk": bytes}`, `{"status": bytes}` or `{"error": bytes}`.
[[nodiscard]] QJsonValue replyJson(const resp::Reply &reply);
[[nodiscard]] resp::Reply replyFrom(const QJsonValue &json);

} // namespace latchkey::recording
