#include "tests/support/tlssetup.h"
#include "tests/support/freeport.h"

#include <QFile>
#include <QProcess>
#include <QSslCertificate>
#include <QStandardPaths>

namespace latchkey::test {

namespace {

void writeConfiguration(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
}

} // namespace

TlsSetup::TlsSetup()
{
    if (QStandardPaths::findExecutable(QStringLiteral("openssl")).isEmpty())
        m_obstacle = QStringLiteral("there is no openssl to make certificates with");
    else if (!make() && m_obstacle.isEmpty())
        m_obstacle = QStringLiteral("openssl has made no certificates");
}

bool TlsSetup::openssl(const QStringList &arguments)
{
    QProcess program;
    program.setWorkingDirectory(m_folder.path());
    program.setProcessChannelMode(QProcess::MergedChannels);
    program.start(QStringLiteral("openssl"), arguments);
    if (program.waitForFinished() && program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0)
        return true;
    m_obstacle = QStringLiteral("openssl %1: %2").arg(arguments.join(u' '), QString::fromUtf8(program.readAll()));
    return false;
}

bool TlsSetup::sign(const QString &name, const QString &host, const QString &from, const QString &to, const QString &ca)
{
    writeConfiguration(
        path(QStringLiteral("ca.cnf")),
        "[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase=index.txt\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n"
        "email_in_dn=no\ncopy_extensions=none\n[p]\ncommonName=supplied\n[e]\nsubjectAltName="
            + host.toUtf8() + '\n');
    writeConfiguration(path(QStringLiteral("index.txt")), QByteArray());
    return openssl({QStringLiteral("req"), QStringLiteral("-new"), QStringLiteral("-newkey"), QStringLiteral("ec"),
                    QStringLiteral("-pkeyopt"), QStringLiteral("ec_paramgen_curve:P-256"), QStringLiteral("-nodes"),
                    QStringLiteral("-subj"), QStringLiteral("/CN=") + name, QStringLiteral("-keyout"),
                    name + QStringLiteral(".key"), QStringLiteral("-out"), QStringLiteral("request.csr")})
        && openssl({QStringLiteral("ca"), QStringLiteral("-batch"), QStringLiteral("-config"), QStringLiteral("ca.cnf"),
                    QStringLiteral("-extensions"), QStringLiteral("e"), QStringLiteral("-cert"),
                    ca + QStringLiteral(".crt"), QStringLiteral("-keyfile"), ca + QStringLiteral(".key"),
                    QStringLiteral("-startdate"), from, QStringLiteral("-enddate"), to, QStringLiteral("-in"),
                    QStringLiteral("request.csr"), QStringLiteral("-out"), name + QStringLiteral(".crt"),
                    QStringLiteral("-notext")});
}

bool TlsSetup::make()
{
    const auto selfSigned = [this](const QString &name, const QStringList &more) {
        return openssl(
            QStringList {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"),
                         QStringLiteral("ec"), QStringLiteral("-pkeyopt"), QStringLiteral("ec_paramgen_curve:P-256"),
                         QStringLiteral("-nodes"), QStringLiteral("-days"), QStringLiteral("30"),
                         QStringLiteral("-subj"), QStringLiteral("/CN=") + name, QStringLiteral("-keyout"),
                         name + QStringLiteral(".key"), QStringLiteral("-out"), name + QStringLiteral(".crt")}
            + more);
    };
    const QString past = QStringLiteral("20200101000000Z");
    const QString before = QStringLiteral("20200201000000Z");
    const QString future = QStringLiteral("20900101000000Z");
    const QString later = QStringLiteral("20910101000000Z");
    const QString here = QStringLiteral("DNS:localhost,IP:127.0.0.1");
    return selfSigned(QStringLiteral("ca"), {}) && selfSigned(QStringLiteral("foreign-ca"), {})
        && selfSigned(QStringLiteral("self-signed"),
                      {QStringLiteral("-addext"), QStringLiteral("subjectAltName=") + here})
        && sign(QStringLiteral("server"), here, past, later)
        && sign(QStringLiteral("other-host"), QStringLiteral("DNS:elsewhere.example"), past, later)
        && sign(QStringLiteral("expired"), here, past, before) && sign(QStringLiteral("future"), here, future, later)
        && sign(QStringLiteral("client"), QStringLiteral("DNS:client"), past, later)
        && sign(QStringLiteral("foreign"), here, past, later, QStringLiteral("foreign-ca"))
        && openssl({QStringLiteral("ec"), QStringLiteral("-aes256"), QStringLiteral("-passout"),
                    QStringLiteral("pass:secret"), QStringLiteral("-in"), QStringLiteral("client.key"),
                    QStringLiteral("-out"), QStringLiteral("locked.key")});
}

QByteArray TlsSetup::fingerprint(const QString &name) const
{
    return QSslCertificate::fromPath(certificate(name)).value(0).digest(QCryptographicHash::Sha256);
}

quint16 TlsSetup::encrypt(TestServer &server, const QString &name, bool wantsClients) const
{
    const auto set = [&server](const QList<QByteArray> &words) {
        resp::Command command {"CONFIG", "SET"};
        for (const QByteArray &word : words)
            command << word;
        const resp::Reply reply = server(command);
        if (!reply.isOk())
            qFatal("no TLS: %s", reply.bytes().constData());
    };
    set({"tls-cert-file", certificate(name).toUtf8(), "tls-key-file", key(name).toUtf8(), "tls-ca-cert-file",
         certificate(QStringLiteral("ca")).toUtf8(), "tls-auth-clients", wantsClients ? "yes" : "no"});
    const quint16 port = freePort();
    set({"tls-port", QByteArray::number(port)});
    return port;
}

net::Endpoint TlsSetup::endpoint(quint16 port) const
{
    net::Endpoint endpoint;
    endpoint.host = QStringLiteral("localhost");
    endpoint.port = port;
    endpoint.tls.emplace().caFile = certificate(QStringLiteral("ca"));
    return endpoint;
}

} // namespace latchkey::test
