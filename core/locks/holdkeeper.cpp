#include "core/locks/holdkeeper.h"

namespace latchkey::locks {

using base::MonotonicTime;
using exchange::Exchange;
using exchange::Instant;
using exchange::Pause;
using std::chrono::milliseconds;

namespace {

Exchange<Loss> runOut(MonotonicTime validUntil)
{
    for (;;) {
        const Instant instant = co_await exchange::now();
        if (instant.monotonic >= validUntil)
            co_return Loss();
        co_await Pause {std::chrono::ceil<milliseconds>(validUntil - instant.monotonic)};
    }
}

} // namespace

HoldKeeper::HoldKeeper(exchange::LoopDriver &driver, QObject *parent)
    : QObject(parent)
    , m_driver(driver)
{}

HoldKeeper::~HoldKeeper()
{
    stop();
}

void HoldKeeper::keep(Lock &lock, base::OwnerToken token, base::Lease lease, MonotonicTime validUntil)
{
    stop();
    m_lock = &lock;
    m_token = std::move(token);
    m_lease = lease;
    m_validUntil = validUntil;
    renew();
}

void HoldKeeper::watch(MonotonicTime validUntil)
{
    stop();
    m_validUntil = validUntil;
    m_run = m_driver.run<Loss>(runOut(validUntil),
                               [this](const base::Result<Loss> &loss) { Q_EMIT lost(loss.value_or(Loss())); });
}

void HoldKeeper::stop()
{
    m_driver.cancel(m_run);
}

void HoldKeeper::renew()
{
    m_run = m_driver.run<Renewal>(renewOnce(*m_lock, m_token, *m_lease, m_validUntil),
                                  [this](const base::Result<Renewal> &result) {
                                      if (!result) {
                                          Q_EMIT lost({Loss::Kind::Unrenewed, result.error()});
                                          return;
                                      }
                                      const Renewal &renewal = *result;
                                      if (!renewal) {
                                          Q_EMIT lost(renewal.error());
                                          return;
                                      }
                                      m_validUntil = *renewal;
                                      renew(); // Before anybody is told, who may have it stop.
                                      Q_EMIT renewed(m_validUntil);
                                  });
}

} // namespace latchkey::locks
