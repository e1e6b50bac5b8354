#pragma once

#include "core/keys/keystore.h"
#include "core/playground/crew.h"
#include "ui/widgets/pill.h"

#include <QString>

namespace latchkey::ui::clients {

/// On how many servers a lock is that a majority of them decides.
struct Votes
{
    int servers = 1;
    int holding = 0; ///< Those that have it for whom the truth is about.
    int silent = 0;  ///< Those that do not answer, and may have it.

    [[nodiscard]] int majority() const { return servers / 2 + 1; }
};

/// What the server says of the key that a client is concerned with.
struct Truth
{
    bool isKnown = false; ///< The server has been asked.
    bool exists = false;
    base::Deadline deadline = base::Deadline::never();
    QByteArray value;              ///< Empty while it has not been read.
    QString holder;                ///< The client whose token the value is, where there is one.
    bool isHolderAlive = true;     ///< Else nobody will release it.
    bool isOutOfSight = false;     ///< It does not answer any more: what it said last may not be so.
    std::optional<Votes> votes {}; ///< Of several servers; absent: there is one.
};

/// What a card says about a client: its belief beside the truth, and whether the two agree.
struct BeliefView
{
    QString state; ///< One or two words, for the card's pill.
    widgets::Pill::Tone stateTone = widgets::Pill::Tone::Neutral;
    QString belief;
    QString truth;
    /// How much of the lease is left, from 0 to 1, as the client believes and as the server has it; absent: there is
    /// nothing to count.
    std::optional<double> beliefShare;
    std::optional<double> truthShare;
    bool isPastLease = false;                                     ///< It believes to hold a lock whose lease is over.
    widgets::Pill::Tone truthTone = widgets::Pill::Tone::Neutral; ///< Good: they agree; critical: the client is wrong.

    [[nodiscard]] bool isConflict() const { return truthTone == widgets::Pill::Tone::Critical; }
};

/// The truth is a look at the server that may be this old. What it has against a hold that is younger proves nothing.
inline constexpr std::chrono::milliseconds oldestLook {1500};

/// The words for a client's state and hold, and for the truth about its key, at this time.
[[nodiscard]] BeliefView describe(const playground::ClientProcess &client, const Truth &truth, base::MonotonicTime now);

/// What a client's report says to people, in a sentence; empty for reports that only the belief shows. recipe: with
/// which it was told to acquire.
[[nodiscard]] QString reportText(const playground::ClientReport &report, const QString &recipe);

/// What the store knows of a key, and whose it is.
[[nodiscard]] Truth truthOf(const keys::KeyStore &store, const base::Key &key, const playground::Crew &crew);

} // namespace latchkey::ui::clients
