#pragma once

#include "core/keys/knownkeys.h"
#include "core/keyspace/observation.h"
#include "core/keyspace/rawvalues.h"
#include "core/resp/connection.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <span>

namespace latchkey::keyspace {

/// Reads what keys hold together with how long they have left, so that the two belong to one hold.
///
/// PTTL is asked before the value and after it, in one pipeline: where both answers mean the same end, what was read
/// between them belongs to that end; where they do not, the key is read again. A type that is not known is asked for
/// first.
/// For the rows on screen, not for the million: reading a value counts as a use of the key for the server's eviction,
/// which PTTL does not.
/// Owned by the Watcher; what is known and fan-out are not owned. One batch at a time.
class ValueReader final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueReader)

public:
    enum class What : quint8 { Types, Values };

    ValueReader(const keys::KnownKeys &known, const FanOut &fanOut, QObject *parent = nullptr);
    ~ValueReader() override;

    [[nodiscard]] bool isReading() const { return m_isReading; }
    /// Reads these keys, or only their types; nothing while it is reading.
    void read(resp::Connection &connection, const std::vector<QByteArray> &names, What what,
              Source source = Source::Read);
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

    void typesRead(const resp::Connection::Delivery &delivery);
    void readValues();
    void valuesRead(const resp::Connection::Delivery &delivery);
    /// What was learned of a key from its replies; false where its end changed meanwhile.
    [[nodiscard]] bool learn(const Wanted &wanted, std::span<const resp::Reply> replies,
                             const resp::Connection::Delivery &delivery, Observations &observations) const;
    [[nodiscard]] static resp::Commands commandsFor(const Wanted &wanted);
    void send(const resp::Commands &commands, std::function<void(const resp::Connection::Delivery &)> handle);
    void finish();

    const keys::KnownKeys &m_known;          // Not owned.
    const FanOut &m_fanOut;                  // Not owned.
    QPointer<resp::Connection> m_connection; // Not owned.
    std::vector<Wanted> m_wanted;
    What m_what = What::Values;
    Source m_source = Source::Read;
    int m_triesLeft = 0;
    quint64 m_run = 0; ///< Answers to an earlier run are not for this one.
    bool m_isReading = false;
    quint64 m_commandsSent = 0;
};

} // namespace latchkey::keyspace
