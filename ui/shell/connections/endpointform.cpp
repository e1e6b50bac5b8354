#include "ui/shell/connections/endpointform.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>

#include <limits>

namespace latchkey::ui::connections {

using net::Endpoint;

namespace {

constexpr int maxDatabase = 999'999;

QLabel *labelOf(const QString &text, QWidget *field)
{
    auto *label = new QLabel(text, field->parentWidget());
    label->setBuddy(field);
    return label;
}

QHBoxLayout *rowOf(std::initializer_list<QWidget *> widgets)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(10);
    for (QWidget *widget : widgets)
        row->addWidget(widget, qobject_cast<QLineEdit *>(widget) != nullptr ? 1 : 0);
    return row;
}

} // namespace

EndpointForm::EndpointForm(QWidget *parent)
    : QObject(parent)
    , m_transport(new QComboBox(parent))
    , m_host(new QLineEdit(parent))
    , m_port(new QSpinBox(parent))
    , m_socket(new QLineEdit(parent))
    , m_database(new QSpinBox(parent))
    , m_tls(new QCheckBox(tr("TLS"), parent))
    , m_user(new QLineEdit(parent))
    , m_ssh(new QLineEdit(parent))
    , m_proxy(new QLineEdit(parent))
    , m_map(new QLineEdit(parent))
{
    name();
    m_transport->addItems({tr("host and port"), tr("Unix socket")});
    m_port->setRange(1, std::numeric_limits<quint16>::max());
    m_port->setGroupSeparatorShown(false);
    m_database->setRange(0, maxDatabase);
    m_database->setFixedWidth(80);
    m_port->setFixedWidth(80);
    fitTransport();
    connect(m_transport, &QComboBox::currentIndexChanged, this, [this] {
        fitTransport();
        Q_EMIT edited();
    });
    for (const QLineEdit *edit : {m_host, m_socket, m_user, m_ssh, m_proxy, m_map})
        connect(edit, &QLineEdit::textChanged, this, &EndpointForm::edited);
    for (const QSpinBox *box : {m_port, m_database})
        connect(box, &QSpinBox::valueChanged, this, &EndpointForm::edited);
    connect(m_tls, &QCheckBox::toggled, this, &EndpointForm::edited);
    connect(m_proxy, &QLineEdit::editingFinished, this, &EndpointForm::hideProxyPassword);
}

void EndpointForm::name()
{
    m_transport->setObjectName(QStringLiteral("serverTransport"));
    m_transport->setAccessibleName(tr("How the server is reached"));
    m_host->setObjectName(QStringLiteral("serverHost"));
    m_host->setAccessibleName(tr("Host"));
    m_host->setPlaceholderText(QStringLiteral("127.0.0.1"));
    m_port->setObjectName(QStringLiteral("serverPort"));
    m_port->setAccessibleName(tr("Port"));
    m_port->setToolTip(tr("Port"));
    m_socket->setObjectName(QStringLiteral("serverSocket"));
    m_socket->setAccessibleName(tr("Path of the Unix socket"));
    m_socket->setPlaceholderText(QStringLiteral("/run/redis/redis.sock"));
    m_database->setObjectName(QStringLiteral("serverDatabase"));
    m_database->setAccessibleName(tr("Database"));
    m_tls->setObjectName(QStringLiteral("serverTls"));
    m_tls->setToolTip(tr("Encrypts the connection and verifies the certificate of the server"));
    m_user->setObjectName(QStringLiteral("serverUser"));
    m_user->setPlaceholderText(tr("the default user"));
    m_ssh->setObjectName(QStringLiteral("serverSsh"));
    m_ssh->setAccessibleName(tr("SSH host"));
    m_ssh->setPlaceholderText(tr("none"));
    m_ssh->setToolTip(tr("Host to log in to with ssh, such as ann@bastion:2222; the server's address is as seen from "
                         "there"));
    m_proxy->setObjectName(QStringLiteral("serverProxy"));
    m_proxy->setAccessibleName(tr("Proxy"));
    m_proxy->setPlaceholderText(tr("none"));
    m_proxy->setToolTip(tr("URL of a proxy: socks5://host:port or http://host:port"));
    m_map->setObjectName(QStringLiteral("serverMap"));
    m_map->setAccessibleName(tr("Address map"));
    m_map->setPlaceholderText(tr("none"));
    m_map->setToolTip(tr("Where the addresses that a cluster or sentinels announce are reached, such as "
                         "10.0.0.1:7000=localhost:17000,10.0.0.2=db.example"));
}

void EndpointForm::addRowsTo(QFormLayout &form)
{
    form.addRow(labelOf(tr("&Host"), m_transport), rowOf({m_transport, m_host, m_port, m_socket}));
    auto *database = rowOf({m_database, m_tls});
    database->addStretch(1);
    form.addRow(labelOf(tr("&Database"), m_database), database);
    form.addRow(labelOf(tr("SSH h&ost"), m_ssh), rowOf({m_ssh, labelOf(tr("Prox&y"), m_proxy), m_proxy}));
    form.addRow(labelOf(tr("Address &map"), m_map), m_map);
}

void EndpointForm::fitTransport()
{
    const bool isUnix = m_transport->currentIndex() == 1;
    m_host->setVisible(!isUnix);
    m_port->setVisible(!isUnix);
    m_socket->setVisible(isUnix);
    m_tls->setEnabled(!isUnix);
    m_proxy->setEnabled(!isUnix);
}

void EndpointForm::setEndpoint(const Endpoint &endpoint)
{
    const QSignalBlocker blocker(this);
    m_set = endpoint;
    const bool isUnix = endpoint.transport == Endpoint::Transport::Unix;
    m_transport->setCurrentIndex(isUnix ? 1 : 0);
    if (isUnix) {
        m_socket->setText(endpoint.path);
    } else {
        m_host->setText(endpoint.host);
        m_port->setValue(endpoint.port);
    }
    m_database->setValue(endpoint.database);
    m_tls->setChecked(endpoint.tls.has_value());
    m_user->setText(endpoint.user);
    m_ssh->setText(endpoint.ssh ? endpoint.ssh->display() : QString());
    m_proxy->setText(endpoint.proxy ? endpoint.proxy->display() : QString());
    m_map->setText(endpoint.addresses.toText());
}

base::Result<Endpoint> EndpointForm::endpoint() const
{
    Endpoint endpoint = m_set;
    const bool isUnix = m_transport->currentIndex() == 1;
    endpoint.transport = isUnix ? Endpoint::Transport::Unix : Endpoint::Transport::Tcp;
    endpoint.host = isUnix ? Endpoint().host : m_host->text().trimmed();
    endpoint.port = isUnix ? Endpoint().port : static_cast<quint16>(m_port->value());
    endpoint.path = isUnix ? m_socket->text() : QString();
    if (isUnix)
        endpoint.sentinels.reset();
    endpoint.database = m_database->value();
    endpoint.user = m_user->text();
    if (isUnix || !m_tls->isChecked())
        endpoint.tls.reset();
    else if (!endpoint.tls)
        endpoint.tls.emplace();
    return withRoute(endpoint).and_then([](const Endpoint &made) -> base::Result<Endpoint> {
        if (const auto read = Endpoint::fromUrl(made.toUrl()); !read)
            return base::failure(read.error());
        return made;
    });
}

/// Keeps a typed password of the proxy, and shows the URL without it.
void EndpointForm::hideProxyPassword()
{
    const auto named = net::Proxy::fromUrl(m_proxy->text().trimmed());
    if (!named || named->password.isEmpty())
        return;
    const QSignalBlocker blocker(this);
    m_set.proxy = *named;
    m_proxy->setText(named->display());
}

base::Result<Endpoint> EndpointForm::withRoute(Endpoint endpoint) const
{
    const QString ssh = m_ssh->text().trimmed();
    const QString proxy = m_proxy->isEnabled() ? m_proxy->text().trimmed() : QString();
    endpoint.addresses = {};
    if (const QString text = m_map->text().trimmed(); !text.isEmpty()) {
        auto map = net::AddressMap::fromText(text);
        if (!map)
            return base::failure(map.error());
        endpoint.addresses = std::move(*map);
    }
    endpoint.ssh.reset();
    if (!ssh.isEmpty()) {
        const auto sshHost = ssh::SshHost::fromText(ssh);
        if (!sshHost)
            return base::failure(sshHost.error());
        endpoint.ssh = *sshHost;
    }
    // The unchanged text keeps the password of the proxy, which it does not show.
    if (endpoint.proxy && endpoint.proxy->display() == proxy)
        return endpoint;
    endpoint.proxy.reset();
    if (!proxy.isEmpty()) {
        const auto named = net::Proxy::fromUrl(proxy);
        if (!named)
            return base::failure(named.error());
        endpoint.proxy = *named;
    }
    return endpoint;
}

} // namespace latchkey::ui::connections
