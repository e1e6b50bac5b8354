#pragma once

#include "core/foundation/base/bytes.h"
#include "core/redis/exchange/step.h"
#include "core/redis/resp/command.h"

#include <QByteArray>
#include <QStringList>

#include <optional>

namespace latchkey::exchange {

template<typename T>
class Exchange;
class Script;

/// A script with the keys and arguments of one call: `co_await script.on(key).with(token)` returns its Reply.
class ScriptCall final
{
public:
    explicit ScriptCall(const Script &script)
        : m_script(&script)
    {}

    [[nodiscard]] ScriptCall &&on(const base::Key &key) &&;
    [[nodiscard]] ScriptCall &&with(const QByteArray &argument) &&;
    [[nodiscard]] ScriptCall &&with(const base::OwnerToken &token) &&;
    [[nodiscard]] ScriptCall &&with(qint64 number) &&;
    [[nodiscard]] ScriptCall &&with(const std::vector<QByteArray> &arguments) &&;
    /// See Request::onNewConnection().
    [[nodiscard]] ScriptCall &&onNewConnection() &&;
    /// See Request::to().
    [[nodiscard]] ScriptCall &&to(ServerIndex server) &&;
    /// Adds an alternative for a script that compares first. Such a script replies 1 if it did its work, 0 on a
    /// mismatch, and -1 if the key is absent. `single`: one command of newer servers with the same effect. It is sent
    /// instead of the script, and its reply is converted: OK or 1 becomes 1. For any other reply, `presence`, which
    /// replies 1 or 0, distinguishes a mismatch from an absent key. If a server refuses the single command, the script
    /// is sent.
    [[nodiscard]] ScriptCall &&orSingleCommand(resp::Command single, resp::Command presence) &&;

    [[nodiscard]] bool wantsNewConnection() const { return m_onNewConnection; }
    [[nodiscard]] ServerIndex server() const { return m_server; }
    /// The commands that replace the script; see orSingleCommand().
    struct Single
    {
        resp::Command command;
        resp::Command presence;
    };
    [[nodiscard]] const std::optional<Single> &single() const { return m_single; }
    /// Returns `EVALSHA sha1 …`.
    [[nodiscard]] resp::Command bySha1() const;
    /// Returns `EVAL source …`, which also stores the script in the server.
    [[nodiscard]] resp::Command bySource() const;

private:
    [[nodiscard]] resp::Command command(const char *name, const QByteArray &script) const;

    const Script *m_script; // Not owned: scripts live as long as the process.
    std::vector<QByteArray> m_keys;
    std::vector<QByteArray> m_arguments;
    std::optional<Single> m_single;
    ServerIndex m_server = 0;
    bool m_onNewConnection = false;
};

/// A Lua script in resources/lua, loaded once. Key names are in KEYS, everything else in ARGV. A server without the
/// script receives its source. Afterwards, the forty bytes of its SHA1 are enough.
class Script final
{
public:
    /// Loads the script. `name`: file name without its suffix. The file is an embedded resource, so a missing file is a
    /// defect of the program, not an error.
    explicit Script(const QString &name);

    [[nodiscard]] ScriptCall on(const base::Key &key) const;
    [[nodiscard]] const QByteArray &source() const { return m_source; }
    [[nodiscard]] const QByteArray &sha1() const { return m_sha1; }

    /// Returns the names of all scripts.
    [[nodiscard]] static QStringList names();

private:
    QByteArray m_source;
    QByteArray m_sha1;
};

/// Returns the command for display: the name of a script replaces its SHA1 or its source.
[[nodiscard]] resp::Command withScriptName(resp::Command command);

/// Sends EVALSHA, and EVAL if the server does not have the script (NOSCRIPT), or the alternative of
/// ScriptCall::orSingleCommand(). A failure is a value, as for any command that is awaited tentatively.
[[nodiscard]] Exchange<Answer> tentatively(ScriptCall evaluation);

/// Sends several calls in parallel, each to its own server. The first batch contains the EVALSHAs or their alternatives
/// (orSingleCommand()), the second batch the further commands that are needed, such as EVAL for servers without the
/// script. Returns one answer for each call, in order. `timeout`: timeout of each batch; see Batch::within().
[[nodiscard]] Exchange<Answers> tentatively(std::vector<ScriptCall> evaluations, std::chrono::milliseconds timeout);

/// Does the same as tentatively(), but an error ends the exchange.
[[nodiscard]] Exchange<resp::Reply> evaluate(ScriptCall evaluation);

} // namespace latchkey::exchange
