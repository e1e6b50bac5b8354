#pragma once

#include "core/caches/catalogue.h"
#include "core/locks/catalogue.h"
#include "core/races/rules.h"

#include <memory>

namespace latchkey::races {

/// What is explored: a recipe on one key, with a number of clients, each with a lease of its own length.
///
/// Leases are hours long and differ from client to client, so that every change of a lifetime shows, and whose it is.
/// A value; made by the functions below.
struct Subject
{
    QString recipe;
    int clients = 2;
    int servers = 1;
    base::Key key;
    base::Key guard; ///< Of a guarded cache; else empty.
    /// The recipe treats all servers alike: which is which makes no difference to anybody.
    bool serversAreAlike = false;
    /// The lock has no lifetime of its own but a date for a value, which clients compare with their clocks.
    bool keepsDeadlineInValue = false;
    QStringList claims;   ///< Promises that the catalogue makes for it.
    QStringList promises; ///< Those that mean something for it, in the order of the glossary.
    /// The run of a client under these faults; the last one's comes after all others.
    std::function<RunFactory(ClientIndex, const Faults &)> client;
    /// What a client writes, where the recipe is a cache; else null.
    std::function<caches::Content(ClientIndex)> content {};
    /// Whether the key must have a lifetime in the end: a cache's data, and not what it leaves behind that readers take
    /// for nothing; what programs keep in order, and not their data.
    std::function<bool(const KeyState &)> mustExpire = [](const KeyState &) { return true; };

    /// Where the clients are programs; null where they are recipes.
    std::shared_ptr<Foreign> foreign {};

    /// The lease of a client, and the one that it may extend to.
    [[nodiscard]] static base::Lease leaseOf(ClientIndex client);
    [[nodiscard]] static base::Lease extensionOf(ClientIndex client);
};

/// clients: 1 to mostClients - 1. form: in which locks compare that have more than one. Error: Usage.
[[nodiscard]] base::Result<Subject> subjectFor(const locks::Recipe &recipe, int clients,
                                               locks::CompareForm form = locks::CompareForm::Script);
[[nodiscard]] base::Result<Subject> subjectFor(const caches::Recipe &recipe, int clients);
/// By the recipe's id; locks first. Error Usage also for a form of what compares nothing.
[[nodiscard]] base::Result<Subject> subjectFor(const QString &recipe, int clients,
                                               locks::CompareForm form = locks::CompareForm::Script);
/// The recipe with two clients, with three, and so on to the most that can be explored.
[[nodiscard]] base::Result<std::vector<Subject>> subjectsFor(const QString &recipe,
                                                             locks::CompareForm form = locks::CompareForm::Script);

} // namespace latchkey::races
