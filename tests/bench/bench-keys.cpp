// Memory of a key: fills a store with COUNT expiring keys as a scan does. Prints the bytes per key that malloc has
// allocated, beyond the key's own bytes, after everything is sorted.
//   bench-keys COUNT
//   bench-keys fan-out COUNT   prints the seconds that one more listener adds, which reads every observation
//   bench-keys history COUNT   prints the bytes of a hold in a history of COUNT holds of token locks

#include "core/inspect/history/history.h"
#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/rows/rowlist.h"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <span>

using namespace latchkey;
using namespace std::chrono_literals;

namespace {

std::size_t allocated()
{
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// A listener that reads every observation.
class Looker final : public events::ObservationListener
{
public:
    void observed(const events::Observations &observations) override
    {
        for (const events::Observation &observation : observations) {
            if (const auto *exists = std::get_if<events::Exists>(&observation.content))
                m_sum += static_cast<quint64>(exists->deadline.at().time_since_epoch().count())
                       + static_cast<quint64>(observation.key.size());
        }
    }
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}
    [[nodiscard]] quint64 sum() const { return m_sum; }

private:
    quint64 m_sum = 0;
};

/// Returns the seconds for passing `count` keys to a store and these listeners, in portions as a scan does.
double handOn(int count, std::span<events::ObservationListener *> listeners)
{
    const base::Clock &clock = base::SystemClock::instance();
    keys::KeyStore store(clock);
    inspection::KeyStoreUpdater feed(store);
    events::ObservationDispatcher dispatcher;
    dispatcher.add(feed);
    for (events::ObservationListener *listener : listeners)
        dispatcher.add(*listener);
    constexpr int portion = 250;
    std::chrono::nanoseconds spent {};
    for (int first = 0; first < count; first += portion) {
        events::Observations observations;
        const auto now = clock.now();
        for (int i = first; i < first + portion; ++i)
            observations.push_back({"lock:session:" + QByteArray::number(100'000'000 + i),
                                    events::Exists {base::Deadline(now + 1h, 1ms)}, now, now, events::Source::Scan});
        const auto start = clock.now();
        dispatcher.deliver(observations);
        spent += clock.now() - start;
        if (first % 30'000 == 0)
            (void)store.commit();
    }
    return std::chrono::duration<double>(spent).count();
}

int dispatcher(int count)
{
    Looker looker;
    events::ObservationListener *one[] {&looker};
    double without = 1e9;
    double with = 1e9;
    for (int round = 0; round < 5; ++round) {
        without = std::min(without, handOn(count, {}));
        with = std::min(with, handOn(count, one));
    }
    std::printf("%.6f\n", std::max(0.0, with - without));
    return looker.sum() > 0 ? 0 : 1;
}

int historyCost(int count)
{
    const std::size_t before = allocated();
    history::History history(
        [](const QByteArray &, const keys::RawValue &value) { return std::optional(value.bytes()); },
        history::History::Limits {1000, static_cast<std::size_t>(count)});
    auto now = base::SystemClock::instance().now();
    for (int i = 0; i < count; ++i) {
        events::KeyEvent keyEvent;
        keyEvent.key = "lock:orders:" + QByteArray::number(i % std::max(1, count / 100));
        keyEvent.type = events::KeyEvent::Type::Appeared;
        keyEvent.notBefore = keyEvent.notAfter = now += 1ms;
        keyEvent.deadline = base::Deadline(now + 30s, 1ms);
        keyEvent.after = keys::RawValue {keys::KeyType::String, 32, {QByteArray::number(i).rightJustified(32, '0')}};
        history.take(keyEvent);
        keyEvent.type = events::KeyEvent::Type::Renewed;
        history.take(keyEvent);
        keyEvent.type = events::KeyEvent::Type::Ended;
        keyEvent.ending = events::Ending::Deleted;
        history.take(keyEvent);
    }
    std::printf("%.1f\n", static_cast<double>(allocated() - before) / count);
    return history.holdCount() == static_cast<std::size_t>(count) ? 0 : 1;
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc > 2 && QByteArrayView(argv[1]) == "fan-out")
        return dispatcher(std::atoi(argv[2]));
    if (argc > 2 && QByteArrayView(argv[1]) == "history")
        return historyCost(std::atoi(argv[2]));
    const int count = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
    const base::Clock &clock = base::SystemClock::instance();
    const std::size_t before = allocated();
    keys::KeyStore store(clock);
    rows::RowList list(store);
    std::size_t ownBytes = 0;
    for (int i = 0; i < count; ++i) {
        const QByteArray key =
            "lock:session:" + QByteArray::number(100'000'000 + static_cast<qint64>(i) * 7919 % count);
        ownBytes += static_cast<std::size_t>(key.size());
        const auto now = clock.now();
        (void)store.observe(key, base::Deadline(now + 1h + std::chrono::milliseconds(i * 7919LL % 80'000'000), 1ms),
                            now);
        if (i % 30'000 == 29'999)
            (void)store.commit();
    }
    while (store.commit()) {}
    if (list.rowCount() != count)
        return 1;
    const std::size_t used = allocated() - before;
    std::printf("%.2f\n", (static_cast<double>(used) - static_cast<double>(ownBytes)) / count);
    std::fprintf(stderr, "malloc %zu, the store's own account %zu, keys %zu\n", used,
                 store.bytesAllocated() + list.bytesAllocated(), ownBytes);
    return 0;
}
