#pragma once

#include "core/stories/story.h"

#include <QJsonArray>

namespace latchkey::stories {

/// A story as a file: JSON in UTF-8, for people to read and for any program to play.
///
///     {"format": "latchkey-story", "version": 1, "title": …, "recipe": …, "promise": …, "verdict": …, "servers": 1,
///      "clients": [{"name": "A", "lease_ms": 36000000, "clock_ahead_s": 0}],
///      "scripts": {"release-if-owner": "return …"}, "beforehand": [["RPUSH", "k", "v"]],
///      "steps": [{"client": "A", "command": ["SET", "k", "v", "NX"], "reply": {"status": "OK"}, "note": "A is
///      inside"},
///                {"client": "A", "does": "clock", "clock": 1767225601}, {"client": "A", "does": "wait"},
///                {"client": "A", "does": "write", "fencing": 1},
///                {"fault": "crash", "client": "A"}, {"fault": "lapse", "server": 0, "key": "k"},
///                {"fault": "deadline", "server": 0, "key": "k"}]}
///
/// Where a command is EVALSHA or EVAL, the script's name stands for it. A text is a word or a bulk reply in UTF-8,
/// bytes that are not are {"base64": …}. Replies: null, a number, a text, {"status": …}, {"error": …}, an array of
/// these. "server" counts from 0, which is meant where it is missing.
[[nodiscard]] QByteArray toFile(const Story &story);

/// Error (Usage): no such file's contents, and where: `steps[3].command: not an array`.
[[nodiscard]] base::Result<Story> fromFile(const QByteArray &contents);

/// A file's "beforehand".
[[nodiscard]] QJsonArray toJson(const resp::Commands &commands);

/// A file's "steps".
[[nodiscard]] QJsonArray toJson(const std::vector<Step> &steps);

} // namespace latchkey::stories
