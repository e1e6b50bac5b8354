// What a key costs in memory: a store that is given COUNT expiring keys as a scan gives them. Prints the bytes per key
// that malloc has handed out for it, beyond the key's own, once everything is sorted.
//   bench-keys COUNT

#include "core/rows/rowstore.h"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>

using namespace latchkey;
using namespace std::chrono_literals;

namespace {

std::size_t allocated()
{
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

} // namespace

int main(int argc, char *argv[])
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
    const base::Clock &clock = base::SystemClock::instance();
    const std::size_t before = allocated();
    rows::RowStore store(clock);
    std::size_t ownBytes = 0;
    for (int i = 0; i < count; ++i) {
        const QByteArray key =
            "lock:session:" + QByteArray::number(100'000'000 + static_cast<qint64>(i) * 7919 % count);
        ownBytes += static_cast<std::size_t>(key.size());
        const auto now = clock.now();
        store.observe(key, base::Deadline(now + 1h + std::chrono::milliseconds(i * 7919LL % 80'000'000), 1ms), now);
        if (i % 30'000 == 29'999)
            store.commit();
    }
    while (store.commit()) {}
    if (store.rowCount() != count)
        return 1;
    const std::size_t used = allocated() - before;
    std::printf("%.2f\n", (static_cast<double>(used) - static_cast<double>(ownBytes)) / count);
    std::fprintf(stderr, "malloc %zu, the store's own account %zu, keys %zu\n", used, store.bytesAllocated(), ownBytes);
    return 0;
}
