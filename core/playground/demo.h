#pragma once

#include "core/base/random.h"
#include "core/exchange/loopdriver.h"
#include "core/playground/crew.h"
#include "core/resp/session.h"

#include <QObject>
#include <QTimer>

#include <vector>

namespace latchkey::playground {

/// Keeps a crew at work by itself, so that a first look has something to see: its clients acquire, hold, sometimes
/// extend, release; now and then one crashes, and a while later another takes its place. Beside them sessions, carts
/// and cached pages come and go, as they do on a server that is in use. Owned by the code that shows the demonstration;
/// it works with clients that it has added to a crew, which is not owned, and leaves all others alone.
class Demo final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Demo)

public:
    /// Crew, clock and random source are not owned.
    Demo(Crew &crew, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Demo() override;

    void start();
    /// Ends its clients, and does nothing more.
    void dismiss();

private:
    /// A place in the demonstration: what is done there, by whom at the moment, and when it goes on.
    struct Place
    {
        std::size_t job = 0;
        ClientProcess *client = nullptr; // Not owned: the crew's. Null once somebody else has removed it.
        base::MonotonicTime next;
    };

    void work();
    void workOn(Place &place);
    void hire(Place &place);
    void writeCache();
    [[nodiscard]] std::chrono::milliseconds between(std::chrono::milliseconds shortest,
                                                    std::chrono::milliseconds longest);

    Crew &m_crew;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    resp::Session m_session; ///< For the caches; the locks are the clients' own affair.
    exchange::LoopDriver m_driver;
    base::MonotonicTime m_nextCache;
    int m_cachesWritten = 0;
    std::vector<Place> m_places;
    QTimer m_timer;
};

} // namespace latchkey::playground
