#pragma once

#include "core/stage/toldstory.h"
#include "core/stories/jsonplace.h"

#include <QSet>

namespace latchkey::stage {

/// What the steps of an alternative have told of its clients and servers so far, as far as that can be known without
/// playing: whether the next step can come about at all.
/// Owned by the reader of a file.
class Course final
{
public:
    /// Throws a base::Failure (Usage), by place: what cannot be.
    void follow(const ToldStep &step, const stories::JsonPlace &place);

private:
    /// What is known of one client.
    struct Client
    {
        QString crashedIn; ///< The step; empty while it lives.
        QString busySince; ///< The step whose answer has not been awaited, or before which it is held; else empty.
        bool isPaused = false;
        bool hasTried = false; ///< To acquire a lock.
        QString untold;        ///< The recipe of that, where nothing in its locks tells whose they are.
        QStringList outcomes;  ///< Those that its last order may have.
    };

    void followServers(const ToldStep &step, const stories::JsonPlace &place);
    static void followSignal(Client &client, Signal signal, const ToldStep &step, const stories::JsonPlace &place);
    static void followWaiting(Client &client, const ToldStep &step, const stories::JsonPlace &place);
    static void followOrder(Client &client, const ToldStep &step, const stories::JsonPlace &place);
    void checkHolders(const ToldStep &step, const stories::JsonPlace &place);
    static void checkOutcome(const ToldStep &step, const stories::JsonPlace &place, const Client &client);

    std::map<QString, Client> m_clients;
    QSet<int> m_stopped; ///< Servers.
};

} // namespace latchkey::stage
