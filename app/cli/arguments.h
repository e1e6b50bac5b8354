#pragma once

#include "app/cli/option.h"
#include "core/foundation/base/bytes.h"
#include "core/foundation/base/error.h"
#include "core/foundation/base/globs.h"
#include "core/foundation/base/lease.h"
#include "core/redis/net/endpoint.h"

#include <QCommandLineParser>

#include <chrono>
#include <optional>

namespace latchkey::cli {

/// The arguments of a command line, byte for byte.
///
/// Keys and tokens are bytes, but QCommandLineParser works on text. So each argument is passed to the parser as
/// Latin-1, which preserves all bytes, and converted back on access. Keys and tokens are read by bytes(), texts by
/// text() (UTF-8).
class Arguments final
{
public:
    /// The arguments that a command accepts: usage line and number of positional arguments.
    struct Spec
    {
        const char *positionals = ""; ///< "RECIPE KEY", as in the usage line.
        int minPositionals = 0;
        int maxPositionals = 0; ///< -1 for any number.
    };

    /// Parses the arguments of a command. `words`: arguments without the names of program and command.
    [[nodiscard]] static base::Result<Arguments> parse(const QStringList &words, const Spec &spec,
                                                       const QList<QCommandLineOption> &options);

    [[nodiscard]] QByteArray positionalBytes(int index) const { return m_positionals.value(index).toLatin1(); }
    [[nodiscard]] QString positionalText(int index) const { return QString::fromUtf8(positionalBytes(index)); }
    [[nodiscard]] int positionalCount() const { return static_cast<int>(m_positionals.size()); }

    /// Returns the command line after `--`, which belongs to another program. Absent without `--`.
    [[nodiscard]] const std::optional<QList<QByteArray>> &commandAfterDashes() const { return m_behindDashes; }

    [[nodiscard]] bool isSet(const char *option) const { return m_parser->isSet(QLatin1String(option)); }
    [[nodiscard]] QByteArray bytes(const char *option) const
    {
        return m_parser->value(QLatin1String(option)).toLatin1();
    }
    [[nodiscard]] QString text(const char *option) const { return QString::fromUtf8(bytes(option)); }

    /// Returns the positional arguments from `first` on as patterns of keys. Without any, every key matches.
    [[nodiscard]] base::Globs globs(int first = 0) const;

    /// Returns all values of a repeatable option.
    [[nodiscard]] QStringList texts(const char *option) const;

    /// Returns --timeout: the timeout of connecting, and of each request.
    [[nodiscard]] std::chrono::milliseconds timeout() const { return m_timeout; }
    [[nodiscard]] bool wantsJson() const { return isSet("json"); }

    /// Returns the servers: --url, else LATCHKEY_URL, else the local server. Each has its password, see
    /// net::withPassword(), and the options of TLS, --ssh and --proxy. Passwords of saved connections come from the
    /// keychain, if no other password is given; the call blocks on the keychain. Errors: Usage, also for a server that
    /// is given twice; Local, from the keychain.
    [[nodiscard]] base::Result<std::vector<net::Endpoint>> endpoints() const;
    /// Returns the URLs of --url, of the saved connections of --server, and of the server of --host, --port, --db and
    /// --user. Errors (Usage): there is no saved connection of this name; see also serverFromParts().
    [[nodiscard]] base::Result<QStringList> namedUrls() const;
    /// Returns whether any option of the connection itself is set: TLS (--cacert, …), --ssh or --proxy.
    [[nodiscard]] bool areConnectionOptionsSet() const
    {
        return areTlsOptionsSet() || isSet("tls") || isSet("ssh") || isSet("proxy");
    }
    /// Returns the server of a command that accepts a single server. Errors: as endpoints().
    [[nodiscard]] base::Result<net::Endpoint> endpoint() const;

    /// Returns the key at that position, decoded if --base64-key is set. Error: Usage. An empty key is an error too
    /// unless --allow-empty-key is set: it is usually an unset shell variable.
    [[nodiscard]] base::Result<base::Key> key(int index) const;
    /// Returns the option as a duration. Absent if it is not set. Error: Usage, with the name of the option.
    [[nodiscard]] base::Result<std::optional<std::chrono::milliseconds>> duration(const char *option) const;
    /// Returns the option as a lease. Absent if it is not set. Error (Usage): the option is invalid, not positive, or
    /// longer than a hundred years. The error text says "lease" for --lease, and "lifetime" for every other option.
    [[nodiscard]] base::Result<std::optional<base::Lease>> lease(const char *option = "lease") const;
    /// Returns the token from --token, --token-file, or else LATCHKEY_TOKEN. Absent if there is none. If `run` has set
    /// LATCHKEY_KEY too, its token is valid for that key only. Error: Usage.
    [[nodiscard]] base::Result<std::optional<base::OwnerToken>> token(const base::Key &key) const;

    /// Returns whether an option accepts several values.
    [[nodiscard]] static bool isRepeatable(const QString &option);
    /// Returns the options that every command accepts.
    [[nodiscard]] static QList<QCommandLineOption> commonOptions();
    [[nodiscard]] static QList<QCommandLineOption> keyOptions();
    [[nodiscard]] static QList<QCommandLineOption> tokenOptions(const QString &description);
    [[nodiscard]] static QCommandLineOption leaseOption(const QString &description);

    /// Converts a message of QCommandLineParser, in any language, from Latin-1 arguments back to UTF-8. Replaces its
    /// single quotes by double quotes.
    [[nodiscard]] static QString readable(const QString &text);
    /// Returns the arguments of main() as Latin-1.
    [[nodiscard]] static QStringList wordsOf(int argc, char **argv);

private:
    explicit Arguments(std::shared_ptr<QCommandLineParser> parser);

    [[nodiscard]] bool areTlsOptionsSet() const;
    [[nodiscard]] base::Result<net::Endpoint> withTls(net::Endpoint endpoint) const;
    [[nodiscard]] base::Result<net::Endpoint> withRoute(net::Endpoint endpoint) const;

    std::shared_ptr<QCommandLineParser> m_parser;
    QStringList m_positionals;
    std::chrono::milliseconds m_timeout {};
    std::optional<QList<QByteArray>> m_behindDashes;
};

} // namespace latchkey::cli
