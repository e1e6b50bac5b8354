#pragma once

#include "app/cli/limits.h"
#include "core/foundation/base/lease.h"
#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/findings/finding.h"
#include "core/keyspace/events/coverage.h"
#include "core/keyspace/keys/fielddeadlines.h"

#include <QStringList>

namespace latchkey::cli {

/// The field expiries of a hash.
struct FieldEnds
{
    keys::FieldDeadlines ends;
    std::optional<base::Error> refusal; ///< Why they are unknown; absent if they are known, or for another type.
};

/// The question of one run of `why`.
struct WhyRequest
{
    net::Endpoint endpoint;
    base::Key key;
    Limits limits;
    bool isJson = false;
    QString name; ///< Operation and key, for messages.
    recognition::Recogniser recogniser;
};

/// The answer to a WhyRequest: the state of the key at one time.
struct WhyAnswer
{
    detection::KeyExamination found;
    FieldEnds fields;
    std::vector<findings::Finding> wrong;
    net::Endpoint endpoint {};            ///< Server, or node of a cluster, that has the key.
    resp::ServerInfo server {};           ///< The server that was asked first; empty if it does not describe itself.
    std::optional<base::Error> staleness; ///< Why the keys may be out of date; absent: they are not.
    std::optional<base::Error> unchecked; ///< Why the settings of the server were not read, and not checked.
};

/// Reads one key and its companion keys over a separate connection. `timeout`: of the connection and of each command.
/// Error: no connection, or a refusal of the server.
[[nodiscard]] base::Result<WhyAnswer> read(const WhyRequest &request, std::chrono::milliseconds timeout);

/// Returns the requests that the server refused or did not answer, as display texts.
[[nodiscard]] QStringList deniedTexts(const WhyAnswer &answer);

/// Returns the coverage for one key that was read completely. Its companion keys may have been refused, and all of them
/// may be out of date.
[[nodiscard]] events::Coverage coverageOf(const WhyAnswer &answer);

} // namespace latchkey::cli
