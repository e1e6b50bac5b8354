#pragma once

#include "core/explore/races/rules.h"
#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"

#include <memory>

namespace latchkey::races {

/// The subject of an exploration: a recipe on one key, with a number of clients, each with a lease of different length.
///
/// Leases are hours long and differ between clients. Every change of a lifetime is therefore visible and can be
/// attributed to a client. A value; created by the functions below.
struct Subject
{
    QString recipe;
    int clients = 2;
    int servers = 1;
    base::Key key;
    base::Key guard; ///< Guard of a guarded cache; otherwise empty.
    /// Whether the recipe treats all servers equally, so that the servers can be permuted.
    bool areServersSymmetric = false;
    /// Whether the lock has no lifetime but stores its deadline as its value, which clients compare with their clocks.
    bool keepsDeadlineInValue = false;
    QStringList claims;   ///< Promises that the catalogue claims for the recipe.
    QStringList promises; ///< Applicable promises, in the order of the glossary.
    /// Factory of a client's runs under these faults. The last client is the next client, which begins after all
    /// others.
    std::function<RunFactory(ClientIndex, const Faults &)> client;
    /// Content that a client writes, if the recipe is a cache; otherwise null.
    std::function<caches::Content(ClientIndex)> content {};
    /// Whether the key must have a lifetime in the end. For caches: data, but not leftovers that readers treat as a
    /// miss. For programs: coordination state, but not data.
    std::function<bool(const SnapshotKey &)> mustExpire = [](const SnapshotKey &) { return true; };

    /// The interface to external programs; null if the clients are recipes.
    std::shared_ptr<ExternalProgram> program {};

    /// Returns the lease of a client; extensionOf() returns the lease to which the client may extend.
    [[nodiscard]] static base::Lease leaseOf(ClientIndex client);
    [[nodiscard]] static base::Lease extensionOf(ClientIndex client);
};

/// Creates the subject for a recipe. `clients`: 1 to maxClients - 1. `form`: form of the comparison, for locks that
/// have several. Error: Usage.
[[nodiscard]] base::Result<Subject> subjectFor(const locks::Recipe &recipe, int clients,
                                               locks::CompareForm form = locks::CompareForm::Script);
[[nodiscard]] base::Result<Subject> subjectFor(const caches::Recipe &recipe, int clients);
/// Creates the subject for the recipe with this id; locks are searched first. Error (Usage): an unknown id, a form
/// for a recipe without forms, or an error of the function above.
[[nodiscard]] base::Result<Subject> subjectFor(const QString &recipe, int clients,
                                               locks::CompareForm form = locks::CompareForm::Script);
/// Creates subjects with two clients, three clients, and so on up to the maximum.
[[nodiscard]] base::Result<std::vector<Subject>> subjectsFor(const QString &recipe,
                                                             locks::CompareForm form = locks::CompareForm::Script);

} // namespace latchkey::races
