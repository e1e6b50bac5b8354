#pragma once

#include "core/redis/net/endpoint.h"

#include <QObject>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace latchkey::ui::connections {

/// The fields of an endpoint: host and port or a Unix socket, database, TLS, user, SSH host, proxy and
/// address map.
///
/// The fields have no parser: their endpoint is converted to a URL and parsed again, so that the fields accept exactly
/// what a URL accepts. Parts without a field, such as the TLS files, stay unchanged. Passwords have no field here.
/// Owned by the dialog, which also owns the widgets.
class EndpointForm final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EndpointForm)

public:
    explicit EndpointForm(QWidget *parent);

    /// Adds the rows of the fields to a form.
    void addRowsTo(QFormLayout &form);
    /// Fills the fields. edited() is not emitted.
    void setEndpoint(const net::Endpoint &endpoint);
    /// Returns the endpoint of the fields. Error (Usage): the problem of a field.
    [[nodiscard]] base::Result<net::Endpoint> endpoint() const;
    [[nodiscard]] QLineEdit &user() const { return *m_user; }

Q_SIGNALS:
    /// Emitted when the user has changed a field.
    void edited();

private:
    void name();
    void fitTransport();
    void hideProxyPassword();
    [[nodiscard]] base::Result<net::Endpoint> withRoute(net::Endpoint endpoint) const;

    net::Endpoint m_set; ///< Endpoint that was set, for the parts without a field.
    QComboBox *m_transport;
    QLineEdit *m_host;
    QSpinBox *m_port;
    QLineEdit *m_socket;
    QSpinBox *m_database;
    QCheckBox *m_tls;
    QLineEdit *m_user;
    QLineEdit *m_ssh;
    QLineEdit *m_proxy;
    QLineEdit *m_map;
};

} // namespace latchkey::ui::connections
