#pragma once

#include "core/resp/connection.h"
#include "core/rows/rowstore.h"

#include <QObject>
#include <QPointer>

#include <functional>

namespace latchkey::keyspace {

/// Reads what keys hold, in two pipelines: TYPE where it is not known, then a preview of each.
///
/// For the rows on screen, not for the million: reading a value counts as a use of the key for the server's eviction,
/// which PTTL does not.
/// Owned by the Watcher; the store is not owned. One batch at a time.
class ValueReader final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueReader)

public:
    enum class What : quint8 { Types, Values };

    explicit ValueReader(rows::RowStore &store, QObject *parent = nullptr);
    ~ValueReader() override;

    [[nodiscard]] bool isReading() const { return m_isReading; }
    /// Reads these keys, or only their types; nothing while it is reading.
    void read(resp::Connection &connection, const std::vector<keys::KeyId> &ids, What what);
    /// Drops what is under way.
    void stop();
    /// Commands sent so far.
    [[nodiscard]] quint64 commandsSent() const { return m_commandsSent; }

Q_SIGNALS:
    void finished();

private:
    struct Wanted
    {
        base::Key key;
        keys::KeyType type = keys::KeyType::Unknown;
    };

    void typesRead(const resp::Replies &replies);
    void readValues();
    void valuesRead(const resp::Replies &replies);
    void send(const resp::Commands &commands, std::function<void(const resp::Replies &)> handle);
    void finish();

    rows::RowStore &m_store;                 // Not owned.
    QPointer<resp::Connection> m_connection; // Not owned.
    std::vector<Wanted> m_wanted;
    What m_what = What::Values;
    quint64 m_run = 0; ///< Answers to an earlier run are not for this one.
    bool m_isReading = false;
    quint64 m_commandsSent = 0;
};

} // namespace latchkey::keyspace
