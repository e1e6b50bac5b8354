#pragma once

#include "core/races/run.h"
#include "core/races/snapshot.h"
#include "core/resp/reply.h"

#include <QList>

#include <functional>
#include <optional>
#include <vector>

// What a process sends that no other would: tokens. Everybody else is shown something that stands for it.

namespace latchkey::programs {

/// Shorter words are equal by chance too often, or differ and are not meant to be anybody's own.
constexpr qsizetype leastOwn = 8;

/// What stands for the n-th value of a process, from 0.
[[nodiscard]] QByteArray ownValue(int n);
/// What everybody else is told of the n-th value of a client, from 0: `token-of-A`, as a recipe's client names its own.
[[nodiscard]] QByteArray tokenName(races::ClientIndex client, int n);

/// A value that looks like those two, which are two processes' own, and is neither: at each place one of the two that
/// stand there. Which: 0 to mostClients - 1, each another one. Absent: they are too much alike, so that it could be the
/// value of a third process.
[[nodiscard]] std::optional<QByteArray> lookalike(const QByteArray &one, const QByteArray &other, int which);

/// With values, whole or as a part of a word, replaced by what stands for them.
[[nodiscard]] std::vector<races::Offer> withOwnValues(std::vector<races::Offer> offers,
                                                      const QList<QByteArray> &values);
/// With what stands for values replaced by them.
[[nodiscard]] resp::Reply withValues(const resp::Reply &reply, const QList<QByteArray> &values);
/// The same reply with each text in it changed by the function.
[[nodiscard]] resp::Reply changed(const resp::Reply &reply, const std::function<QByteArray(QByteArray)> &change);
[[nodiscard]] std::vector<races::Offer> changed(std::vector<races::Offer> offers,
                                                const std::function<QByteArray(QByteArray)> &change);

/// What two processes have sent, as one: words in which they differ become values of their own. Absent: they differ in
/// more than that, or by numbers that are close to each other: times of day, or counts, with which others reckon.
[[nodiscard]] std::optional<std::vector<races::Offer>> commonOffers(const std::vector<races::Offer> &ours,
                                                                    QList<QByteArray> &ourValues,
                                                                    const std::vector<races::Offer> &theirs,
                                                                    QList<QByteArray> &theirValues);
/// Whether what was sent is what is expected, with values in the place of what stands for them; those that are new are
/// added to the values.
[[nodiscard]] bool learnValues(const std::vector<races::Offer> &sent, const std::vector<races::Offer> &expected,
                               QList<QByteArray> &values);
/// Those that could be somebody's own, and are not known to be.
void forEachLongWord(const std::vector<races::Offer> &offers, const std::function<void(const QByteArray &)> &use);

} // namespace latchkey::programs
