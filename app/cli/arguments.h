#pragma once

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/base/lease.h"
#include "core/resp/endpoint.h"

#include <QCommandLineParser>

#include <chrono>
#include <optional>

namespace latchkey::cli {

/// The words of a command line, byte for byte.
///
/// Keys and tokens are bytes, and QCommandLineParser works on text. Each argument is therefore handed to it as Latin-1,
/// which keeps every byte, and turned back when it is used: bytes() where it is a key or a token, text() (UTF-8) where
/// it is meant for people.
class Arguments final
{
public:
    /// What a command takes: a line for its usage, and whether its options are used at all.
    struct Spec
    {
        const char *positionals = ""; ///< "RECIPE KEY", as in the usage line.
        int fewest = 0;
        int most = 0; ///< -1: any number.
    };

    /// words: the command's own arguments, without the program's and the command's names.
    [[nodiscard]] static base::Result<Arguments> parse(const QStringList &words, const Spec &spec,
                                                       const QList<QCommandLineOption> &options);

    [[nodiscard]] QByteArray positionalBytes(int index) const { return m_positionals.value(index).toLatin1(); }
    [[nodiscard]] QString positionalText(int index) const { return QString::fromUtf8(positionalBytes(index)); }
    [[nodiscard]] int positionalCount() const { return static_cast<int>(m_positionals.size()); }

    /// What stands behind `--`: somebody else's command line; absent where there is no `--`.
    [[nodiscard]] const std::optional<QList<QByteArray>> &behindDashes() const { return m_behindDashes; }

    [[nodiscard]] bool isSet(const char *option) const { return m_parser->isSet(QLatin1String(option)); }
    [[nodiscard]] QByteArray bytes(const char *option) const
    {
        return m_parser->value(QLatin1String(option)).toLatin1();
    }
    [[nodiscard]] QString text(const char *option) const { return QString::fromUtf8(bytes(option)); }

    /// All values of an option that may be repeated.
    [[nodiscard]] QStringList texts(const char *option) const;

    [[nodiscard]] bool wantsJson() const { return isSet("json"); }

    /// The servers: --url, else LATCHKEY_URL, else the local one; each with its password, see resp::withPassword(), and
    /// with what the options of TLS, --ssh and --proxy say. Where no password is given, that of a kept server comes
    /// from the keychain, which is waited for. Errors: Usage, also for a server that is given twice; Local, of the
    /// keychain.
    [[nodiscard]] base::Result<std::vector<resp::Endpoint>> endpoints() const;
    /// Those of --url, and of the servers that are kept by the name of --server. Error (Usage): no server is kept so.
    [[nodiscard]] base::Result<QStringList> namedUrls() const;
    /// Whether there are options of how to get there: of TLS (--cacert, …), --ssh or --proxy.
    [[nodiscard]] bool areWayOptionsSet() const;
    /// The same for a command that has use for one server only.
    [[nodiscard]] base::Result<resp::Endpoint> endpoint() const;

    /// The key at that position, decoded where --base64-key is set. Error: Usage, also for the empty one, which a
    /// variable that is not set comes to, unless --allow-empty-key is set.
    [[nodiscard]] base::Result<base::Key> key(int index) const;
    /// The option as a duration; nothing where it is not set. Error: Usage, naming the option.
    [[nodiscard]] base::Result<std::optional<std::chrono::milliseconds>> duration(const char *option) const;
    /// The same, as a lease, which is longer than zero; of every option but --lease it is data's, a lifetime.
    [[nodiscard]] base::Result<std::optional<base::Lease>> lease(const char *option = "lease") const;
    /// From --token, --token-file, else LATCHKEY_TOKEN; nothing where there is none. Where `run` has set LATCHKEY_KEY
    /// beside it, that token is of that lock and of no other key. Error: Usage.
    [[nodiscard]] base::Result<std::optional<base::OwnerToken>> token(const base::Key &key) const;

    /// Options that every command has.
    [[nodiscard]] static QList<QCommandLineOption> commonOptions();
    [[nodiscard]] static QList<QCommandLineOption> keyOptions();
    [[nodiscard]] static QList<QCommandLineOption> tokenOptions();
    [[nodiscard]] static QCommandLineOption leaseOption();

    /// What QCommandLineParser says of such words, in whatever language: they are UTF-8 again.
    [[nodiscard]] static QString readable(const QString &text);
    /// The arguments of main(), as Latin-1.
    [[nodiscard]] static QStringList wordsOf(int argc, char **argv);

private:
    explicit Arguments(std::shared_ptr<QCommandLineParser> parser);

    [[nodiscard]] bool areTlsOptionsSet() const;
    [[nodiscard]] base::Result<resp::Endpoint> withTls(resp::Endpoint endpoint) const;
    [[nodiscard]] base::Result<resp::Endpoint> withWay(resp::Endpoint endpoint) const;

    std::shared_ptr<QCommandLineParser> m_parser;
    QStringList m_positionals;
    std::optional<QList<QByteArray>> m_behindDashes;
};

} // namespace latchkey::cli
