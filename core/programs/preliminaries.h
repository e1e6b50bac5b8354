#pragma once

#include "core/base/text.h"
#include "core/resp/command.h"
#include "core/resp/reply.h"

#include <QHash>

#include <optional>

namespace latchkey::programs {

/// What a process says before it comes to the point: commands that change no key and have one answer, whoever else is
/// at work. They are answered at once and are no steps.
/// A value for each process; scripts that one process has loaded are not known to another.
class Preliminaries final
{
public:
    /// The answer at once; absent: the command is a step.
    [[nodiscard]] std::optional<resp::Reply> answerTo(const resp::Command &command);

    /// The command with the source of its script in place of the SHA1, and what it tells of scripts remembered.
    [[nodiscard]] resp::Command spelledOut(const resp::Command &command);

    /// Why no client that sends this can be explored; absent: it can.
    [[nodiscard]] static std::optional<base::Text> whyNot(const resp::Command &command);

    /// It has asked for RESP3, and was told that there is none.
    [[nodiscard]] bool hasAskedForResp3() const { return m_hasAskedForResp3; }

private:
    [[nodiscard]] resp::Reply answerToHello(const resp::Command &command);
    [[nodiscard]] resp::Reply answerToScript(const resp::Command &command);
    QByteArray remember(const QByteArray &source);

    QHash<QByteArray, QByteArray> m_scripts; ///< Their sources by their SHA1.
    bool m_hasAskedForResp3 = false;
};

} // namespace latchkey::programs
