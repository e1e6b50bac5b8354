#pragma once

#include "core/explore/races/run.h"
#include "core/explore/races/snapshot.h"
#include "core/redis/resp/reply.h"

#include <QList>

#include <functional>
#include <optional>
#include <vector>

// Values that only one process sends: tokens. In the observed behaviour they are replaced by placeholders and names.

namespace latchkey::programs {

/// Minimum length of an own value. Shorter words are too often equal by chance, or differ without being an own value.
constexpr qsizetype minimumTokenLength = 8;

/// Placeholder for the n-th value of a process, from 0.
[[nodiscard]] QByteArray tokenPlaceholder(int n);
/// Replaces placeholders by names for users: `TOKEN`, `TOKEN-2`.
[[nodiscard]] std::vector<races::Offer> withReadableTokens(std::vector<races::Offer> offers);
/// Name of a client's n-th value for other clients, from 0: `token-of-A`, as for the clients of recipes.
[[nodiscard]] QByteArray tokenName(races::ClientIndex client, int n);

/// Returns a value that looks like the own values of two processes but differs from both. At each position it has the
/// character of one of them. which: 0 to mostClients - 1, a different result for each. Absent: the two are too similar,
/// so the result could be the value of a third process.
[[nodiscard]] std::optional<QByteArray> similarToken(const QByteArray &one, const QByteArray &other, int which);

/// Replaces values by placeholders, as whole words and inside words.
[[nodiscard]] std::vector<races::Offer> withPlaceholders(std::vector<races::Offer> offers,
                                                         const QList<QByteArray> &values);
/// Replaces placeholders by values.
[[nodiscard]] resp::Reply withValues(const resp::Reply &reply, const QList<QByteArray> &values);
/// Applies the function to each text in the reply or in the offers.
[[nodiscard]] resp::Reply changed(const resp::Reply &reply, const std::function<QByteArray(QByteArray)> &change);
[[nodiscard]] std::vector<races::Offer> changed(std::vector<races::Offer> offers,
                                                const std::function<QByteArray(QByteArray)> &change);

/// Whether a JSON document as a whole is among the values: two documents differed in a number or a short text, which
/// cannot be own values.
[[nodiscard]] bool haveDocument(const QList<QByteArray> &values);

/// Whether the offers differ at most in their words.
[[nodiscard]] bool haveOneShape(const std::vector<races::Offer> &a, const std::vector<races::Offer> &b);

/// The clocks of two processes.
enum class Clocks : quint8 { Equal, Different };

/// Unifies the offers of two processes. Long words that differ become own values; of a JSON document only the parts
/// that differ, if they are long. Absent: the offers differ in other ways, or by close numbers such as times of day or
/// counters, with which other clients may calculate. With different clocks, also absent if the difference may be a
/// time inside a word: the processes must be compared with equal clocks.
[[nodiscard]] std::optional<std::vector<races::Offer>> commonOffers(const std::vector<races::Offer> &ours,
                                                                    QList<QByteArray> &ourValues,
                                                                    const std::vector<races::Offer> &theirs,
                                                                    QList<QByteArray> &theirValues,
                                                                    Clocks clocks = Clocks::Equal);
/// Whether the sent offers match the expected ones, with values in place of placeholders. Appends new values.
[[nodiscard]] bool learnValues(const std::vector<races::Offer> &sent, const std::vector<races::Offer> &expected,
                               QList<QByteArray> &values);

} // namespace latchkey::programs
