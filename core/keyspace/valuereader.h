#pragma once

#include "core/keys/knownkeys.h"
#include "core/keyspace/observation.h"
#include "core/keyspace/rawvalues.h"
#include "core/resp/connection.h"

#include <QObject>
#include <QPointer>
#include <QSet>

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
/// A collection is weighed before its elements are read for the first time: of one whose elements are huge only their
/// number is told, as of one that has cost the connection before.
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
        qint64 length = 0;    ///< How many elements; only of what has been weighed.
        bool isHeavy = false; ///< No element of it is read.

        [[nodiscard]] ReadSize readSize() const;
    };

    void typesRead(const resp::Connection::Delivery &delivery);
    [[nodiscard]] bool isToBeWeighed(const Wanted &wanted) const;
    void weigh();
    void weighed(const std::vector<std::size_t> &which, const resp::Connection::Delivery &delivery);
    [[nodiscard]] bool isHeavy(const Wanted &wanted, const resp::Reply &usage) const;
    void readValues();
    void valuesRead(const resp::Connection::Delivery &delivery);
    /// What was learned of a key from its replies; false where its end changed meanwhile.
    [[nodiscard]] bool learn(const Wanted &wanted, std::span<const resp::Reply> replies,
                             const resp::Connection::Delivery &delivery, Observations &observations) const;
    [[nodiscard]] static resp::Commands commandsFor(const Wanted &wanted);
    void suspect();
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
    bool m_isWeighingDenied = false; ///< On this connection.
    QSet<QByteArray> m_suspects;     ///< Were being read when an answer was too large to take.
    quint64 m_commandsSent = 0;
};

} // namespace latchkey::keyspace
