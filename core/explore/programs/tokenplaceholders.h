#pragma once

#include "core/explore/races/run.h"
#include "core/explore/races/snapshot.h"
#include "core/redis/resp/reply.h"

#include <QList>

#include <functional>
#include <optional>
#include <vector>

// Tokens: values that only one process sends. The observation tree stores placeholders for its own tokens and names for
// those of other clients.

namespace latchkey::programs {

/// Minimum length of a token. Shorter words may be equal by chance, or differ without being tokens.
constexpr qsizetype minimumTokenLength = 8;

/// Returns the placeholder for the n-th token of a process, from 0.
[[nodiscard]] QByteArray tokenPlaceholder(int n);
/// Replaces placeholders by names for users: `TOKEN`, `TOKEN-2`.
[[nodiscard]] std::vector<races::Offer> withReadableTokens(std::vector<races::Offer> offers);
/// Returns the name of a client's n-th token for other clients, from 0: `token-of-A`, as for the clients of recipes.
/// `prefix`: the commonPrefix() of the token, which stays readable: `lock:user:7:token-of-A`.
[[nodiscard]] QByteArray tokenName(races::ClientIndex client, int n, const QByteArray &prefix = {});
/// Replaces each tokenPlaceholder() in the word by the tokenName() of the client. `prefixes`: one for each token.
[[nodiscard]] QByteArray withTokenNames(QByteArray word, races::ClientIndex client, const QList<QByteArray> &prefixes);
/// Returns whether the word contains a tokenName().
[[nodiscard]] bool isTokenName(const QByteArray &word);
/// Returns the common beginning of the tokens of two processes, up to a separator such as a colon. Empty for JSON
/// documents, and if the beginning contains another client's token.
[[nodiscard]] QByteArray commonPrefix(const QByteArray &one, const QByteArray &other);

/// Returns a value of the same form as the tokens of two processes, but different from both. Each character is that of
/// one of the two tokens. `which`: 0 to maxClients - 1, with a different result for each. Absent: the two are too
/// similar, so the result could be the token of a third process.
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

/// Returns whether a whole JSON document is among the values. This happens if two documents differ in a number or a
/// short text, which cannot be tokens.
[[nodiscard]] bool containJsonDocument(const QList<QByteArray> &values);

/// Returns whether the offers differ at most in their words.
[[nodiscard]] bool haveEqualStructure(const std::vector<races::Offer> &a, const std::vector<races::Offer> &b);

/// The clocks of two processes.
enum class Clocks : quint8 { Equal, Different };

/// Unifies the offers of two processes. Long words that differ become tokens, without what the words have in common; in
/// a JSON document, only the long parts that differ. Absent: the offers differ in another way, or by close numbers such
/// as times of day or counters. Other clients may use such numbers in calculations. With different clocks, also absent
/// if the difference may be a time inside a word: the processes must be compared with equal clocks.
[[nodiscard]] std::optional<std::vector<races::Offer>> commonOffers(const std::vector<races::Offer> &ours,
                                                                    QList<QByteArray> &ourValues,
                                                                    const std::vector<races::Offer> &theirs,
                                                                    QList<QByteArray> &theirValues,
                                                                    Clocks clocks = Clocks::Equal);
/// Returns whether the sent offers match the expected ones, with values in place of placeholders. Appends new values.
[[nodiscard]] bool learnValues(const std::vector<races::Offer> &sent, const std::vector<races::Offer> &expected,
                               QList<QByteArray> &values);

} // namespace latchkey::programs
