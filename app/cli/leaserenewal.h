#pragma once

#include "core/exchange/loopdriver.h"
#include "core/locks/holdkeeper.h"
#include "core/resp/session.h"

#include <QTimer>

#include <memory>
#include <vector>

namespace latchkey::cli {

/// What it takes to renew a lease, or to watch it, beside a program that runs: connections of its own, and a keeper
/// that works over them.
///
/// They are made half way to their first use: most programs have ended by then, and this has cost them nothing. A
/// session is patient with a server that is away; a lease is not, and so these try again within a thirtieth of it.
/// Owned by who runs the program.
class LeaseRenewal final
{
    Q_DISABLE_COPY_MOVE(LeaseRenewal)

public:
    /// servers: where the lease is held. firstUse: when the keeper will need them first.
    LeaseRenewal(const std::vector<resp::Endpoint> &servers, base::Lease lease, std::chrono::milliseconds firstUse);
    ~LeaseRenewal();

    [[nodiscard]] locks::HoldKeeper &keeper() { return *m_keeper; }
    [[nodiscard]] const locks::HoldKeeper &keeper() const { return *m_keeper; }

private:
    std::vector<std::unique_ptr<resp::Session>> m_sessions;
    std::unique_ptr<exchange::LoopDriver> m_driver;
    std::unique_ptr<locks::HoldKeeper> m_keeper;
    QTimer m_connect;
};

} // namespace latchkey::cli
