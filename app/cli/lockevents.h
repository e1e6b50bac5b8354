#pragma once

#include "core/foundation/base/deadline.h"
#include "core/inspect/inspection/inspectedserver.h"

#include <QObject>

#include <optional>

namespace latchkey::cli {

/// The description of a lock for the command line: kind and holder.
struct LockDescription
{
    QString kind;
    std::optional<QByteArray> holder; ///< Absent if the value does not contain it.

    /// Returns the function that finds the holder for a History. Its result is also absent for keys that are no locks.
    [[nodiscard]] static history::History::HolderOf holderOf(const inspection::InspectedServer &server);
    /// Returns the description. Absent if the key is no lock.
    [[nodiscard]] static std::optional<LockDescription> of(const inspection::InspectedServer &server,
                                                           const QByteArray &key, const keys::RawValue &value);
    [[nodiscard]] static std::optional<LockDescription> of(const recognition::Recognition &recognised);

    friend bool operator==(const LockDescription &, const LockDescription &) = default;
};

/// The last known state of a hold that an event has ended or changed. A value.
struct FormerHold
{
    LockDescription description;
    std::optional<base::Deadline> deadline;
};

/// A source of the events of locks: the locks of one server, or of all primaries of a cluster. An interface.
class LockEvents : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockEvents)

public:
    LockEvents() = default;
    ~LockEvents() override;

Q_SIGNALS:
    /// Emitted for a lock that existed before the observation.
    void seen(const QByteArray &key, const latchkey::cli::LockDescription &description,
              const std::optional<latchkey::base::Deadline> &deadline, latchkey::base::MonotonicTime at);
    /// Emitted for an event of a lock. The description is that before the event; for a new lock, that after the
    /// event. `former`: the hold before the event, as far as it was known.
    void happened(const latchkey::events::KeyEvent &keyEvent, const latchkey::cli::LockDescription &description,
                  const latchkey::cli::FormerHold &former);
};

} // namespace latchkey::cli
