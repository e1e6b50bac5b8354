#pragma once

#include "core/base/bytes.h"
#include "core/exchange/step.h"
#include "core/resp/command.h"

#include <QByteArray>
#include <QStringList>

#include <optional>

namespace latchkey::exchange {

template<typename T>
class Exchange;
class Script;

/// A script with the keys and arguments of one call: `co_await script.on(key).with(token)` gives its Reply.
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
    /// For a script that compares first, and answers 1 where it did what it is for, 0 where it found something else and
    /// -1 where it found nothing. single: one command that does the same on newer servers. It is asked instead, and its
    /// answer is given as the script's: OK or 1 is 1; else presence, which answers 1 or 0, tells whether there was
    /// something else or nothing. A server that refuses the single command is asked for the script after all.
    [[nodiscard]] ScriptCall &&rather(resp::Command single, resp::Command presence) &&;

    [[nodiscard]] bool wantsNewConnection() const { return m_onNewConnection; }
    [[nodiscard]] ServerIndex server() const { return m_server; }
    /// What is asked instead; see rather().
    struct Single
    {
        resp::Command command;
        resp::Command presence;
    };
    [[nodiscard]] const std::optional<Single> &single() const { return m_single; }
    /// `EVALSHA sha1 …`
    [[nodiscard]] resp::Command bySha1() const;
    /// `EVAL source …`, which also makes the server remember the script.
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

/// One of the Lua scripts in resources/lua, loaded once. Key names go in KEYS, everything else in ARGV.
/// A server that does not have it yet is given its source; after that forty bytes of SHA1 are enough.
class Script final
{
public:
    /// name: the file's, without its ending. The program's own resource, so a missing one is a defect, not an error.
    explicit Script(const QString &name);

    [[nodiscard]] ScriptCall on(const base::Key &key) const;
    [[nodiscard]] const QByteArray &source() const { return m_source; }
    [[nodiscard]] const QByteArray &sha1() const { return m_sha1; }

    /// The names of all of them.
    [[nodiscard]] static QStringList names();

private:
    QByteArray m_source;
    QByteArray m_sha1;
};

/// The command as people should see it: where it calls one of the scripts, with the script's name in place
/// of its SHA1 or its source.
[[nodiscard]] resp::Command withScriptName(resp::Command command);

/// EVALSHA, and EVAL where the server does not know the script (NOSCRIPT), or what ScriptCall::rather() says; a failure
/// is a value, as of any command that is awaited tentatively.
[[nodiscard]] Exchange<Answer> tentatively(ScriptCall evaluation);

/// The same for several at once, on servers of their own, side by side: a batch of EVALSHAs, then a batch of what is
/// still to be asked of some of the servers, such as the EVALs for those that do not know the script. One answer each,
/// in order. patience: of each batch; see Batch::within().
[[nodiscard]] Exchange<Answers> tentatively(std::vector<ScriptCall> evaluations, std::chrono::milliseconds patience);

/// EVALSHA, and EVAL where the server does not know the script (NOSCRIPT). Errors end the exchange.
[[nodiscard]] Exchange<resp::Reply> evaluate(ScriptCall evaluation);

} // namespace latchkey::exchange
