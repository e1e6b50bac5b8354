#pragma once

#include "core/resp/session.h"

#include <functional>

namespace latchkey::lab {

/// Removes all keys of a server below a prefix, a few hundred at a time.
/// Owned by the LabRun.
class Sweep final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Sweep)

public:
    Sweep(const resp::Endpoint &server, QByteArray prefix, const base::Clock &clock, base::RandomSource &random);
    ~Sweep() override;

    void start() { m_session.start(); }

Q_SIGNALS:
    /// error: why some may be left.
    void finished(const std::optional<latchkey::base::Error> &error);

private:
    void sessionChanged(resp::Session::State state);
    void scan(const QByteArray &cursor);
    void scanned(const resp::Reply &page);
    void end(const std::optional<base::Error> &error);

    const QByteArray m_prefix;
    resp::Session m_session;
    bool m_isOver = false;
};

} // namespace latchkey::lab
